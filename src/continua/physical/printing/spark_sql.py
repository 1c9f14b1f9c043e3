"""A graph of relations as one text for Spark.

Spark parses and analyses one text in a fraction of the time that building the same plan by
DataFrame calls takes, and nested queries at once where it analyses a chain of named ones a step at
a time.
"""

from __future__ import annotations

from collections.abc import Mapping

from continua.physical.printing.printer import Printer, Refer
from continua.physical.relation import Exploded, Join, Moved, Rel, Select, Union

_TOGETHER = "/*+ COALESCE(1) */ "


def spark_sql(rel: Rel, views: Mapping[Rel, str] | None = None) -> str:
    """The query of a relation; see `Printer.text`."""
    return _PRINTER.text(rel, views)


class _SparkPrinter(Printer):
    """Scalar expressions are in Spark's dialect already."""

    # Spark's parser and analyzer descend by recursion.
    deepest = 24

    def scalar(self, text: str) -> str:
        return text

    def order(self, text: str) -> str:
        return text

    def name(self, column: str) -> str:
        return column

    def select(self, rel: Select, refer: Refer) -> str:
        hint = _TOGETHER if rel.together else ""
        source = f"{refer(rel.input, 't')}{self.where(rel.where)}"
        return f"SELECT {hint}{self.listed(rel.outputs)} FROM {source}"

    def moved(self, rel: Moved, refer: Refer) -> str:
        return f"SELECT * FROM {refer(rel.input, 't')} DISTRIBUTE BY {', '.join(rel.by)}"

    def exploded(self, rel: Exploded, refer: Refer) -> str:
        rows = f"{refer(rel.input, 't')} LATERAL VIEW explode({rel.array}) AS {rel.each}"
        return f"SELECT {self.listed(rel.outputs)} FROM {rows}{self.where(rel.where)}"

    def union(self, rel: Union, refer: Refer) -> str:
        text = self.all_parts(rel, refer)
        if not rel.together:
            return text
        return f"SELECT {_TOGETHER}{self.listed([(c, c) for c in rel.columns])} FROM ({text})"

    def join(self, rel: Join, refer: Refer) -> str:
        hint = "/*+ SHUFFLE_HASH(r) */ " if rel.hashed else ""
        sides = f"{refer(rel.left, 'l')} {rel.kind} JOIN {refer(rel.right, 'r')}"
        condition = f" ON {rel.on}" if rel.on else ""
        return f"SELECT {hint}{self.listed(rel.outputs)} FROM {sides}{condition}"


_PRINTER = _SparkPrinter()
