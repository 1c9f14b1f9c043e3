"""`USING sqlite`: results as rows of a table in an SQLite database."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from continua import Option, Rows, Sink

TABLE = "CREATE TABLE IF NOT EXISTS results (query TEXT, slab INTEGER, row TEXT)"


class SqliteSink(Sink):
    OPTIONS = (Option.text("path", required=True), Option.number("timeout", default=5))
    DELIVERIES = ("INSERTS", "CHANGES")

    def open(self, after: int) -> None:
        asked = "SELECT COUNT(*) FROM results WHERE query = ? AND slab > ?"
        with self._database() as database:
            (later,) = database.execute(asked, (self.name, max(after, 0))).fetchone()
        if later:
            raise self.refused(f"{self.options['path']} has results of another run")

    def publish(self, slab: int, rows: Rows) -> None:
        objects = (dict(zip(rows.columns, row, strict=True)) for row in rows)
        found = [(self.name, slab, json.dumps(o, default=str)) for o in objects]
        with self._database() as database:
            # What the slab had published before makes room: twice is the same as once.
            asked = "DELETE FROM results WHERE query = ? AND slab = ?"
            database.execute(asked, (self.name, slab))
            database.executemany("INSERT INTO results VALUES (?, ?, ?)", found)

    def forget(self, after: int) -> None:
        with self._database() as database:
            asked = "DELETE FROM results WHERE query = ? AND slab > ?"
            database.execute(asked, (self.name, after))

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        """A transaction, on a connection of its own: several threads publish."""
        path, timeout = self.options["path"], self.options["timeout"]
        with closing(sqlite3.connect(path, timeout=timeout)) as database, database:
            database.execute(TABLE)
            yield database
