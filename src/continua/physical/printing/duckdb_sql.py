"""A graph of relations as one text for DuckDB, which computes small slabs in milliseconds.

Relations are printed from their structure. Scalar expressions are SQL of Spark's, which sqlglot
translates; what it does not know is defined by macros.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import sqlglot
from sqlglot import exp

from continua.physical.printing.printer import Printer, Refer
from continua.physical.relation import Exploded, Join, Moved, Rel, Select, Union

MACROS = (
    "CREATE MACRO pmod(a, b) AS ((a % b) + b) % b",
    "CREATE MACRO safe_add(a, b) AS TRY(a + b)",
    "CREATE MACRO safe_subtract(a, b) AS TRY(a - b)",
    "CREATE MACRO safe_multiply(a, b) AS TRY(a * b)",
    "CREATE MACRO timestamp_micros(t) AS make_timestamp(t)",
    "CREATE MACRO unix_micros(t) AS epoch_us(t)",
    "CREATE MACRO nanvl(a, b) AS CASE WHEN isnan(a) THEN b ELSE a END",
    "CREATE MACRO rint(x) AS round_even(x, 0)",
    "CREATE MACRO get(list, i) AS list[i + 1]",
    "CREATE MACRO raise_error(message) AS error(message)",
    "CREATE MACRO monotonically_increasing_id() AS 0",
)
"""Functions of Spark's that DuckDB lacks."""

_KINDS = {"LEFT SEMI": "SEMI", "LEFT ANTI": "ANTI"}


def duckdb_sql(rel: Rel, views: Mapping[Rel, str] | None = None) -> str:
    """The query of a relation, where the `MACROS` are known; see `Printer.text`."""
    return _PRINTER.text(rel, views)


class _DuckDBPrinter(Printer):
    deepest = 100

    def scalar(self, text: str) -> str:
        return _translated(text)

    def order(self, text: str) -> str:
        return _ordered(text)

    def name(self, column: str) -> str:
        return f'"{column}"'

    def select(self, rel: Select, refer: Refer) -> str:
        source = f"{refer(rel.input, 't')}{self.where(rel.where)}"
        return f"SELECT {self.listed(rel.outputs)} FROM {source}"

    def moved(self, rel: Moved, refer: Refer) -> str:
        return f"SELECT * FROM {refer(rel.input, 't')}"

    def exploded(self, rel: Exploded, refer: Refer) -> str:
        rows = (
            f"{refer(rel.input, 't')}, unnest({self.scalar(rel.array)}) AS u({self.name(rel.each)})"
        )
        return f"SELECT {self.listed(rel.outputs)} FROM {rows}{self.where(rel.where)}"

    def union(self, rel: Union, refer: Refer) -> str:
        return self.all_parts(rel, refer)

    def join(self, rel: Join, refer: Refer) -> str:
        kind = _KINDS.get(rel.kind, rel.kind)
        sides = f"{refer(rel.left, 'l')} {kind} JOIN {refer(rel.right, 'r')}"
        condition = f" ON {self.scalar(rel.on)}" if rel.on else ""
        return f"SELECT {self.listed(rel.outputs)} FROM {sides}{condition}"


_PRINTER = _DuckDBPrinter()


@lru_cache(maxsize=10_000)
def _translated(text: str) -> str:
    return _adjusted(sqlglot.parse_one(text, read="spark")).sql("duckdb")


@lru_cache(maxsize=1_000)
def _ordered(text: str) -> str:
    query = _adjusted(sqlglot.parse_one(f"SELECT 1 ORDER BY {text}", read="spark"))
    order = query.args["order"]
    return ", ".join(key.sql("duckdb") for key in order.expressions)


def _adjusted(tree: exp.Expr) -> exp.Expr:
    """The expression with what sqlglot leaves as it is, though the two mean other things by it."""
    return tree.transform(_meant, copy=False)


def _meant(node: exp.Expr) -> exp.Expr:
    parent = node.parent
    match node:
        case exp.Floor() if not isinstance(parent, exp.Cast):
            return exp.cast(node, "BIGINT")
        case _ if isinstance(parent, exp.GenerateSeries) and not isinstance(node, exp.Cast):
            # Sums of BIGINTs are wider in DuckDB, and no series is made of such.
            return exp.cast(node, "BIGINT")
        case _ if isinstance(parent, exp.Bracket) and node.arg_key == "expressions":
            # Lists begin with 1; sqlglot sees to it where the place is a number.
            return node if node.is_number or isinstance(node, exp.Add) else exp.paren(node) + 1
    return node
