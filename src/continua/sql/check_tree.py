"""Refuses what the binder does not look at.

sqlglot understands more SQL than this language has. Whatever part of a tree is not listed here
would be passed over in silence, and the query would mean something else than it says.
"""

from __future__ import annotations

import re

from sqlglot import exp

from continua.errors import ContinuaError, Source, Span
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
    exp.Filter: _OPERANDS,
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


# How users call what is refused, where sqlglot calls it otherwise; and a way out.
_CALLED: dict[type[exp.Expr], tuple[str, str | None]] = {
    exp.ILike: ("ILIKE", "LOWER(text) LIKE pattern"),
    exp.Escape: ("ESCAPE", "a backslash escapes: LIKE '10\\\\%'"),
    exp.WithinGroup: (
        "WITHIN GROUP",
        "MEDIAN does without; Session.udaf adds others",
    ),
    exp.Bracket: ("an element in brackets", "tuples carry no arrays and maps"),
    exp.Dot: ("a part after a dot", "tuples carry no structs"),
    exp.RawString: ("a raw string", "a backslash is written twice"),
    exp.HexString: ("a string of bytes", None),
    exp.Lambda: ("a function as an argument", None),
    exp.Placeholder: ("a parameter", "put the value into the text"),
    exp.Parameter: ("a parameter", "put the value into the text"),
    exp.BitwiseAnd: ("&", "Session.udf adds such a function"),
    exp.BitwiseOr: ("|", "Session.udf adds such a function"),
    exp.BitwiseXor: ("^", "POWER(a, b) raises to a power"),
    exp.BitwiseNot: ("~", "Session.udf adds such a function"),
    exp.AtTimeZone: ("AT TIME ZONE", "timestamps are UTC"),
    exp.Qualify: ("QUALIFY", "a window stands after a stream in FROM, and WHERE after it"),
}

_PARTS: dict[str, str] = {
    "cluster": "CLUSTER BY",
    "distribute": "DISTRIBUTE BY",
    "field": "IN without a list in brackets",
    "hint": "a hint for the optimizer",
    "laterals": "LATERAL VIEW",
    "pivots": "PIVOT",
    "sample": "TABLESAMPLE",
    "sort": "SORT BY",
}


def check_tree(tree: exp.Expr, source: Source) -> None:
    """Raises `UNSUPPORTED` at the first part of a query that has no meaning here."""
    for node in tree.walk(prune=lambda n: isinstance(n, exp.Window)):
        if isinstance(node, exp.Window):
            continue  # the binder knows what to use in place of OVER
        known = _KNOWN.get(type(node))
        if known is None:
            span = span_of(node, source)
            what, hint = _CALLED.get(type(node), (_named(node, span), None))
            raise unsupported(what, span, hint)
        for key, value in node.args.items():
            if value and key not in known:
                place = value if isinstance(value, exp.Expr) else node
                raise _part(node, key, span_of(place, source))


def _part(node: exp.Expr, key: str, span: Span | None) -> ContinuaError:
    if isinstance(node, exp.Order) and key == "this":
        hint = "a snapshot has no order, and aggregates do not need one"
        return unsupported("ORDER BY inside a function", span, hint)
    return unsupported(_PARTS.get(key) or f"{key.rstrip('_').replace('_', ' ').upper()} here", span)


def _named(node: exp.Expr, span: Span | None) -> str:
    """A part by the words its user wrote: IGNORE NULLS, or else a piece of the text."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(node).__name__).upper()
    if span is None or words in span.source.text.upper():
        return words
    return span.text if len(span.text) <= 40 else f"{span.text[:40]}…"
