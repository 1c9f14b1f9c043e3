"""From the logical plan to physical operators, with as few conversions of form as can be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from continua.logical.aggregate import Aggregate
from continua.logical.delivered import delivered, elements_of
from continua.logical.distinct import Distinct as LogicalDistinct
from continua.logical.granulated import Granulated
from continua.logical.node import Node
from continua.logical.scan import Scan as LogicalScan
from continua.logical.split import Split as LogicalSplit
from continua.logical.spread import Spread as LogicalSpread
from continua.logical.streamer import Streamer
from continua.logical.timed import Timed as LogicalTimed
from continua.logical.window import Window
from continua.physical.aggregate.aligned import AlignedAggregate
from continua.physical.aggregate.choose import aggregation
from continua.physical.aggregate.distinct import over_distinct
from continua.physical.aggregate.running import RunningAggregate
from continua.physical.aggregate.since import Since
from continua.physical.batch_window import BatchWindow
from continua.physical.batches import FirstBatches, in_columns
from continua.physical.before import Before
from continua.physical.branch import Branch
from continua.physical.change_log import ChangeLog
from continua.physical.clip import During, TemporalFilter
from continua.physical.coalesce import Coalesce
from continua.physical.delayed import Delayed
from continua.physical.delivery import DELIVERIES, Elements
from continua.physical.distinct import Distinct
from continua.physical.filter import Filter
from continua.physical.hop_window import HopWindow
from continua.physical.identity import asked_of
from continua.physical.map import Map
from continua.physical.mark_join import MarkJoin
from continua.physical.materialise import Materialise
from continua.physical.narrowed import narrowed
from continua.physical.operator import EitherForm, Form, NodeOperator, Operator
from continua.physical.outer_join import OuterJoin
from continua.physical.own_batch import OwnBatch
from continua.physical.range_window import FixedWindow, RangeWindow
from continua.physical.row_window import RowWindow
from continua.physical.scalar_join import ScalarJoin
from continua.physical.scan import Scan
from continua.physical.semi_join import SemiJoin
from continua.physical.sequence_window import SequenceWindow
from continua.physical.session_window import SessionWindow
from continua.physical.set_chains import unchained
from continua.physical.set_operation import SetOperation
from continua.physical.split import Split
from continua.physical.spread import Spread
from continua.physical.streamer import ChangeStreamer, RelationStreamer
from continua.physical.theta_join import ThetaJoin
from continua.physical.timed import Timed
from continua.physical.top_k import TopK
from continua.physical.union import Union
from continua.physical.values import Values

OPERATORS: tuple[type[NodeOperator[Any]], ...] = (
    Scan,
    Values,
    Filter,
    Map,
    Before,
    Branch,
    ChangeLog,
    OwnBatch,
    Union,
    Distinct,
    SetOperation,
    TopK,
    ThetaJoin,
    SemiJoin,
    MarkJoin,
    ScalarJoin,
    OuterJoin,
    RangeWindow,
    FixedWindow,
    HopWindow,
    BatchWindow,
    Delayed,
    RowWindow,
    SequenceWindow,
    SessionWindow,
    Spread,
    During,
    TemporalFilter,
    Timed,
)
_CARRIED_OUT_BY = {node: operator for operator in OPERATORS for node in operator.carries_out}


def physical_plan(plan: Node, form: Form = Form.PIECES) -> Operator:
    """The operators that carry out a plan, and give its result in a form."""
    return _as(_Planner(plan).operator(plan, identified=False), form)


def delivering_plan(plan: Node, delivery: str) -> Operator:
    """The operators that carry out a plan, and deliver its result as a sink wants it."""
    plan = delivered(plan, delivery)
    below = _Planner(plan).operator(plan, identified=False)
    if plan.chronon:
        return in_columns(Elements(below.schema, (_as(below, Form.PIECES),), False, delivery))
    return in_columns(DELIVERIES[delivery](below.schema, (below,), identified=False))


def result_plan(plan: Node) -> Operator:
    """The operators that carry out a plan, and give its result as users see it: the elements of a
    stream as they are, a relation in canonical form (design §2)."""
    below = _Planner(plan).operator(elements_of(plan), identified=False)
    # Over history, which is one slab, net changes are intervals in canonical form.
    canonical = plan.chronon or below.net
    below = _as(below, Form.PIECES)
    if not canonical:
        below = Coalesce(below.schema, (below,), identified=False)
    return in_columns(below)


class _Planner:
    """Makes the operators of one plan."""

    def __init__(self, plan: Node) -> None:
        scans = (node.relation for node in plan.walk() if isinstance(node, LogicalScan))
        self._streams = tuple(sorted({r.name.lower() for r in scans if r.is_stream}))

    def elements(self, node: Node, identified: bool) -> Operator:
        """The elements of a chronon stream, each once from its instant on; a relation as it is.

        Where a time has several batches, these are the insertions of the stream, by identity.
        """
        if not (node.chronon and node.batched):
            return self.operator(node, identified)
        below = self.operator(node, identified=True)
        if below.of_elements:
            return self.operator(node, identified)
        return ChangeStreamer(node.schema, (below,), identified, Streamer(node, "ISTREAM"))

    def operator(self, node: Node, identified: bool) -> Operator:
        node = narrowed(unchained(node))
        if isinstance(node, Streamer):
            return self._streamer(node, identified)
        one_by_one = isinstance(node, Window | LogicalSpread | LogicalTimed)
        inputs = _alike(
            self.elements(child, asked) if one_by_one else self.operator(child, asked)
            for child, asked in zip(node.inputs, asked_of(node, identified), strict=True)
        )
        if isinstance(node, Granulated):
            return inputs[0]
        if isinstance(node, LogicalSplit):
            pieces = (_as(inputs[0], Form.PIECES),)
            return Split(node.schema, pieces, identified, node, self._streams)
        if isinstance(node, Aggregate):
            if identified and node.calls and (node.batched or not node.chronon):
                return self._over_sets(node, inputs[0])
            simpler = over_distinct(node, inputs[0].extent)
            if simpler is not None:
                return self.operator(simpler, identified)
        made: type[NodeOperator[Any]] = (
            aggregation(node, inputs[0].extent)
            if isinstance(node, Aggregate)
            else _CARRIED_OUT_BY[type(node)]
        )
        wanted = Form.PIECES
        either = issubclass(made, EitherForm) or (made is RunningAggregate and not identified)
        if either and all(child.form is Form.CHANGES for child in inputs):
            wanted = Form.CHANGES
        inputs = tuple(_as(child, wanted) for child in inputs)
        return made(node.schema, inputs, identified, node)

    def _over_sets(self, node: Aggregate, below: Operator) -> Operator:
        """An aggregate that is another tuple whenever the set of its group changes."""
        made, pieces = aggregation(node, below.extent), _as(below, Form.PIECES)
        if pieces.whole and issubclass(made, (AlignedAggregate, RunningAggregate)):
            return made(node.schema, (pieces,), True, node)
        plain = _as(self.operator(node, identified=False), Form.PIECES)
        return Since(node.schema, (plain, below), True, node)

    def _streamer(self, node: Streamer, identified: bool) -> Operator:
        if node.mode == "DIF":
            below = self.operator(LogicalDistinct(node.input), identified=False)
        else:
            below = self.elements(node.input, identified=not node.input.chronon or identified)
            # What comes into a stream is what it consists of. Of several batches at one time each
            # sees what is valid then.
            again = ("DSTREAM", "RSTREAM") if node.batched else ("DSTREAM",)
            if node.input.chronon and node.kind not in again:
                return below
        made = RelationStreamer if node.kind == "RSTREAM" else ChangeStreamer
        if node.kind == "RSTREAM":
            below = _as(below, Form.PIECES)
        return made(node.schema, (below,), identified, node)


def _alike(inputs: Iterable[Operator]) -> tuple[Operator, ...]:
    """Inputs whose instants are of one kind: times alone are the first batches of themselves."""
    found = tuple(inputs)
    if not any(operator.batched for operator in found):
        return found
    return tuple(
        operator
        if operator.batched
        else FirstBatches(operator.schema, (operator,), operator.identified)
        for operator in found
    )


def _as(operator: Operator, form: Form) -> Operator:
    """The stream in a form, converted if it has the other one."""
    if operator.form is form:
        return operator
    enforcer = Materialise if form is Form.PIECES else Coalesce
    return enforcer(operator.schema, (operator,), operator.identified)
