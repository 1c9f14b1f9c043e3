"""Continua, over history and live."""

from __future__ import annotations

import shutil
from pathlib import Path

from systems import STREAMS, kinds

from continua import Rows, Session, Sink
from continua.physical.spark import spark_session

STREAM = (
    "CREATE STREAM {kind} ({columns}, at TIMESTAMP) SOURCE {source}('{path}'{options}) "
    "ORDERED BY at"
)


class Nothing(Sink):
    """A sink that has all rows computed, and drops them."""

    def publish(self, slab: int, rows: Rows) -> None:
        rows.to_spark().write.format("noop").mode("overwrite").save()


class History:
    def __init__(self) -> None:
        self._spark = spark_session()

    def run(self, query: str, data: Path, format_: str, output: Path | None) -> None:
        _declare(Session(spark=self._spark), query, data, format_, output)


class Live:
    """A slab for every file of each stream."""

    def __init__(self) -> None:
        self._spark = spark_session()

    def run(self, query: str, data: Path, format_: str, output: Path | None) -> None:
        session = Session(spark=self._spark, live=True)
        _declare(session, query, data, format_, output)
        checkpoint = data / "continua-checkpoint"
        running = session.start(checkpoint, once=True, files_at_once=1)
        try:
            running.finish()
            running.stop()
        finally:
            shutil.rmtree(checkpoint, ignore_errors=True)


def _declare(session: Session, query: str, data: Path, format_: str, output: Path | None) -> None:
    options = ", header => FALSE" if format_ == "csv" else ""
    for kind in kinds(data):
        session.sql(
            STREAM.format(
                kind=kind,
                columns=STREAMS[kind],
                source=format_,
                path=data / kind,
                options=options,
            )
        )
    to = "nothing" if output is None else f"parquet OPTIONS (path '{output}')"
    session.sql(f"CREATE SINK k USING {to}; INSERT INTO k {query}")
