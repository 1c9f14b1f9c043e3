"""The Spark session: the active one, or one set up for this process."""

from __future__ import annotations

import os
import sys

from pyspark.sql import SparkSession

from continua.physical.java import java_home


def spark_session() -> SparkSession:
    """The active Spark session, or a new local one: quiet, in UTC, few shuffle partitions."""
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    os.environ["JAVA_HOME"] = str(java_home())
    # Without this, workers run whatever Python comes first on the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    cores = os.cpu_count() or 1
    session = (
        SparkSession.builder.master(f"local[{cores}]")
        .appName("continua")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", str(cores))
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    return session
