"""What a join can make of its predicate: keys to meet by, and the rest to test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from continua.logical.expr.nodes import TRUE, Call, Expression, columns_of, map_columns

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
    """The parts of a predicate over a left tuple of this width, followed by a right one."""
    keys, rest = [], []
    for conjunct in conjuncts(predicate):
        key = _key(conjunct, width)
        if key is not None:
            keys.append(key)
        elif conjunct != TRUE:
            rest.append(conjunct)
    return JoinPredicate(tuple(keys), tuple(rest))


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
    return Key(conjunct.function.name, a, own(b, width))


def of_left(expression: Expression, width: int) -> bool:
    """Whether it reads columns, and only such of the left side."""
    read = columns_of(expression)
    return bool(read) and max(read) < width


def of_right(expression: Expression, width: int) -> bool:
    read = columns_of(expression)
    return bool(read) and min(read) >= width


def own(expression: Expression, width: int) -> Expression:
    """An expression of the right side over the right tuple alone."""
    return map_columns(expression, lambda c: replace(c, index=c.index - width))


def swapped(predicate: Expression, left: int, right: int) -> Expression:
    """The predicate over `right ∘ left`, the two being so many columns wide."""
    return map_columns(
        predicate,
        lambda c: replace(c, index=c.index + right if c.index < left else c.index - left),
    )
