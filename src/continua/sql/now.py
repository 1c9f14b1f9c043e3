"""NOW() in the text: where it stands, and what is compared with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from sqlglot import exp

from continua.sql.bind_expression import NOW
from continua.sql.catalog import Catalog


class Compared(NamedTuple):
    """`value θ NOW() ± shifts`; without NOW() on its right, a comparison like any other.

    node: what it is a part of.
    """

    node: exp.Expr
    value: exp.Expr
    comparison: str
    right: exp.Expr
    shifts: list[tuple[int, exp.Expr]] | None


_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}
_COMPARISONS: Final[dict[type[exp.Expr], str]] = {
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.EQ: "=",
}


def is_now(catalog: Catalog, node: exp.Expr) -> bool:
    """Whether it is the function, and none that a user has registered by its name."""
    named = isinstance(node, exp.Anonymous) and str(node.this).upper() in NOW
    return named and catalog.function(str(node.this)) is None


def has_now(catalog: Catalog, node: exp.Expr) -> bool:
    """Whether NOW() stands in it; not in a query inside it."""
    if isinstance(node, exp.Query):
        return False
    return is_now(catalog, node) or any(has_now(catalog, n) for n in node.iter_expressions())


def now_last(catalog: Catalog, conjuncts: Iterable[exp.Expr]) -> list[exp.Expr]:
    """Conditions of which those with NOW() come last: on the joins that the others make, and
    comparisons with it first, which say what is valid for how long."""

    def rank(node: exp.Expr) -> int:
        return has_now(catalog, node) * (1 if comparisons(catalog, node) else 2)

    return sorted(conjuncts, key=rank)


def comparisons(catalog: Catalog, node: exp.Expr) -> list[Compared]:
    """The comparisons that a condition consists of, if all it has of NOW() is compared."""
    node = _bare(node)
    if not has_now(catalog, node):
        return []
    pairs: list[tuple[exp.Expr, str, exp.Expr]] = []
    if isinstance(node, exp.Between):
        low, high = node.args["low"], node.args["high"]
        pairs = [(node.this, ">=", low), (node.this, "<=", high)]
    elif type(node) in _COMPARISONS:
        pairs = [(node.this, _COMPARISONS[type(node)], node.expression)]
    found = []
    for left, comparison, right in pairs:
        if has_now(catalog, left):
            left, comparison, right = right, _MIRRORED[comparison], left
        shifts = _shifts(catalog, right)
        if has_now(catalog, left) or (shifts is None and has_now(catalog, right)):
            return []
        found.append(Compared(node, left, comparison, right, shifts))
    return found


def _shifts(catalog: Catalog, node: exp.Expr) -> list[tuple[int, exp.Expr]] | None:
    """What is added to NOW() (1) and taken from it (-1)."""
    node = _bare(node)
    if is_now(catalog, node) and not node.expressions:
        return []
    if not isinstance(node, exp.Add | exp.Sub):
        return None
    with_now, other, sign = node.this, node.expression, -1 if isinstance(node, exp.Sub) else 1
    if isinstance(node, exp.Add) and has_now(catalog, other):
        with_now, other = other, with_now
    if has_now(catalog, other):
        return None
    before = _shifts(catalog, with_now)
    return None if before is None else [*before, (sign, other)]


def _bare(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren):
        node = node.this
    return node
