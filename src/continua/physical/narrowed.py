"""Columns that nobody looks at are left out below windows, which keep their tuples for long.

Within one query Spark leaves them out by itself; of what is kept from slab to slab it cannot know.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from continua.logical.aggregate import Aggregate
from continua.logical.anti_join import AntiJoin
from continua.logical.expr.nodes import ColumnRef, Expression, columns_of, map_columns
from continua.logical.filter import Filter
from continua.logical.fixed_window import FixedWindow
from continua.logical.hop_window import HopWindow
from continua.logical.map import Map
from continua.logical.node import Node
from continua.logical.range_window import RangeWindow
from continua.logical.row_window import RowWindow
from continua.logical.scan import Scan
from continua.logical.semi_join import SemiJoin
from continua.logical.session_window import SessionWindow
from continua.logical.window import CopyingWindow

Places = dict[int, int]
"""Where columns are that were at other places."""


def narrowed(node: Node) -> Node:
    """The same stream, made of tuples that have only the columns which the node looks at.

    Of joins that give both sides it depends on what is above them: queries that share such a join
    would no longer do so.
    """
    match node:
        case Aggregate():
            asked = [*node.keys, *(arg for call in node.calls for arg in call.args)]
            below, places = _only(node.input, {i for e in asked for i in columns_of(e)})
            calls = tuple(
                replace(call, args=tuple(_moved(arg, places) for arg in call.args))
                for call in node.calls
            )
            keys = tuple(_moved(key, places) for key in node.keys)
            return replace(node, input=below, keys=keys, calls=calls)
        case SemiJoin() | AntiJoin():
            width = len(node.left.schema)
            asked_right = {i - width for i in columns_of(node.predicate) if i >= width}
            right, places = _only(node.right, asked_right)
            places = {**_same(node.left), **{width + i: width + j for i, j in places.items()}}
            return replace(node, right=right, predicate=_moved(node.predicate, places))
    return node


def _only(node: Node, asked: Set[int]) -> tuple[Node, Places]:
    """The stream without columns that are not asked for, and where the others are then."""
    match node:
        case Filter():
            below, places = _only(node.input, asked | columns_of(node.predicate))
            return replace(node, input=below, predicate=_moved(node.predicate, places)), places
        case RangeWindow() | FixedWindow():
            below, places = _only(node.input, asked)
            return replace(node, input=below), places
        case RowWindow():
            below, places = _only(node.input, asked | set(node.partition))
            partition = tuple(places[i] for i in node.partition)
            return replace(node, input=below, partition=partition), places
        case SessionWindow():
            below, places = _without_bounds(node, asked | set(node.key))
            return replace(node, input=below, key=tuple(places[i] for i in node.key)), places
        case HopWindow():
            below, places = _without_bounds(node, asked)
            return replace(node, input=below), places
        case Scan() if len(asked) < len(node.schema):
            # A tuple has a column at least.
            kept = sorted(asked) or [0]
            columns = [node.schema.columns[i] for i in kept]
            refs = tuple(ColumnRef(c.type, i, c.name) for i, c in zip(kept, columns, strict=True))
            names = tuple(column.name for column in columns)
            return Map(node, names, refs), {i: place for place, i in enumerate(kept)}
    return node, _same(node)


def _without_bounds(node: CopyingWindow, asked: Set[int]) -> tuple[Node, Places]:
    """What a window stands on, which adds its bounds to the columns."""
    width = len(node.input.schema)
    below, places = _only(node.input, {i for i in asked if i < width})
    bounds = range(width, len(node.schema))
    return below, {**places, **{i: len(below.schema) + i - width for i in bounds}}


def _same(node: Node) -> Places:
    return {i: i for i in range(len(node.schema))}


def _moved(expression: Expression, places: Places) -> Expression:
    return map_columns(expression, lambda column: replace(column, index=places[column.index]))
