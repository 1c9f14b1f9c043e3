"""What the name of a table means in a plan: its rows, or what a log of changes makes of them.

A row is valid from its change until the next change of its key, as the last tuple of its partition
is: so it is `WINDOW(PARTITION BY key ROWS 1)` over the log, without those that have been deleted.
"""

from __future__ import annotations

from continua.errors import Span
from continua.logical.change_log import ChangeLog
from continua.logical.expr.nodes import ColumnRef
from continua.logical.filter import Filter
from continua.logical.map import Map
from continua.logical.node import Node
from continua.logical.row_window import RowWindow
from continua.logical.scan import Scan
from continua.model.catalog import Relation


def relation_plan(relation: Relation, with_time: bool = False, span: Span | None = None) -> Node:
    """A declared stream or table; with_time: with its time attributes as its last columns."""
    scan = Scan(relation, with_time, span=span)
    if relation.changes is None:
        return scan
    names = [name.lower() for name in scan.schema.names]
    key = tuple(names.index(name.lower()) for name in relation.primary_key)
    if relation.changes.operation is None:
        return RowWindow(scan, 1, None, key, span=span)
    operation = names.index(relation.changes.operation.lower())
    strict = relation.on_error == "FAIL"
    log = ChangeLog(scan, key, operation, relation.name, strict, span=span)
    columns = log.schema.columns
    refs = [ColumnRef(column.type, i, column.name) for i, column in enumerate(columns)]
    there = Filter(RowWindow(log, 1, None, key, span=span), refs[operation], span=span)
    shown = [ref for ref in refs if ref.index != operation]
    return Map(there, tuple(ref.name for ref in shown), tuple(shown), span=span)
