"""Runs a plan on DuckDB, a slab at a time: what operators compute, in milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import duckdb
import pyarrow as pa
from slabs import Computed

from continua.logical.expr.function import Function
from continua.physical.builder import Builder
from continua.physical.printing.duckdb_sql import MACROS, duckdb_sql
from continua.physical.relation import EMPTY, Rel, View


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

    def computed(self, builder: Builder, result: Rel, kept: Sequence[Rel]) -> Computed:
        for name, (function, _) in builder.functions.items():
            if name not in self._known:
                self._known.add(name)
                self._register(name, function)
        # One table for all, as in a live run: what several relations use is computed once.
        rels = [rel for rel in dict.fromkeys((result, *kept)) if rel is not EMPTY]
        if not rels:
            return [], list(kept)
        name = f"slab_{next(self._numbers)}"
        tagged = builder.union("tagged", *(_part(builder, rels, rel) for rel in rels))
        self._connection.execute(f"CREATE TEMP TABLE {name} AS {duckdb_sql(tagged)}")
        places = {rel: self._read(name, rel, i) for i, rel in enumerate(rels)}
        found = places.get(result, EMPTY)
        rows = [] if found is EMPTY else self._connection.execute(duckdb_sql(found)).fetchall()
        return rows, [places.get(rel, EMPTY) for rel in kept]

    def _read(self, name: str, rel: Rel, i: int) -> Rel:
        outputs = [(str(column), f"r{i}.{column}") for column in rel.columns]
        return Builder().select("held", View("slab", name, ("tag", f"r{i}")), outputs, f"tag = {i}")

    def _register(self, name: str, function: object) -> None:
        """The one function of ours that is written in Python: it folds numbers of rows."""
        assert isinstance(function, Function)
        apply = function.apply

        def fold(counts: list[int], slide: int) -> list[int]:
            found = apply(None, counts, slide)
            assert isinstance(found, list)
            return found

        sums, places = duckdb.list_type("HUGEINT"), duckdb.list_type("INTEGER")
        self._connection.create_function(name, fold, [sums, "BIGINT"], places)


def _part(builder: Builder, rels: Sequence[Rel], rel: Rel) -> Rel:
    """The rows of one of several relations, in a column of its own."""
    cells = [
        (f"r{i}", f"struct({', '.join(other.columns) or 'TRUE'})" if other is rel else "NULL")
        for i, other in enumerate(rels)
    ]
    return builder.select("part", rel, [("tag", str(rels.index(rel))), *cells])
