"""Runs a plan on DuckDB, a slab at a time: what operators compute, in milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import duckdb
import pyarrow as pa
from slabs import Computed

from continua.logical.expr.function import Function
from continua.physical.printing.duckdb_sql import MACROS, duckdb_sql
from continua.physical.relation import EMPTY, Rel, View
from continua.physical.script import Script


class DuckDB:
    """A database in memory, which knows what Spark knows."""

    def __init__(self) -> None:
        self._connection = duckdb.connect(config={"threads": 1})
        self._numbers = count()
        self._known: set[str] = set()
        # Rows are so few that it takes longer to look for a better plan.
        self._connection.execute("PRAGMA disable_optimizer")
        for macro in MACROS:
            self._connection.execute(macro)

    def view(self, columns: Sequence[str], table: pa.Table) -> View:
        name = f"view_{next(self._numbers)}"
        self._connection.register(name, table)
        return View("view", name, tuple(columns))

    def computed(self, script: Script, result: Rel, kept: Sequence[Rel]) -> Computed:
        for name, (function, _) in script.functions.items():
            if name not in self._known:
                self._known.add(name)
                self._register(name, function)
        rows = [] if result is EMPTY else self._connection.execute(duckdb_sql(result)).fetchall()
        return rows, [rel if rel is EMPTY else self._stored(rel) for rel in kept]

    def _stored(self, rel: Rel) -> View:
        name = f"view_{next(self._numbers)}"
        self._connection.execute(f"CREATE TEMP TABLE {name} AS {duckdb_sql(rel)}")
        return View("view", name, rel.columns)

    def _register(self, name: str, function: object) -> None:
        """The one function of ours that is written in Python: it folds numbers of rows."""
        assert isinstance(function, Function)
        apply = function.apply

        def fold(instants: list[int], counts: list[int], slide: int) -> list[int]:
            found = apply(None, instants, counts, slide)
            assert isinstance(found, list)
            return found

        numbers, sums = duckdb.list_type("BIGINT"), duckdb.list_type("HUGEINT")
        self._connection.create_function(name, fold, [numbers, sums, "BIGINT"], numbers)
