"""The Spark session: the active one, or one set up for this process."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from pyspark.sql import SparkSession

from continua.physical.spark_internals.class_names import RENAMING_CHECKPOINT_FILES
from continua.physical.spark_internals.java import garbage_collector, java_home

FINER = 8
"""Parts of a shuffle for each that is read."""
LONG_METHODS = "-XX:-DontCompileHugeMethods"
"""Java compiles the methods that Spark makes of long expressions, which else are interpreted."""
SLABS_ARE_SHORT = (
    "-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000 "
    "-XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000"
)
"""Ten times Java's own: code that Spark makes for a slab is seldom run long enough to be worth the
best compiler, which in live runs took a third of all time."""


def spark_session() -> SparkSession:
    """The active Spark session, or a new local one: quiet, in UTC, few shuffle partitions."""
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    os.environ["JAVA_HOME"] = str(java_home())
    # Without this, workers run whatever Python comes first on the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # An address of its own: looking the host up by name takes time and prints a warning.
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    quiet = Path(__file__).with_name("log4j2.properties").as_uri()
    options = f"-Dlog4j2.configurationFile={quiet} {garbage_collector()} "
    options += f"{LONG_METHODS} {SLABS_ARE_SHORT}"
    cores = os.cpu_count() or 1
    builder = (
        SparkSession.builder.master(f"local[{cores}]")
        .appName("continua")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", str(cores))
        # Small parts, of which Spark then puts some together: an even share for every core.
        .config("spark.sql.adaptive.coalescePartitions.initialPartitionNum", str(FINER * cores))
        .config("spark.driver.memory", f"{_memory()}m")
        # We make no tables of Spark's, but it makes a folder for them: not in the current one.
        .config("spark.sql.warehouse.dir", _warehouse().as_uri())
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        # Spark remembers the plans of a thousand queries, for pages that nobody looks at.
        .config("spark.sql.ui.retainedExecutions", "20")
        .config("spark.ui.retainedJobs", "50")
        .config("spark.ui.retainedStages", "50")
        .config("spark.driver.extraJavaOptions", options)
    )
    with _interrupted_later():
        return builder.getOrCreate()


@contextmanager
def _interrupted_later() -> Iterator[None]:
    """Delays Ctrl-C until Java has started: if nobody waited for it, it would never end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        asked.append(number)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        # Spark may have put its own in the place of ours.
        if signal.getsignal(signal.SIGINT) is note:
            signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


def _warehouse() -> Path:
    return Path(tempfile.gettempdir()).absolute() / f"continua-{os.getuid()}" / "warehouse"


def _memory() -> int:
    """Megabytes for Spark: a quarter of the machine's, as Java takes itself; Spark takes one GB."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1024, physical // 4 // 2**20)


def separate_session(spark: SparkSession) -> SparkSession:
    """A session of our own in the same Spark application.

    Its settings, views and functions are apart from those of the session given, which stays as
    it is; results do not depend on how that one is set up.
    """
    ours = spark.newSession()
    ours.conf.set("spark.sql.session.timeZone", "UTC")
    ours.conf.set("spark.sql.ansi.enabled", "true")
    # Spark 4.3 takes a union to be partitioned as its parts are, also where a shuffle that is used
    # twice has made them so and it does not put them together: windows then see a part of the rows.
    ours.conf.set("spark.sql.unionOutputPartitioning", "false")
    # Text in a query is the user's data: `${name}` in it is not ours to replace.
    ours.conf.set("spark.sql.variable.substitute", "false")
    ours.conf.set("spark.sql.execution.arrow.pyspark.enabled", "true")
    # Sources with names, or none could ever be added to a checkpoint.
    ours.conf.set("spark.sql.streaming.queryEvolution.enableSourceEvolution", "true")
    # A stream of files has the columns of the files that are there already.
    ours.conf.set("spark.sql.streaming.schemaInference", "true")
    # Spark lists many paths by a job, which would have a task for each of them.
    parallel = spark.sparkContext.defaultParallelism
    ours.conf.set("spark.sql.sources.parallelPartitionDiscovery.parallelism", str(parallel))
    # Checkpoints lie in a file system that renames atomically; Hadoop's other way to do so starts
    # a process for every look at a file.
    ours.conf.set("spark.sql.streaming.checkpointFileManagerClass", RENAMING_CHECKPOINT_FILES)
    # Spark would list all files that it has ever read in every tenth batch anew, and keep ten of
    # those lists.
    ours.conf.set("spark.sql.streaming.minBatchesToRetain", "20")
    ours.conf.set("spark.sql.streaming.fileSource.log.compactInterval", "100")
    ours.conf.set("spark.sql.streaming.fileSource.log.cleanupDelay", "0")
    # A long query needs more steps than Spark's own limit of a hundred.
    ours.conf.set("spark.sql.analyzer.maxIterations", "1000")
    ours.conf.set("spark.sql.optimizer.maxIterations", "1000")
    return ours
