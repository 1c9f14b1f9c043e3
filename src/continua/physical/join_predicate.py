"""What a join can make of its predicate: keys to meet by, and the rest to test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from continua.logical.expr.failing import may_fail
from continua.logical.expr.nodes import TRUE, Call, Expression, call, columns_of, map_columns
from continua.logical.expr.operators import OPERATORS

EQUALITIES = ("=", "<=>")


@dataclass(frozen=True)
class Key:
    """`left = right` or `left <=> right`, each side over the columns of its own input."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class JoinPredicate:
    """A conjunction, split into keys and the conjuncts over `left ∘ right` that are none."""

    keys: tuple[Key, ...]
    rest: tuple[Expression, ...]

    @property
    def relational(self) -> bool:
        """Whether Spark evaluates the rest by itself: no outer join tests a Python function."""
        return not any(
            isinstance(part, Call) and part.function.python is not None
            for conjunct in self.rest
            for part in conjunct.walk()
        )


def split(predicate: Expression, width: int) -> JoinPredicate:
    """The parts of a predicate over a left tuple of this width, followed by a right one.

    The sides of a key are computed for every tuple, whether or not it meets another. So what may
    fail is a key only where there is no other.
    """
    parts = [part for part in conjuncts(predicate) if part != TRUE]
    found = {part: key for part in parts if (key := _key(part, width)) is not None}
    sure = {part: key for part, key in found.items() if not may_fail(part)}
    keys = sure or found
    return JoinPredicate(tuple(keys.values()), tuple(part for part in parts if part not in keys))


def conjuncts(predicate: Expression) -> Iterator[Expression]:
    """The conditions that AND connects."""
    if isinstance(predicate, Call) and predicate.function.name == "and":
        for part in predicate.args:
            yield from conjuncts(part)
    else:
        yield predicate


def _key(conjunct: Expression, width: int) -> Key | None:
    if not isinstance(conjunct, Call) or conjunct.function.name not in EQUALITIES:
        return None
    a, b = conjunct.args
    if of_right(a, width) and of_left(b, width):
        a, b = b, a
    if not (of_left(a, width) and of_right(b, width)):
        return None
    return Key(conjunct.function.name, a, over_right(b, width))


def of_left(expression: Expression, width: int) -> bool:
    """Whether it reads columns, and only such of the left side."""
    read = columns_of(expression)
    return bool(read) and max(read) < width


def of_right(expression: Expression, width: int) -> bool:
    read = columns_of(expression)
    return bool(read) and min(read) >= width


def over_right(expression: Expression, width: int) -> Expression:
    """An expression of the right side, over the columns of the right tuple alone."""
    return map_columns(expression, lambda c: replace(c, index=c.index - width))


def swapped(predicate: Expression, left: int, right: int) -> Expression:
    """The predicate over `right ∘ left`, the two being so many columns wide."""
    return map_columns(
        predicate,
        lambda c: replace(c, index=c.index + right if c.index < left else c.index - left),
    )


def alternatives(predicate: Expression, width: int) -> tuple[Expression, ...]:
    """Predicates of which a pair fulfils exactly one if it fulfils the given one, else none.

    NOT IN asks for pairs whose equality is not false. It is true, which is a key to meet by, or a
    value is NULL, and then the tuples with NULLs meet all others.
    """
    parts = list(conjuncts(predicate))
    for i, part in enumerate(parts):
        equal = _not_unequal(part)
        if equal is None or not _key(equal, width):
            continue
        a, b = equal.args
        a_null, b_null = (call(OPERATORS["is null"], side) for side in (a, b))
        a_known = call(OPERATORS["not"], a_null)
        cases: list[tuple[Expression, ...]] = [(equal,), (a_null,), (a_known, b_null)]
        rest = (*parts[:i], *parts[i + 1 :])
        return tuple(call(OPERATORS["and"], *case, *rest) for case in cases)
    return (predicate,)


def _not_unequal(part: Expression) -> Call | None:
    """`a = b` where the condition is NOT ((a = b) IS FALSE) or NOT ((a <> b) IS TRUE)."""
    for test, operator in (("is false", "="), ("is true", "<>")):
        inner: Expression = part
        for name in ("not", test):
            if not isinstance(inner, Call) or inner.function.name != name:
                break
            inner = inner.args[0]
        else:
            if isinstance(inner, Call) and inner.function.name == operator:
                return replace(inner, function=OPERATORS["="])
    return None
