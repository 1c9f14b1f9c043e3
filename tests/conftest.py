"""What all tests share: one Spark session for the whole run."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from continua.physical.spark import spark_session
from continua.runtime.engine import Engine

# The helpers beside the tests are plain modules.
sys.path += [str(Path(__file__).parent / folder) for folder in ("properties", "spark")]


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    session = spark_session()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def engine(spark: SparkSession) -> Engine:
    """An engine for many small queries: nearly all of their time goes into planning them."""
    engine = Engine(spark)
    engine.spark.conf.set("spark.sql.adaptive.enabled", "false")
    engine.spark.conf.set("spark.sql.shuffle.partitions", "1")
    engine.spark.conf.set("spark.sql.codegen.wholeStage", "false")
    return engine
