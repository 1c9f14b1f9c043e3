"""Expressions that may fail, written so that Spark evaluates them for no more tuples than asked.

Spark moves conditions towards the data: a condition on one side of a join is tested before the
join, and so for tuples that have no partner. What cannot fail may move; what may is guarded.
"""

from __future__ import annotations

from collections.abc import Sequence

from continua.logical.expr.failing import may_fail
from continua.logical.expr.nodes import Expression
from continua.logical.filter import Filter
from continua.logical.fixed_window import FixedWindow
from continua.logical.granulated import Granulated
from continua.logical.map import Map
from continua.logical.node import Node
from continua.logical.range_window import RangeWindow
from continua.logical.scan import Scan
from continua.logical.union import Union
from continua.physical.builder import Builder
from continua.physical.expression import all_of, compile_expression
from continua.physical.instant import BEGINNING, greatest, instant
from continua.physical.join_predicate import conjuncts
from continua.physical.relation import typed
from continua.physical.validity import OF_L, OF_R

_KEEPING = (Scan, Filter, Map, Union, RangeWindow, FixedWindow, Granulated)
"""Operators whose conditions Spark tests in the order in which they are written."""

_NEVER = "monotonically_increasing_id() < 0"
"""False; Spark moves nothing past an expression that it does not take for a function of a row."""


def of_pairs(builder: Builder, parts: Sequence[Expression], columns: Sequence[str]) -> list[str]:
    """SQL: conditions on pairs `l`, `r` that are valid together, tested for no other tuples."""
    return [_of_pair(builder, part, columns) for part in parts]


def _of_pair(builder: Builder, part: Expression, columns: Sequence[str]) -> str:
    text = compile_expression(builder, part, columns)
    # No element ends at the beginning of time. Both ends are read, so it is no condition on a side,
    # and no key; the ends are not compared elsewhere, so Spark finds no other form of it.
    never = greatest(OF_L.end, OF_R.end).equals(instant(BEGINNING))
    return f"({never} OR {text})" if may_fail(part) else text


def condition(builder: Builder, predicate: Expression, columns: Sequence[str], below: Node) -> str:
    """SQL: a predicate, tested for the tuples that the plan below gives."""
    if _keeps(below):
        return compile_expression(builder, predicate, columns)
    texts = []
    for part in conjuncts(predicate):
        text = compile_expression(builder, part, columns)
        texts.append(f"({_NEVER} OR {text})" if may_fail(part) else text)
    return all_of(*texts)


def value(builder: Builder, output: Expression, columns: Sequence[str], below: Node) -> str:
    """SQL: an expression, computed for the tuples that the plan below gives."""
    text = compile_expression(builder, output, columns)
    if _keeps(below) or not may_fail(output):
        return text
    return typed(f"IF({_NEVER}, NULL, {text})", text.type)


def _keeps(below: Node) -> bool:
    """Whether nothing below leaves out tuples but by conditions that are tested first."""
    return all(isinstance(node, _KEEPING) for node in below.walk())
