"""Refuses what the binder does not look at.

sqlglot understands more SQL than this language has. Whatever part of a tree is not listed here
would be passed over in silence, and the query would mean something else than it says.
"""

from __future__ import annotations

from sqlglot import exp

from continua.errors import Source
from continua.sql.bind_expression import BINARY
from continua.sql.places import span_of, unsupported

_OPERANDS = {"this", "expression"}

# For every kind of node, its parts that the binder reads, or refuses with a hint of its own.
_KNOWN: dict[type[exp.Expr], set[str]] = {
    **dict.fromkeys(BINARY, _OPERANDS),
    exp.Like: {*_OPERANDS, "negate"},
    exp.RegexpLike: {*_OPERANDS, "negate"},
    exp.Alias: {"this", "alias"},
    exp.All: {"this"},
    exp.Anonymous: {"this", "expressions"},
    exp.Any: {"this"},
    exp.Between: {"this", "low", "high"},
    exp.Boolean: {"this"},
    exp.CTE: {"this", "alias"},
    exp.Case: {"this", "ifs", "default"},
    exp.Cast: {"this", "to", "_type"},
    exp.Column: {"this", "table"},
    exp.DPipe: {*_OPERANDS, "safe"},
    exp.DataType: {"this", "expressions", "nested", "kind", "values"},
    exp.DataTypeParam: {"this"},
    exp.Distinct: {"expressions", "on"},
    exp.Except: {*_OPERANDS, "distinct", "order", "limit", "offset", "with_", "by_name", "on"},
    exp.Exists: {"this"},
    exp.Extract: _OPERANDS,
    exp.Fetch: {"direction", "count", "limit_options"},
    exp.From: {"this"},
    exp.Group: {"expressions", "grouping_sets", "all"},
    exp.GroupingSets: {"expressions"},
    exp.Having: {"this"},
    exp.Identifier: {"this", "quoted"},
    exp.If: {"this", "true"},
    exp.In: {"this", "expressions", "query"},
    exp.Intersect: {*_OPERANDS, "distinct", "order", "limit", "offset", "with_", "by_name", "on"},
    exp.Interval: {"this", "unit"},
    exp.Is: _OPERANDS,
    exp.Join: {"this", "on", "using", "side", "kind", "method"},
    exp.Limit: {"expression"},
    exp.Literal: {"this", "is_string"},
    exp.Neg: {"this"},
    exp.Not: {"this"},
    exp.Null: set(),
    exp.NullSafeNEQ: _OPERANDS,
    exp.Offset: {"expression"},
    exp.Order: {"expressions"},
    exp.Ordered: {"this", "desc", "nulls_first"},
    exp.Paren: {"this"},
    exp.Select: {
        *("expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset"),
        *("distinct", "with_", "windows", "qualify"),
    },
    exp.Star: {"except_", "replace", "rename"},
    exp.Subquery: {"this", "alias", "joins", "order", "limit", "offset", "with_"},
    exp.Table: {"this", "alias", "joins", "db", "catalog"},
    exp.TableAlias: {"this", "columns"},
    exp.TryCast: {"this", "to", "safe", "_type"},
    exp.Tuple: {"expressions"},
    exp.Union: {*_OPERANDS, "distinct", "order", "limit", "offset", "with_", "by_name", "on"},
    exp.Values: {"expressions", "alias"},
    exp.Var: {"this"},
    exp.Where: {"this"},
    exp.With: {"expressions", "recursive"},
}


def check_tree(tree: exp.Expr, source: Source) -> None:
    """Raises `UNSUPPORTED` at the first part of a query that has no meaning here."""
    for node in tree.walk(prune=lambda n: isinstance(n, exp.Window)):
        if isinstance(node, exp.Window):
            continue  # the binder knows what to use in place of OVER
        known = _KNOWN.get(type(node))
        if known is None:
            raise unsupported("this part of the query", span_of(node, source))
        for key, value in node.args.items():
            if value and key not in known:
                place = value if isinstance(value, exp.Expr) else node
                what = key.rstrip("_").replace("_", " ").upper()
                raise unsupported(f"{what} here", span_of(place, source))
