"""Band joins: two values that differ by no more than so much (Dittrich et al. 2002, TODS §7.3.2).

The values fall into buckets as wide as the band, and tuples meet in a bucket of values as they
meet in one of time. Each left tuple is in one bucket, so no pair is found twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from continua.logical.expr.failing import may_fail
from continua.logical.expr.nodes import Call, Cast, Expression, Literal
from continua.model.types import TIMESTAMP
from continua.physical.builder import Builder
from continua.physical.expression import compile_expression
from continua.physical.join_predicate import of_left, of_right, over_right

Sum = tuple[tuple[int, Expression], ...]
"""Expressions of integral or TIMESTAMP type, each added (1) or subtracted (-1)."""

_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Band:
    """low ≤ left - right ≤ high, each side over the columns of its own input."""

    left: Sum
    right: Sum
    low: int
    high: int

    @property
    def width(self) -> int:
        return max(self.high - self.low, 2)

    def of_left(self, builder: Builder, columns: Sequence[str]) -> str:
        """SQL: the bucket of a left tuple."""
        return self._bucket(_value(builder, self.left, columns))

    def of_right(self, builder: Builder, columns: Sequence[str]) -> str:
        """SQL: the buckets in which left tuples can lie that fit a right one."""
        bucket = self._bucket(_value(builder, self.right, columns))
        first, last = self.low // self.width, self.high // self.width + 1
        return f"sequence({bucket} + ({first}L), {bucket} + ({last}L))"

    def _bucket(self, value: str) -> str:
        # The bounds of the band are added to the bucket, not to the value, which may be any BIGINT.
        return f"({value} div {self.width}L - IF({value} % {self.width}L < 0, 1L, 0L))"


def band_of(rest: Sequence[Expression], width: int) -> Band | None:
    """The narrowest band that inequalities among the conjuncts set."""
    lows: dict[tuple[Sum, Sum], list[int]] = defaultdict(list)
    highs: dict[tuple[Sum, Sum], list[int]] = defaultdict(list)
    for conjunct in rest:
        found = _bound(conjunct, width)
        if found is not None:
            left, right, operator, bound = found
            (highs if operator in ("<", "<=") else lows)[left, right].append(bound)
    bands = [Band(*pair, max(lows[pair]), min(highs[pair])) for pair in lows if pair in highs]
    possible = [band for band in bands if band.low <= band.high]
    return min(possible, key=lambda band: band.width, default=None)


def _bound(conjunct: Expression, width: int) -> tuple[Sum, Sum, str, int] | None:
    """`left - right operator bound`, where a comparison can be written so."""
    if not isinstance(conjunct, Call) or conjunct.function.name not in _FLIPPED:
        return None
    operator = conjunct.function.name
    a, b = (_terms(side) for side in conjunct.args)
    if a is None or b is None:
        return None
    # left side - right side of the comparison: everything against 0.
    constant = a[1] - b[1]
    terms = [*a[0], *((-sign, atom) for sign, atom in b[0])]
    if any(may_fail(atom) for _, atom in terms):
        return None
    left = [(sign, atom) for sign, atom in terms if of_left(atom, width)]
    right = [(-sign, over_right(atom, width)) for sign, atom in terms if of_right(atom, width)]
    if not left or not right or len(left) + len(right) < len(terms):
        return None
    if left[0][0] < 0:
        operator, constant = _FLIPPED[operator], -constant
        left = [(-sign, atom) for sign, atom in left]
        right = [(-sign, atom) for sign, atom in right]
    if not (_fits(left) and _fits(right)):
        return None
    return tuple(left), tuple(right), operator, -constant


def _fits(terms: Sequence[tuple[int, Expression]]) -> bool:
    """Whether the sum is a BIGINT for all tuples."""
    return [sign for sign, _ in terms] == [1] or all(
        atom.type.bits < 64 for _, atom in terms if atom.type.integral
    )


def _terms(expression: Expression) -> tuple[list[tuple[int, Expression]], int] | None:
    """An expression as a sum of others and a constant; None if it is not of such a type."""
    if isinstance(expression, Cast) and expression.operand.type.integral:
        # A whole number stays the same in another integral type, or fails to become one.
        return _terms(expression.operand) if expression.type.integral else None
    if isinstance(expression, Literal):
        if isinstance(expression.value, timedelta):
            return [], expression.value // timedelta(microseconds=1)
        known = isinstance(expression.value, int) and expression.type.integral
        return ([], int(str(expression.value))) if known else None
    if isinstance(expression, Call) and expression.function.name in ("+", "-", "neg"):
        parts = [_terms(arg) for arg in expression.args]
        signs = {"+": (1, 1), "-": (1, -1), "neg": (-1,)}[expression.function.name]
        terms: list[tuple[int, Expression]] = []
        constant = 0
        for sign, part in zip(signs, parts, strict=True):
            if part is None:
                return None
            terms += [(sign * s, atom) for s, atom in part[0]]
            constant += sign * part[1]
        return terms, constant
    if expression.type.integral or expression.type == TIMESTAMP:
        return [(1, expression)], 0
    return None


def _value(builder: Builder, terms: Sum, columns: Sequence[str]) -> str:
    texts = []
    for sign, atom in terms:
        text = compile_expression(builder, atom, columns)
        whole = f"unix_micros({text})" if atom.type == TIMESTAMP else f"CAST({text} AS BIGINT)"
        texts.append(whole if sign > 0 else f"-{whole}")
    return texts[0] if len(texts) == 1 else f"({' + '.join(texts)})"
