"""What all tests share: one Spark session for the whole run."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    from continua.physical.spark import spark_session

    session = spark_session()
    yield session
    session.stop()
