"""What the live tests share."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from continua import Session


@pytest.fixture(scope="session")
def live(spark: SparkSession) -> Callable[[], Session]:
    """Makes live sessions."""
    return lambda: Session(spark=spark, live=True)
