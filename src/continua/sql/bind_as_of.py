"""Binds what a join means AS OF the time of its stream: FOR SYSTEM_TIME AS OF, and ASOF JOIN.

Both join a stream without a window with a relation, which gives for every element of the stream
what is valid at its own instant (design §4). For an ASOF JOIN the relation is, of each key, the
latest tuple of the right stream: `WINDOW(PARTITION BY key ROWS 1)`.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from continua.errors import ContinuaError, Span
from continua.logical.as_of_join import AsOfJoin
from continua.logical.before import Before
from continua.logical.expr.nodes import TRUE, Call, Cast, ColumnRef, Expression, columns_of
from continua.logical.filter import Filter
from continua.logical.granulated import Granulated
from continua.logical.map import Map
from continua.logical.node import Choosing, Node, Pairing
from continua.logical.now_window import NowWindow
from continua.logical.outer_join import OuterJoin
from continua.logical.own_batch import OwnBatch
from continua.logical.row_window import RowWindow
from continua.logical.scan import Scan
from continua.logical.spread import Spread
from continua.logical.streamer import Streamer
from continua.logical.union import Union
from continua.sql.clauses import AsOf, Attribute, Clause, MatchCondition
from continua.sql.places import unsupported
from continua.sql.query_parser import CLAUSES
from continua.sql.scope import Scope

Item = tuple[Node, Scope]


@dataclass(frozen=True)
class Latest:
    """What an ASOF JOIN makes of its right side: of each key the latest tuple so far.

    strictly: whether it lies before the time of the element that meets it, and not at it.
    """

    strictly: bool
    span: Span | None

    def of(self, right: Node, predicate: Expression, width: int) -> Node:
        """The right side; its keys are what the predicate compares. width: of the left side."""
        both = isinstance(predicate, Call) and predicate.function.name == "and"
        parts = predicate.operands if both else (predicate,)
        keys = () if predicate == TRUE else tuple(_key(part, width, self.span) for part in parts)
        window = RowWindow(right, 1, None, keys, span=self.span)
        return Before(window, span=self.span) if self.strictly else window


def window_clauses(node: exp.Expr) -> list[Clause]:
    """The clauses of an item of FROM that stand on it whatever it is joined with."""
    found = node.meta.get(CLAUSES) or ()
    return [clause for clause in found if not isinstance(clause, (AsOf, MatchCondition))]


def as_of_clause(node: exp.Expr) -> AsOf | MatchCondition | None:
    """What says which version of an item of FROM a join means."""
    found = node.meta.get(CLAUSES) or ()
    clauses = [clause for clause in found if isinstance(clause, (AsOf, MatchCondition))]
    if len(clauses) > 1:
        message = "a join has one AS OF or MATCH_CONDITION"
        raise ContinuaError("SYNTAX", message, clauses[1].span)
    return clauses[0] if clauses else None


def reject_alone(node: exp.Expr) -> None:
    """Refuses these clauses on an item with nothing before it."""
    clause = as_of_clause(node)
    if isinstance(clause, AsOf):
        message = "AS OF follows the time of a stream, and none stands before it"
        hint = "as in FROM s JOIN r FOR SYSTEM_TIME AS OF s.t ON …"
        raise ContinuaError("SYNTAX", message, clause.span, hint=hint)
    if clause is not None:
        raise _without_join(clause)


def check_sides(
    left: Item, right: Item, clause: AsOf | MatchCondition | None, asof: bool, span: Span | None
) -> Latest | None:
    """Raises if a join AS OF cannot have these sides; gives what an ASOF JOIN meets.

    asof: whether it is an ASOF JOIN.
    """
    if not asof:
        assert clause is not None
        if isinstance(clause, MatchCondition):
            raise _without_join(clause)
        _check_version(left, right, clause)
        return None
    if not isinstance(clause, MatchCondition):
        message = "ASOF JOIN needs a MATCH_CONDITION"
        hint = "as in s ASOF JOIN q MATCH_CONDITION (s.t >= q.t) ON s.k = q.k"
        raise ContinuaError("SYNTAX", message, span, hint=hint)
    return _latest(left, right, clause)


def check_side(side: str, span: Span | None) -> None:
    """An element of the left stream meets something or nothing; nothing on the right waits."""
    if side in ("RIGHT", "FULL"):
        hint = f"a {side} JOIN keeps what is valid on the right all the time: leave AS OF out"
        raise unsupported(f"{side} JOIN as of the time of the left side", span, hint)


def at_own_batch(left: Node, right: Node) -> Node:
    """The left side of a join AS OF: where a time may have several batches, each of its elements
    meets what is valid in its own, and not what comes in later ones."""
    return OwnBatch(left, span=left.span) if left.batched or right.batched else left


def as_written(plan: Node) -> Node:
    """The join, whose elements last as those of any stream do."""
    elements = Streamer(plan, "ISTREAM", span=plan.span) if plan.batched else plan
    return AsOfJoin(elements, span=plan.span)


def _without_join(clause: Clause) -> ContinuaError:
    hint = "as in s ASOF JOIN q MATCH_CONDITION (s.t >= q.t) ON s.k = q.k"
    return ContinuaError("SYNTAX", "MATCH_CONDITION without ASOF JOIN", clause.span, hint=hint)


def _check_version(left: Item, right: Item, clause: AsOf) -> None:
    span = clause.span
    _check_stream(left, "AS OF", span)
    if right[0].chronon:
        message = "AS OF takes a version of a relation, and this is a stream: it has none"
        hint = "ASOF JOIN meets the latest tuple of a stream; a window makes a relation of it"
        raise ContinuaError("NOT_A_STREAM", message, span, hint=hint)
    if not _means_time(left, clause.time):
        raise _no_time(clause.time, left)


def _check_stream(left: Item, what: str, span: Span) -> None:
    if not left[0].chronon:
        message = f"{what} follows the time of a stream, and what stands before it is a relation"
        hint = "leave out the window; one may stand on the join: (s JOIN r …) [RANGE 5]"
        raise ContinuaError("NOT_A_STREAM", message, span, hint=hint)


def _latest(left: Item, right: Item, clause: MatchCondition) -> Latest:
    comparison, first, second = clause.comparison, clause.left, clause.right
    if _is_of(right[1], first) and not _is_of(left[1], first):
        first, second = second, first
        comparison = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(comparison, comparison)
    _check_stream(left, "ASOF JOIN", clause.span)
    if not right[0].chronon:
        message = "ASOF JOIN meets the latest tuple of a stream, and the right side is a relation"
        hint = "JOIN r FOR SYSTEM_TIME AS OF s.t meets the version of a table; of a stream, leave "
        hint += "out the window"
        raise ContinuaError("NOT_A_STREAM", message, clause.span, hint=hint)
    for item, attribute in ((left, first), (right, second)):
        if not _means_time(item, attribute):
            raise _no_time(attribute, item)
    if comparison not in (">=", ">"):
        what = "= in MATCH_CONDITION" if comparison == "=" else "a match in the future"
        hint = f"{first} >= {second} meets the latest tuple so far; > one that is strictly before"
        raise unsupported(what, clause.span, hint)
    return Latest(comparison == ">", clause.span)


def _is_of(scope: Scope, attribute: Attribute) -> bool:
    return bool(scope.find(attribute.name.text, _qualifier(attribute)))


def _qualifier(attribute: Attribute) -> str | None:
    return None if attribute.qualifier is None else attribute.qualifier.text


def _means_time(item: Item, attribute: Attribute) -> bool:
    plan, scope = item
    column = scope.resolve(attribute.name.text, _qualifier(attribute), attribute.span)
    return isinstance(column, ColumnRef) and _is_time(plan, column.index)


def _no_time(attribute: Attribute, item: Item) -> ContinuaError:
    message = f"{attribute} is not the time at which the elements of the stream happen"
    scans = [node for node in item[0].walk() if isinstance(node, Scan) and node.chronon]
    times = [scan.relation.start for scan in scans if scan.relation.start is not None]
    hint = f"the time attribute is {times[0]}" if times else "it takes a stream with ORDERED BY"
    return ContinuaError("TIME_ATTRIBUTE", message, attribute.span, hint=hint)


def _is_time(plan: Node, index: int) -> bool:
    """Whether a column of a chronon stream is the time of every element's instant."""
    match plan:
        case Scan():
            column = plan.schema.columns[index]
            return plan.chronon and column.name.lower() == (plan.relation.start or "").lower()
        case Map():
            output = plan.outputs[index]
            return isinstance(output, ColumnRef) and _is_time(plan.input, output.index)
        case Filter() | Granulated() | NowWindow() | OwnBatch() | AsOfJoin():
            return _is_time(plan.input, index)
        case Streamer():
            return plan.input.chronon and plan.kind == "ISTREAM" and _is_time(plan.input, index)
        case Spread():
            return _is_time(plan.inputs[plan.output], index)
        case Union():
            return all(_is_time(side, index) for side in plan.inputs)
        case Choosing():
            return _is_time(plan.left, index)
        case OuterJoin():
            width = len(plan.left.schema)
            return plan.kind == "left" and index < width and _is_time(plan.left, index)
        case Pairing():
            width = len(plan.left.schema)
            left = index < width
            return _is_time(plan.left, index) if left else _is_time(plan.right, index - width)
    return False


def _key(part: Expression, width: int, span: Span | None) -> int:
    """The column of the right side that a part of the condition compares with the left side."""
    if isinstance(part, Call) and part.function.name == "=":
        for mine, other in (part.args, part.args[::-1]):
            column = _whole_number(mine)
            if column is None or column.index < width:
                continue
            if all(index < width for index in columns_of(other)):
                return column.index - width
    message = "ON of an ASOF JOIN compares columns of the right side by ="
    hint = "other conditions stand in WHERE, or in a subquery on the right: (SELECT … FROM q) q"
    raise ContinuaError("UNSUPPORTED", message, part.span or span, hint=hint)


def _whole_number(expression: Expression) -> ColumnRef | None:
    """A column, or one of whole numbers as wider ones: of different ones no two become equal."""
    if isinstance(expression, Cast) and expression.type.integral:
        inner = expression.operand
        if inner.type.integral and inner.type.bits <= expression.type.bits:
            expression = inner
    return expression if isinstance(expression, ColumnRef) else None
