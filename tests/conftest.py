"""What all tests share: one Spark session for the whole run, and what properties are tried on."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from continua import Session
from continua.physical.spark import spark_session
from continua.physical.spark_internals.java import java_home
from continua.runtime.engine import Engine

# The helpers beside the tests are plain modules, and so are the benchmarks that they try.
sys.path += [str(Path(__file__).parent / folder) for folder in ("properties", "spark", "live")]
sys.path += [str(Path(__file__).parents[1] / folder) for folder in ("bench", "bench/linear_road")]

from drawing import load_settings

load_settings()

MASTER = os.environ.get("CONTINUA_TEST_MASTER")
"""A cluster to run the tests on, as `local-cluster[2,1,1024]`; by default Spark is local."""


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    session = spark_session() if MASTER is None else _on_cluster(MASTER)
    yield session
    if _java_ended() is None:
        session.stop()


def _java_ended() -> int | None:
    """The exit code of the tests' Java, if it has run and runs no more."""
    gateway = SparkContext._gateway
    return None if gateway is None else gateway.proc.poll()


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Without Java every test that needs it would fail, one after the other."""
    if report.failed and (code := _java_ended()) is not None:
        reason = f"Java has ended with the exit code {code} during or before {report.nodeid}"
        pytest.exit(f"{reason}; memory may have run out", returncode=3)


def _on_cluster(master: str) -> SparkSession:
    from engine_process import BRIEF

    os.environ["JAVA_HOME"] = str(java_home())
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings = {
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        "spark.log.level": "FATAL",
        # Three new Javas for a few minutes: code that is compiled quickly is better than good code.
        "spark.driver.extraJavaOptions": BRIEF,
        "spark.executor.extraJavaOptions": BRIEF,
        # Workers of a cluster on one machine look for the tests' own modules where they are.
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(sys.path),
    }
    return SparkSession.builder.master(master).config(map=settings).getOrCreate()


def hurry(spark: SparkSession) -> None:
    """Nearly all the time of a small query goes into planning it and compiling its plan."""
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    spark.conf.set("spark.sql.codegen.wholeStage", "false")
    spark.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    if MASTER is None:
        spark.conf.set("spark.sql.shuffle.partitions", "1")


@pytest.fixture(scope="session")
def engine(spark: SparkSession) -> Engine:
    """An engine for many small queries."""
    engine = Engine(spark)
    hurry(engine.spark)
    return engine


@pytest.fixture
def sessions(spark: SparkSession) -> Callable[[], Session]:
    """Makes sessions on Spark, for small queries."""

    def make() -> Session:
        session = Session(spark=spark)
        hurry(session.spark)
        return session

    return make
