"""NEXMark's queries, the events they run over as files, and their streams.

A query is a file in `bench/queries`: those of the extended suite are in `nexmark`, the six of TODS
2009, §3 in `tods`. It begins with what it asks, in a comment; there it also says what it differs in
from the suite's own text. In `expected` beside it the same question is answered by DuckDB, at once
over all events: the rows with their `at`, or with their `valid_from` and `valid_to`. There the time
of an event is called `ts`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nexmark import KINDS, Nexmark
from pyspark.sql import SparkSession

from continua import Query, Session

FOLDER = Path(__file__).parent / "queries"

STREAMS = {
    "person": "id BIGINT, name STRING, email STRING, card STRING, city STRING, state STRING",
    "auction": "id BIGINT, item STRING, initial_bid BIGINT, reserve BIGINT, expires TIMESTAMP, "
    "seller BIGINT, category BIGINT",
    "bid": "auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING",
}
STREAM = (
    "CREATE STREAM {name} ({columns}, at TIMESTAMP) SOURCE parquet('{folder}/{kind}') ORDERED BY at"
)
SIDE_INPUT = (
    "CREATE TABLE side_input (key BIGINT, value STRING) SOURCE parquet('{folder}/side_input')"
)


@dataclass(frozen=True)
class Asked:
    """A query by its name, as `nexmark/q05`."""

    name: str

    @property
    def text(self) -> str:
        return (FOLDER / f"{self.name}.sql").read_text(encoding="utf-8")

    @property
    def expected(self) -> str:
        path = FOLDER / f"{self.name}.sql"
        return (path.parent / "expected" / path.name).read_text(encoding="utf-8")

    def over(self, session: Session, folder: Path) -> Query:
        """The query in a new session, over the events in a folder."""
        paper = self.name.startswith("tods/")
        for kind, columns in STREAMS.items():
            name = f"all_{kind}" if paper else kind
            session.sql(STREAM.format(name=name, kind=kind, columns=columns, folder=folder))
        if paper:
            session.udf("DolToEuro", lambda dollars: dollars * 0.875, "DOUBLE")
            session.sql((FOLDER / "tods" / "streams.sql").read_text(encoding="utf-8"))
        else:
            session.sql(SIDE_INPUT.format(folder=folder))
        return session.query(self.text)


ALL = [
    Asked(f"{folder}/{path.stem}")
    for folder in ("nexmark", "tods")
    for path in sorted((FOLDER / folder).glob("q*.sql"))
]


def store(
    spark: SparkSession,
    folder: Path,
    events: Nexmark,
    parts: int = 4,
    keys: range = range(10_000),
) -> None:
    """Writes the events, and the table that q13 looks up by these keys, as Parquet files."""
    for kind in KINDS:
        events.rows(spark, kind, parts).write.parquet(str(folder / kind))
    table = spark.range(keys.start, keys.stop, 1, 1).selectExpr(
        "id AS key", "concat('value ', id * 7 % 10000) AS value"
    )
    table.write.parquet(str(folder / "side_input"))
