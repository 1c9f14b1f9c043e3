"""Aggregates of distinct values: distinct, then the aggregate (design §6)."""

from __future__ import annotations

from dataclasses import replace

from continua.logical.aggregate import Aggregate
from continua.logical.distinct import Distinct
from continua.logical.expr.nodes import ColumnRef
from continua.logical.map import Map
from continua.physical.extent import Extent


def over_distinct(node: Aggregate, extent: Extent) -> Aggregate | None:
    """The same aggregate over distinct tuples, if all its calls see the same distinct values.

    Then the values of a group are counted once each by distinct, which keeps of each value no more
    than its latest end, and the faster algorithms are free to follow. A tuple without a value
    stays one: it makes the group exist. Intervals that coincide are better left to Spark.
    """
    if extent.aligned or not any(call.distinct for call in node.calls):
        return None
    seen = {call.args for call in node.calls}
    once = (call.distinct or call.function.name in ("min", "max") for call in node.calls)
    if len(seen) > 1 or not all(once):
        return None
    (args,) = seen
    values = (*node.keys, *args)
    names = tuple(f"v{i}" for i in range(len(values)))
    refs = [
        ColumnRef(value.type, i, name)
        for i, (value, name) in enumerate(zip(values, names, strict=True))
    ]
    keys, columns = tuple(refs[: len(node.keys)]), tuple(refs[len(node.keys) :])
    return replace(
        node,
        input=Distinct(Map(node.input, names, values)),
        keys=keys,
        calls=tuple(replace(call, args=columns, distinct=False) for call in node.calls),
    )
