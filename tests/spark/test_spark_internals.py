"""What the project relies on inside Spark, each thing against the Spark that is installed.

Run this first with a new version of Spark: a test that fails here names the file of
`continua.physical.spark_internals` that has to follow.
"""

from __future__ import annotations

import ast
import logging
import os
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import py4j.clientserver
import pyspark
import pytest
from pyspark.errors import PySparkException, PythonException
from pyspark.logger import PySparkLogger
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import udf

import continua
from continua.physical.spark import separate_session
from continua.physical.spark_internals import error_texts
from continua.physical.spark_internals.analyzed_plan import analyzed_plan
from continua.physical.spark_internals.class_names import (
    RENAMING_CHECKPOINT_FILES,
    SEMI_JOINS_MOVED_DOWN,
)
from continua.physical.spark_internals.error_conditions import (
    Evaluation,
    Problem,
    evaluation,
    expected_arguments,
    fragments,
    is_without_columns,
    missing_path,
)
from continua.physical.spark_internals.in_memory import (
    cut_off,
    freed,
    freed_with_origin,
    in_memory,
)
from continua.physical.spark_internals.java_errors import (
    JAVA_FAILED,
    JAVA_RAISED,
    raised_in_thread,
    said_by_java,
)
from continua.physical.spark_internals.quiet import quiet, quiet_callbacks
from continua.physical.spark_internals.signals import ignore_sigterm
from continua.physical.spark_internals.spark_log import SparkLog
from continua.runtime.engine import Engine

pytestmark = pytest.mark.spark

TRIED = "4.3"
"""The version of Spark that the files of `spark_internals` say they were tried with."""

HERE = f"Spark {pyspark.__version__} (tried: {TRIED})"


@pytest.fixture(scope="module")
def ours(spark: SparkSession) -> SparkSession:
    return separate_session(spark)


def raised_by(work: Callable[[], object]) -> Exception:
    """What Spark raises."""
    with pytest.raises(Exception) as caught, quiet():
        work()
    return caught.value


def of_spark(work: Callable[[], object]) -> PySparkException:
    error = raised_by(work)
    assert isinstance(error, PySparkException), f"{HERE} leaves {type(error)} to Java"
    return error


def test_the_version_is_one_that_was_tried() -> None:
    assert pyspark.__version__.startswith(f"{TRIED}."), f"{HERE}: see what fails, and note it"
    for path in Path(error_texts.__file__).parent.glob("*.py"):
        says = " ".join((ast.get_docstring(ast.parse(path.read_text())) or "").split())
        assert f"ried with Spark {TRIED}" in says, f"{path} says nothing of Spark {TRIED}"


# in_memory


def held_by_spark(spark: SparkSession) -> set[int]:
    """The numbers of the relations in memory."""
    held = spark.sparkContext._jsc.sc().getPersistentRDDs()
    return {int(n) for n in re.findall(r"(\d+) ->", str(held.toString()))}


def test_rows_in_memory(ours: SparkSession) -> None:
    before = held_by_spark(ours)
    held = in_memory(ours.range(5).selectExpr("id", "uuid() AS u"))
    first = sorted(held.collect())
    assert [row.id for row in first] == [0, 1, 2, 3, 4]
    assert sorted(held.collect()) == first, f"{HERE} computes again what InMemoryRelation holds"
    assert held_by_spark(ours) - before, f"{HERE} does not count the rows among those in memory"
    manager = ours._jsparkSession.sharedState().cacheManager()
    assert manager.isEmpty(), f"{HERE} looks in every plan for the rows that are held"
    freed(held)
    assert held_by_spark(ours) == before, f"{HERE} does not free them with clearCache"


@pytest.mark.parametrize("compiled", ["true", "false"])
def test_rows_in_memory_that_were_cut_off(spark: SparkSession, compiled: str) -> None:
    ours = separate_session(spark)
    ours.conf.set("spark.sql.codegen.wholeStage", compiled)
    before = held_by_spark(ours)
    cut = cut_off(ours.range(5).selectExpr("id", "uuid() AS u"))
    first = sorted(cut.collect())
    held = in_memory(cut)
    assert sorted(held.collect()) == first
    freed_with_origin(held)
    left = held_by_spark(ours)
    assert left == before, f"{HERE} holds on to what rows were made of that were cut off"


# analyzed_plan


@pytest.mark.parametrize(
    ("call", "operator", "deterministic"),
    [
        ("length('a')", "Project", True),
        ("pi()", "Project", True),
        ("rand()", "Project", False),
        ("uuid()", "Project", False),
        ("max(1)", "Aggregate", True),
        ("count_if(true)", "Aggregate", True),
    ],
)
def test_the_analyzed_plan(
    ours: SparkSession, call: str, operator: str, deterministic: bool
) -> None:
    found = analyzed_plan(ours.sql(f"SELECT {call} AS value"))
    assert found == (operator, deterministic), f"{HERE} plans {call} otherwise"


# spark_log


def test_the_log_of_a_streaming_query(spark: SparkSession, tmp_path: Path) -> None:
    session = separate_session(spark)
    session.conf.set("spark.sql.streaming.fileSource.log.compactInterval", "2")
    checkpoint, batches = tmp_path / "checkpoint", []
    log = SparkLog(str(checkpoint))
    for name in "ab":
        (tmp_path / name).mkdir()

    def put(name: str, file: str) -> str:
        path = tmp_path / name / file
        path.write_text("x\n")
        return str(path)

    def read() -> None:
        def source(name: str) -> DataFrame:
            return session.readStream.name(name).text(str(tmp_path / name))

        def note(batch: DataFrame, number: int) -> None:
            batches.append((number, batch.count()))

        writer = source("a").unionAll(source("b")).writeStream
        writer = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True)
        writer.foreachBatch(note).start().awaitTermination()

    def noted(source: str, batch: int) -> list[str]:
        found = log.of_batch(source, batch)
        for path, modified in found:
            wanted = os.stat(path).st_mtime_ns // 1_000_000
            assert modified == wanted, f"{HERE} notes other times of files"
        return sorted(path for path, _ in found)

    says = f"{HERE} writes other files into {checkpoint}"
    assert log.committed == -1
    one, two = put("a", "1 ä%.txt"), put("b", "2.txt")
    read()
    assert (noted("a", 0), noted("b", 0), log.committed) == ([one], [two], 0), says
    later = [put("a", f"{n}.txt") for n in (3, 4)]
    read()
    assert (noted("a", 1), noted("b", 1), log.committed) == (later, [], 1), says
    last = put("a", "5.txt")
    read()
    assert list((checkpoint / "sources" / "a").glob("*.compact")), says
    assert noted("a", 2) == [last], says
    known = [path for path, _ in log.up_to("a", 2, 10)]
    assert sorted(known) == sorted([one, *later, last]), says
    assert [path for path, _ in log.up_to("a", 2, 1)] == [last], says
    assert batches == [(0, 2), (1, 2), (2, 1)]

    assert log.committed == 2
    log.take_back(2)
    assert log.committed == 1
    batches.clear()
    read()
    assert batches == [(2, 1)], f"{HERE} does not run a batch again that is not in commits"
    assert log.committed == 2


# signals


def test_java_ignores_sigterm(spark: SparkSession) -> None:
    java: Any = spark.sparkContext._jvm.sun.misc  # type: ignore[union-attr]
    term, default = java.Signal("TERM"), java.SignalHandler.SIG_DFL
    before = java.Signal.handle(term, default)
    try:
        ignore_sigterm(spark)
        ignored = java.Signal.handle(term, default).equals(java.SignalHandler.SIG_IGN)
    finally:
        java.Signal.handle(term, before)
    assert ignored, f"the Java of {HERE} does not ignore SIGTERM"


# quiet


def test_what_pyspark_logs(ours: SparkSession) -> None:
    logged: list[str] = []

    class Noting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            logged.append(record.getMessage())

    logger, handler = PySparkLogger.getLogger("SQLQueryContextLogger"), Noting()
    logger.addHandler(handler)
    try:
        with suppress(PySparkException):
            ours.sql("SELECT no_such_column").collect()
        assert logged, f"{HERE} logs what it raises elsewhere, or not at all"
        logged.clear()
        with quiet(), suppress(PySparkException):
            ours.sql("SELECT no_such_column").collect()
        assert not logged
    finally:
        logger.removeHandler(handler)


def test_what_py4j_logs() -> None:
    before = py4j.clientserver.logger.level
    try:
        quiet_callbacks()
        level = py4j.clientserver.logger.level
    finally:
        py4j.clientserver.logger.setLevel(before)
    assert level == logging.CRITICAL, f"the py4j of {HERE} has another logger"


# java


def test_the_module_that_spark_asks_java_for(spark: SparkSession) -> None:
    launcher: Any = spark.sparkContext._jvm.org.apache.spark.launcher  # type: ignore[union-attr]
    options = str(launcher.JavaModuleOptions.defaultModuleOptions()).split()
    says = f"{HERE} no longer needs our launcher, or asks for other modules"
    modules = [option for option in options if option.startswith("--add-modules")]
    assert modules == ["--add-modules=jdk.incubator.vector"], says


# class_names


def test_the_class_that_writes_checkpoints(ours: SparkSession) -> None:
    jvm: Any = ours.sparkContext._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    assert loader.loadClass(RENAMING_CHECKPOINT_FILES).getName() == RENAMING_CHECKPOINT_FILES


def test_the_rule_that_is_left_out(ours: SparkSession) -> None:
    optimizer = ours._jsparkSession.sessionState().optimizer()
    batches = optimizer.defaultBatches()
    rules = [batches.apply(i).rules() for i in range(batches.size())]
    names = {seq.apply(i).ruleName() for seq in rules for i in range(seq.size())}
    assert SEMI_JOINS_MOVED_DOWN in names, f"{HERE} has no such rule"
    fixed = optimizer.nonExcludableRules()
    assert not fixed.contains(SEMI_JOINS_MOVED_DOWN), f"{HERE} does not let it be left out"


def test_settings_are_known(spark: SparkSession) -> None:
    """Spark takes any name for a setting, and says nothing of those that it does not know."""
    sources = Path(continua.__file__).parent.rglob("*.py")
    constants = (node for path in sources for node in ast.walk(ast.parse(path.read_text())))
    texts = {n.value for n in constants if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    settings = {text for text in texts if re.fullmatch(r"spark\.sql\.[\w.]+", text)}
    assert len(settings) > 20, "settings are no longer found by their names"
    # Of these, two are fixed when Spark starts, and one Spark reads without having it in its list.
    fixed = {"spark.sql.warehouse.dir", "spark.sql.ui.retainedExecutions"}
    conf: Any = spark.sparkContext._jvm.org.apache.spark.sql.internal.SQLConf  # type: ignore[union-attr]
    unlisted = {conf.STREAMING_CHECKPOINT_FILE_MANAGER_CLASS().parent().key()}
    usual = settings - fixed - unlisted
    unknown = {name for name in usual if not spark.conf.isModifiable(name)}
    assert not unknown, f"{HERE} does not know the settings {unknown}"
    for name in fixed:
        assert spark.conf.get(name) is not None, f"{HERE} does not know the setting {name}"


# error_conditions


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1 / id", Evaluation(Problem.DIVISION_BY_ZERO, "", "", None)),
        ("1 DIV id", Evaluation(Problem.DIVISION_BY_ZERO, "", "", None)),
        ("1 % id", Evaluation(Problem.DIVISION_BY_ZERO, "", "", None)),
        (
            "CAST(concat('a', id) AS INT)",
            Evaluation(Problem.NOT_OF_TYPE, "'a0'", "INT", "INT"),
        ),
        (
            "CAST(id + 1000 AS TINYINT)",
            Evaluation(Problem.DOES_NOT_FIT, "1000L", "TINYINT", "TINYINT"),
        ),
        (
            "CAST(id + 1234 AS DECIMAL(3, 1))",
            Evaluation(Problem.TOO_MANY_DIGITS, "1234", "DECIMAL(3,1)", None),
        ),
        ("id + 9223372036854775807 + 1", Evaluation(Problem.OUT_OF_RANGE, "", "", None)),
        (
            "CAST(id + 100 AS TINYINT) * CAST(id + 100 AS TINYINT)",
            Evaluation(Problem.OUT_OF_RANGE, "", "", None),
        ),
        ("make_date(2020, 13, id)", Evaluation(None, "", "", None)),
    ],
)
def test_what_is_wrong_with_a_value(
    ours: SparkSession, expression: str, expected: Evaluation
) -> None:
    error = of_spark(ours.range(1).selectExpr(expression).collect)
    assert evaluation(error) == expected, f"{HERE} says otherwise: {error}"


def test_the_part_of_a_query_that_failed(ours: SparkSession) -> None:
    error = of_spark(ours.sql("SELECT 7 AS a, (1 + 1 / id) AS b FROM range(1)").collect)
    assert fragments(error) == ["1 / id"], f"{HERE} marks another part of the query"


@pytest.mark.parametrize(
    ("call", "expected"), [("sqrt(1, 2)", "1"), ("substr('a')", "2, 3"), ("sqrt(array(1))", None)]
)
def test_numbers_of_arguments(ours: SparkSession, call: str, expected: str | None) -> None:
    error = of_spark(lambda: ours.sql(f"SELECT {call}"))
    assert expected_arguments(error) == expected, f"{HERE} says otherwise: {error}"


@pytest.mark.parametrize("way", ["read", "readStream"])
def test_what_cannot_be_loaded(ours: SparkSession, tmp_path: Path, way: str) -> None:
    def load(path: Path) -> Exception:
        return raised_by(lambda: getattr(ours, way).format("parquet").load(str(path)))

    nowhere = tmp_path / "no. where"
    error = load(nowhere)
    assert missing_path(error) == str(nowhere), f"{HERE} says otherwise: {error}"
    assert not is_without_columns(error)
    error = load(tmp_path)
    assert is_without_columns(error), f"{HERE} says otherwise: {error}"
    assert missing_path(error) is None
    error = raised_by(lambda: getattr(ours, way).format("no_such").load())
    assert isinstance(error, JAVA_RAISED), f"{HERE} has an error of its own for {error}"
    assert error_texts.tells_of_unknown_format(str(error)), f"{HERE} says otherwise: {error}"


# error_texts


def test_a_cancelled_query(ours: SparkSession) -> None:
    found: list[Exception] = []
    frame = ours.sql("SELECT sum(a.id * b.id) FROM range(10000000) a, range(10000000) b")
    query = threading.Thread(target=lambda: found.append(raised_by(frame.collect)))
    query.start()
    while query.is_alive():
        if ours.sparkContext.statusTracker().getActiveJobsIds():
            ours.sparkContext.cancelAllJobs()
        time.sleep(0.1)
    query.join()
    text = str(found[0])
    assert error_texts.tells_of_cancellation(text), f"{HERE} says otherwise: {text}"


@pytest.mark.parametrize(
    "expression", ["(" * 5_000 + "1" + ")" * 5_000, "1" + " + 1" * 20_000], ids=["deep", "long"]
)
def test_a_query_that_is_too_complex(ours: SparkSession, expression: str) -> None:
    text = str(raised_by(lambda: ours.sql(f"SELECT {expression}").collect()))
    assert error_texts.tells_of_complexity(text), f"{HERE} says otherwise: {text[:500]}"


def test_a_worker_that_ends(ours: SparkSession) -> None:
    ends = udf(lambda number: os._exit(7), "int")
    text = str(raised_by(ours.range(1).select(ends("id")).collect))
    assert error_texts.tells_of_ended_worker(text), f"{HERE} says otherwise: {text}"


def test_rows_that_are_lost(ours: SparkSession) -> None:
    cut = cut_off(ours.range(5).selectExpr("id", "uuid() AS u"))
    cut.collect()
    freed_with_origin(in_memory(cut))
    text = str(raised_by(cut.collect))
    assert error_texts.tells_of_lost_rows(text), f"{HERE} says otherwise: {text}"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_a_full_disk(ours: SparkSession) -> None:
    java: Any = ours.sparkContext._jvm.java.io  # type: ignore[union-attr]
    text = str(raised_by(lambda: java.FileOutputStream("/dev/full").write(1)))
    assert error_texts.tells_of_full_disk(text), f"{HERE} says otherwise: {text}"


def test_files_that_cannot_be_read(ours: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "damaged.parquet").write_text("damaged")
    damaged = ours.read.schema("a INT").parquet(str(tmp_path / "damaged.parquet"))
    (tmp_path / "gone.csv").write_text("1\n")
    gone = ours.read.schema("a INT").csv(str(tmp_path / "gone.csv"))
    (tmp_path / "gone.csv").unlink()
    for work in (damaged.collect, gone.collect, lambda: ours.read.csv(str(tmp_path / "no"))):
        text = str(raised_by(work))
        assert error_texts.tells_of_unreadable_file(text), f"{HERE} says otherwise: {text}"


def test_the_sentences_of_errors(ours: SparkSession) -> None:
    error = raised_by(ours.sql("SELECT 1 / id FROM range(1)").collect)
    assert error_texts.first_sentence(error) == "division by zero"
    assert error_texts.first_line(error).startswith("[DIVIDE_BY_ZERO] Division by zero.")
    error = raised_by(lambda: ours.sql("SELECT sqrt(array(1))"))
    assert error_texts.objection(error) == (
        'the first parameter requires the "DOUBLE" type,'
        ' however "array(1)" has the type "ARRAY<INT>"'
    )


def test_what_a_function_raises(ours: SparkSession) -> None:
    def fails(number):  # type: ignore[no-untyped-def]  # PySpark makes something else of types
        raise ValueError("no such item")

    error = raised_by(ours.range(1).select(udf(fails, "int")("id")).collect)
    assert isinstance(error, PythonException), f"{HERE} has another error for {error}"
    assert error_texts.last_line(error) == "ValueError: no such item"


def test_marks_that_a_query_raises(ours: SparkSession) -> None:
    error = raised_by(ours.sql("SELECT raise_error(concat('MARK:', id)) FROM range(1)").collect)
    assert "MARK:0" in str(error)


# java_errors


def test_what_java_raises(ours: SparkSession) -> None:
    error = raised_by(lambda: ours.read.format("no_such").load())
    assert isinstance(error, JAVA_RAISED)
    assert isinstance(error, JAVA_FAILED)
    said = said_by_java(error)
    assert said is not None
    assert error_texts.last_cause(said) == "java.lang.ClassNotFoundException: no_such.DefaultSource"
    assert error_texts.reason(error).startswith("org.apache.spark.SparkClassNotFoundException: ")


def test_a_java_that_is_gone() -> None:
    parameters = py4j.clientserver.JavaParameters(port=1, auto_close=False)
    python = py4j.clientserver.PythonParameters(port=0, daemonize=True)
    gone = py4j.clientserver.ClientServer(java_parameters=parameters, python_parameters=python)
    try:
        error = raised_by(lambda: gone.jvm.java.lang.System.currentTimeMillis())
    finally:
        gone.shutdown()
    assert isinstance(error, (JAVA_FAILED, ConnectionRefusedError)), f"{HERE} raises {error!r}"
    assert said_by_java(error) is None


def test_what_fails_beside_a_query_is_wrapped_by_java(engine: Engine) -> None:
    """A table that is sent to all tasks is computed in a thread of its own."""
    text = (
        "SELECT /*+ BROADCAST(b) */ a.id FROM range(3) a "
        "JOIN (SELECT IF(id > 1, raise_error('high'), id) AS id FROM range(3)) b ON a.id = b.id"
    )
    with pytest.raises(JAVA_RAISED) as caught:
        engine.spark.sql(text).toArrow()
    inside = raised_in_thread(caught.value)
    assert isinstance(inside, PySparkException)
    assert inside.getCondition() == "USER_RAISED_EXCEPTION"
