"""Top-k (an algebraic aggregate in TODS §7.5.2): the first k rows of every snapshot in an order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from continua.logical.expr.nodes import Expression
from continua.logical.node import Context, Unary
from continua.model.element import Multiset, Tuple, Values, identity_order
from continua.model.timeline import Timeline, pointwise
from continua.model.values import order_key


@dataclass(frozen=True)
class SortKey:
    """An expression of ORDER BY; by default NULLs stand as in Spark: first ascending, else last."""

    expression: Expression
    descending: bool = False
    nulls_first: bool = True

    def __str__(self) -> str:
        return f"{self.expression}{' DESC' if self.descending else ''}"


class _Descending:
    """Reverses the order of what it wraps."""

    def __init__(self, key: tuple[object, ...]) -> None:
        self.key = key

    def __lt__(self, other: _Descending) -> bool:
        return other.key < self.key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Descending) and self.key == other.key

    __hash__ = None  # type: ignore[assignment]


def sort_order(keys: Sequence[SortKey], row: Values) -> tuple[object, ...]:
    """The position of a row in an order; ties are broken by the row itself."""
    parts: list[object] = []
    for key in keys:
        value = key.expression.evaluate(row)
        parts.append((value is None) != key.nulls_first)
        if value is not None:
            parts.append(_Descending(order_key(value)) if key.descending else order_key(value))
    return (*parts, tuple(order_key(value) for value in row))


@dataclass(frozen=True)
class TopK(Unary):
    """ORDER BY … LIMIT k, per snapshot."""

    keys: tuple[SortKey, ...]
    k: int

    @property
    def label(self) -> str:
        return f"top {self.k} by {', '.join(map(str, self.keys))}"

    def meaning(self, inputs: Sequence[Timeline], context: Context) -> Timeline:
        def position(e: Tuple) -> tuple[object, ...]:
            return (*sort_order(self.keys, e.values), identity_order(e.identity))

        def at_instant(s: Multiset) -> Multiset:
            result, left = {}, self.k
            for e in sorted(s, key=position):
                if left == 0:
                    break
                result[e] = min(left, s[e])
                left -= result[e]
            return result

        return pointwise(at_instant, inputs[0])
