"""Signals that the system sends to the Java of Spark.

Relies on `sun.misc.Signal` of the Java that runs the driver, reached by the gateway of PySpark:
Spark has no setting for signals. A Java that is started while SIGTERM is ignored would ignore it
too, but then we could not be stopped while it starts. Tried with Spark 4.3 on Java 21.
"""

from __future__ import annotations

from pyspark.sql import SparkSession


def ignore_sigterm(spark: SparkSession) -> None:
    """Makes Java ignore SIGTERM; it ends when we do. PySpark makes it ignore SIGINT already."""
    java = spark.sparkContext._jvm.sun.misc  # type: ignore[union-attr]
    java.Signal.handle(java.Signal("TERM"), java.SignalHandler.SIG_IGN)
