"""Queries: a bound plan over the data its streams have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Literal

from continua.errors import ContinuaError, check_argument
from continua.logical.explain import explain
from continua.logical.expr.moment import moment
from continua.logical.node import Node
from continua.logical.top_k import SortKey, sort_order
from continua.logical.unbounded import unbounded_state
from continua.model.instant import INFINITY, MINUS_INFINITY, Time
from continua.model.schema import Schema
from continua.model.timeline import Timeline
from continua.runtime.deliver import check_delivery, shown
from continua.runtime.evaluation import Evaluation
from continua.runtime.result import Result, Snapshot
from continua.runtime.rows import Rows
from continua.runtime.spark_evaluation import SparkEvaluation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


STAGES = ("LOGICAL", "PHYSICAL", "SPARK")


@dataclass(frozen=True, eq=False)
class Query:
    """A continuous query. `Session.query` makes one; it is evaluated when its result is asked for.

    >>> query = session.query("SELECT item, MAX(price) AS best FROM bids [RANGE 3] GROUP BY item")
    """

    plan: Node
    order: tuple[SortKey, ...]
    evaluation: Evaluation
    unbounded_allowed: bool = False

    @property
    def kind(self) -> Literal["stream", "relation"]:
        """What the result is: a `stream` of elements, each at one instant, or a `relation`, whose
        rows are valid for some time.

        >>> print(query.kind)
        relation
        >>> print(session.query("SELECT item FROM bids WHERE price > 9").kind)
        stream
        """
        return self.plan.gives

    @property
    def schema(self) -> Schema:
        """The columns of the result, without those of its times."""
        return self.plan.schema

    def explain(self, stage: str = "LOGICAL") -> str:
        """The plan of the query, as text.

        - `stage`: `LOGICAL`, what the result is and what it means, with a warning about what would
          need state without bound; `PHYSICAL`, the operators and their SweepAreas; or `SPARK`, what
          Spark makes of them.

        Raises `ContinuaError` if there is no such stage, and on the reference engine for those that
        are about Spark (`UNSUPPORTED`).

        >>> print(query.explain())
        result: a relation
        map item, MAX(price) AS best
        └─ aggregate MAX(price) by item
           └─ window range 3
              └─ stream bids(item INT, price INT)
        """
        if stage not in STAGES:
            hint = f"the stages are {', '.join(STAGES)}"
            raise ContinuaError("WRONG_ARGUMENTS", f"there is no stage {stage!r}", hint=hint)
        if stage == "LOGICAL":
            parts = [f"result: a {self.kind}", explain(self.plan)]
            if not self.unbounded_allowed:
                found = unbounded_state(self.plan)
                parts += [str(f).replace("error[", "warning[", 1) for f in found]
            return "\n".join(parts)
        if isinstance(self.evaluation, SparkEvaluation):
            return self.evaluation.explain(stage)
        message = f"EXPLAIN {stage} is about the Spark engine; this session has the reference"
        raise ContinuaError("UNSUPPORTED", message, hint="Session(engine='spark')")

    def timeline(self) -> Timeline:
        """The logical stream the query means."""
        return self.evaluation.timeline()

    def history(self) -> Result:
        """All rows of the result: of a stream each with `at`, of a relation with `valid_from` and
        `valid_to`. Where a time may have several batches their numbers stand beside: `batch`, or
        `batch_from` and `batch_to`.

        A stream has one row for each of its elements, equal ones too. A row of a relation is valid
        from `valid_from` until just before `valid_to`. None as an end means that it has not ended,
        None as a start that it has always been valid. Equal rows whose intervals meet are one row
        (the canonical form). Rows are ordered by their times and then by their values, or as the
        query's `ORDER BY` says.

        Raises `ContinuaError` if the input cannot be read (`SOURCE_NOT_FOUND`, `BAD_ROW`) or an
        expression has no value (`EVALUATION`).

        >>> print(query.history())
        item │ best │ valid_from │ valid_to
        ─────┼──────┼────────────┼─────────
           7 │   10 │          1 │        4
           8 │    5 │          3 │        6
           7 │   12 │          4 │        7
        (3 rows)
        >>> print(session.query("SELECT item FROM bids WHERE price > 9").history())
        item │ at
        ─────┼───
           7 │  1
           7 │  4
        (2 rows)
        """
        result = shown(self.evaluation.rows(), self.plan)
        if not self.order:
            return result
        width = len(self.schema)
        rows = sorted(result.rows, key=lambda row: sort_order(self.order, row[:width]))
        return Result(result.schema, tuple(rows))

    def delivered(self, delivery: str) -> Result:
        """The result as a sink gets it.

        - `delivery`: `INTERVALS`, `CHANGES` (of a relation), or `INSERTS`: the elements of a
          stream, or what `ISTREAM` makes of a relation.

        Raises `ContinuaError` as `history` does, and if there is no such delivery.

        >>> print(query.delivered("CHANGES"))
        item │ best │ change │ at
        ─────┼──────┼────────┼───
           7 │   10 │ +      │  1
           8 │    5 │ +      │  3
           7 │   10 │ -      │  4
           7 │   12 │ +      │  4
           8 │    5 │ -      │  6
           7 │   12 │ -      │  7
        (6 rows)
        """
        found: list[Result] = []
        self.deliver(delivery, lambda rows: found.append(Result(rows.schema, tuple(rows))))
        return found[-1]

    def deliver(self, delivery: str, to: Callable[[Rows], None]) -> None:
        """Hands the result over, perhaps twice; Spark computes it when it is read."""
        check_delivery(delivery, self.plan)
        self.evaluation.deliver(delivery, to)

    def snapshot(self, at: int | str | date | None = None) -> Result:
        """The rows that are valid at one time, without columns of time: an ordinary table.

        - `at`: the time: an integer, or for timestamps a text or a datetime (UTC). By default it is
          the greatest time in the data.

        Raises `ContinuaError` as `history` does, and if the time is of the wrong kind
        (`TYPE_MISMATCH`).

        >>> print(query.snapshot(at=3))
        item │ best
        ─────┼─────
           7 │   10
           8 │    5
        (2 rows)
        """
        t = self._latest() if at is None else self._time(at)
        rows: Sequence[tuple[object, ...]] = self.evaluation.at(t)
        ordered = sorted(rows, key=lambda row: sort_order(self.order, row))
        return Snapshot(self.schema, tuple(ordered))

    def to_spark(self, canonical: bool = True) -> DataFrame:
        """The result as a Spark DataFrame, computed when Spark is asked for it.

        Rows have the columns that those of `history` have, and no order.

        - `canonical`: whether equal rows of a relation whose intervals meet are one row. If that is
          not asked for, a row may come in several pieces, which saves the work of putting them
          together.
        """
        if isinstance(self.evaluation, SparkEvaluation):
            return self.evaluation.to_spark(canonical)
        return self.history().to_spark()

    def _latest(self) -> Time:
        """The greatest time in the streams; of tables alone, that of their last change."""
        _, last = self.evaluation.bounds()
        if last != MINUS_INFINITY:
            return last
        times = (at.t for row in self.evaluation.rows() for at in (row.start, row.end))
        return max((t for t in times if t != INFINITY), default=MINUS_INFINITY)

    def _time(self, at: int | str | date) -> Time:
        check_argument(at, int | str | date, "a time is a whole number, a text or a datetime")
        time = self.plan.time
        if time is None:
            return MINUS_INFINITY
        return moment(at, time)
