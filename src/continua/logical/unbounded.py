"""State without bound: operators that would have to keep everything for ever (TODS §7.2.2).

An element that never ends is harmless under an operator that looks at it once (filter, map) or
folds it into a constant number of values (COUNT, SUM per group). Joins, duplicate elimination,
difference, holistic aggregates and RSTREAM would have to keep it.
"""

from __future__ import annotations

from collections.abc import Iterator

from continua.errors import ContinuaError
from continua.logical.aggregate import Aggregate
from continua.logical.batch_window import BatchWindow
from continua.logical.distinct import Distinct
from continua.logical.during import During
from continua.logical.node import Binary, Node
from continua.logical.range_window import RangeWindow
from continua.logical.row_window import RowWindow
from continua.logical.scan import Scan
from continua.logical.sequence_window import SequenceWindow
from continua.logical.split import Split
from continua.logical.spread import Spread
from continua.logical.streamer import Streamer
from continua.logical.temporal_filter import TemporalFilter
from continua.logical.top_k import TopK
from continua.logical.union import Union


def unbounded_state(plan: Node) -> list[ContinuaError]:
    """One finding per operator that would have to keep everything, with the window to blame."""
    findings = []
    for node in plan.walk():
        for window in dict.fromkeys(_kept_for_ever(node)):
            what, ways = _blamed(window)
            findings.append(
                ContinuaError(
                    "UNBOUNDED_STATE",
                    f"{node.label} keeps every tuple of {what}",
                    window.span,
                    hint=f"{ways}, or SET unbounded_state = 'allow'",
                )
            )
    return findings


def _blamed(window: Node) -> tuple[str, str]:
    """What it is that a window keeps for ever, and the ways out."""
    default = window.default_of if isinstance(window, RangeWindow) else None
    if default is None:
        return f"{window.label} for ever", "bound the window (RANGE 1 DAY)"
    (stream,) = window.inputs
    while isinstance(stream, Spread):
        stream = stream.streams[stream.output]
    name = stream.relation.name if isinstance(stream, Scan) else stream.label
    what, ways = f"{name} for ever: {name} has no window here", f"give {name} one (RANGE 1 DAY)"
    if default == "stream":
        declared = "is declared with DEFAULT WINDOW UNBOUNDED"
        return f"{what}, and {declared}", f"{ways}, declare it without a default window"
    return f"{what}, and default_window is 'unbounded'", f"{ways}, SET default_window = 'now'"


def _kept_for_ever(node: Node) -> Iterator[Node]:
    """The unbounded windows whose elements the operator itself would have to keep."""
    if isinstance(node, Binary) and not isinstance(node, Union):
        for side, other in ((node.left, node.right), (node.right, node.left)):
            # What never changes need not be waited for: then the side is looked at once.
            if other.time is not None:
                yield from _unending(side)
    elif isinstance(node, Aggregate):
        if not all(call.function.bounded and not call.distinct for call in node.calls):
            yield from _unending(node.input)
    elif isinstance(node, (Distinct, Split)) or _streams_what_lasts(node):
        yield from _unending(node.inputs[0])


def _streams_what_lasts(node: Node) -> bool:
    """RSTREAM gives again what still lasts, and DIF has to know which values there are."""
    return isinstance(node, Streamer) and (node.kind == "RSTREAM" or node.mode == "DIF")


def without_end(plan: Node) -> Node | None:
    """A window of a relation whose rows end by rows that may never come, or not at all."""
    if plan.chronon or _is_ending(plan):
        return None
    if isinstance(plan, (BatchWindow, RowWindow, SequenceWindow)):
        return plan
    if isinstance(plan, RangeWindow) and plan.size is None:
        return plan
    return next(filter(None, map(without_end, plan.inputs)), None)


def _is_ending(node: Node) -> bool:
    """Whether it ends what would last for ever."""
    return isinstance(node, During) or (isinstance(node, TemporalFilter) and node.ends)


def _unending(node: Node) -> Iterator[Node]:
    """The unbounded windows whose elements reach this point without having ended."""
    landmark = isinstance(node, SequenceWindow) and node.lower.slope == 0
    if landmark or (isinstance(node, RangeWindow) and node.size is None):
        yield node
    elif not node.chronon and not isinstance(node, (Aggregate, TopK)) and not _is_ending(node):
        for child in node.inputs:
            yield from _unending(child)
