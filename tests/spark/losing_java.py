"""Tests whose Java is killed. `test_lost_java` runs them."""

from __future__ import annotations

import os
import signal

import pytest
from pyspark.sql import SparkSession


def test_before(spark: SparkSession) -> None:
    assert spark.range(3).count() == 3


def test_that_loses_java(spark: SparkSession) -> None:
    java = spark.sparkContext._gateway.proc  # type: ignore[union-attr]
    os.kill(java.pid, signal.SIGKILL)
    java.wait()
    spark.range(3).count()


@pytest.mark.parametrize("number", range(20))
def test_after(spark: SparkSession, number: int) -> None:
    spark.range(number).count()
