"""Which algorithm aggregates: by the functions, and by how long the elements last."""

from __future__ import annotations

from continua.logical.aggregate import Aggregate
from continua.physical.aggregate.aggregation import Aggregation
from continua.physical.aggregate.aligned import AlignedAggregate
from continua.physical.aggregate.blocks import BlockAggregate
from continua.physical.aggregate.calls import decompose
from continua.physical.aggregate.endless import EndlessAggregate
from continua.physical.aggregate.running import RunningAggregate
from continua.physical.aggregate.split import StretchAggregate
from continua.physical.aggregate.tiers import TieredAggregate
from continua.physical.extent import Extent


def aggregation(node: Aggregate, extent: Extent) -> type[Aggregation]:
    """The fastest algorithm that is right for the calls and the extent of the input.

    Blocks and tiers are made of times. Where these have several batches, the extent promises
    nothing that blocks need, and what else would be put into tiers is cut at all boundaries.
    """
    if extent.aligned and not node.total:
        return AlignedAggregate
    found = [decompose(call, [f"a{i}" for i in range(len(call.args))]) for call in node.calls]
    parts = [c for d in found if d is not None for c in d.components]
    if None in found:
        return StretchAggregate
    if extent.endless:
        return EndlessAggregate
    blocks = extent.uniform is not None or extent.section is not None
    if all(component.invertible for component in parts) and (node.keys or not blocks):
        return RunningAggregate
    # Without keys there is one group: blocks are computed in parallel over time.
    if blocks:
        return BlockAggregate
    return StretchAggregate if node.batched else TieredAggregate
