"""What a session knows by name, and how its statements are carried out."""

from __future__ import annotations

import logging
from functools import partial

from pyspark.sql import DataFrame

from continua.describe import described, listed
from continua.errors import ContinuaError, Span, check_argument, did_you_mean
from continua.logical.node import Node
from continua.logical.unbounded import unbounded_state, without_end
from continua.model.catalog import Relation
from continua.model.schema import Column
from continua.model.types import STRING
from continua.runtime.deliver import check_delivery, default_delivery, delivered_columns
from continua.runtime.engine import Engine
from continua.runtime.evaluation import Evaluation
from continua.runtime.history import History
from continua.runtime.live.roster import Roster, free_name
from continua.runtime.past import snapshot_of
from continua.runtime.query import Query
from continua.runtime.reference import Reference
from continua.runtime.result import Explanation, Result
from continua.runtime.sinks.kinds import Maker, check_sink, delivery_to, make_sink
from continua.runtime.sinks.sink import HISTORY, NOTHING
from continua.runtime.sources.kinds import source_of
from continua.runtime.spark_evaluation import SparkEvaluation
from continua.sql import change_rows, declare, statements
from continua.sql.batches import declare_group, declare_spread
from continua.sql.binder import Binder
from continua.sql.catalog import Catalog, Derived, Entry, Sink, kind_of
from continua.sql.tokens import Name

_LOG = logging.getLogger(__name__)

SETTINGS = {"default_window": ("now", "unbounded"), "unbounded_state": ("refuse", "allow")}
"""What SET knows, each with its values; the first is the default."""

Outcome = Query | Result | None
"""What a statement gives."""


class Workspace:
    """Streams, tables, sinks, functions, settings, and the queries that are to run live.

    reference: whether the reference evaluates queries. live: whether `INSERT INTO` is carried out
    from the start of a run on, and not at once.
    """

    def __init__(self, spark: Engine, reference: bool, live: bool) -> None:
        self._spark = spark
        self._reference = reference
        self._live = live
        self.catalog = Catalog(None if reference else spark.function)
        self.settings = {key: values[0] for key, values in SETTINGS.items()}
        self.history = History(spark, self.catalog.find)
        self.roster = Roster()
        self._written: dict[str, str] = {}
        """The names of queries that have written to sinks, and those of the sinks."""

    def carry_out(self, statement: statements.Statement) -> Outcome:
        """Does what a statement says."""
        match statement:
            case statements.Query():
                return self._query(statement)
            case statements.Snapshot(query, at):
                value, span = (None, None) if at is None else (at.value, at.span)
                return snapshot_of(self._query(query), value, span, self.roster.progress)
            case statements.CreateStream():
                self._declare(declare.declare_stream(statement), statement)
            case statements.CreateTable():
                self._declare(declare.declare_table(statement), statement)
            case statements.CreateStreamAs(name):
                derived = declare.declare_derived(self.catalog, statement, self._unbounded)
                self.catalog.add(derived, name, statement.replace)
            case statements.CreateGroup(name):
                group = declare_group(self.catalog, statement)
                self.catalog.add(group, name, statement.replace)
            case statements.CreateSink(name, format_):
                sink = declare.declare_sink(statement)
                check_sink(sink.format, sink.options, sink.delivery, format_.span, sink.span)
                self.catalog.add(sink, name, statement.replace)
                self._written = {n: s for n, s in self._written.items() if s != sink.name}
            case statements.SpreadInto():
                outputs = declare_spread(self.catalog, statement)
                for name, _ in outputs:
                    self.catalog.check_free(name)
                for name, derived in outputs:
                    self.catalog.add(derived, name)
            case statements.InsertRows(target):
                self._insert_rows(statement, self.catalog.get(target))
            case statements.Update(target):
                self._change(change_rows.updated(self._table(target), statement), target)
            case statements.Delete(target):
                self._change(change_rows.deleted(self._table(target), statement), target)
            case statements.InsertQuery(target, query):
                entry = self.catalog.get(target, makes="CREATE SINK")
                self._insert(target.span, entry, self._query(query))
            case statements.Drop("QUERY", name, if_exists):
                if not if_exists or any(q.name == name.text.lower() for q in self.roster.queries):
                    self.roster.drop(name.text, name.span)
            case statements.Drop(kind, name, if_exists):
                self.catalog.drop(kind, name, if_exists)
            case statements.Set():
                self._set(statement)
            case statements.Show(what):
                return listed(what, self.catalog, self.roster.queries, self.settings)
            case statements.Describe(name):
                return described(self.catalog.get(name))
            case statements.Explain():
                return self._explain(statement)
        return None

    def _query(self, statement: statements.Query) -> Query:
        source, tree = statement.span.source, statement.tree
        bound = Binder(self.catalog, source, tree, self._unbounded).bind_query(tree)
        allow = self.settings["unbounded_state"] == "allow"
        return Query(bound.plan, bound.order, self._evaluation(bound.plan), allow)

    @property
    def _unbounded(self) -> bool:
        """Whether streams without a window are unbounded by default."""
        return self.settings["default_window"] == "unbounded"

    def _evaluation(self, plan: Node) -> Evaluation:
        if self._reference:
            return Reference(plan, self.history.read)
        return SparkEvaluation(plan, self._spark, self.history.opened)

    def _declare(
        self, relation: Relation, statement: statements.CreateStream | statements.CreateTable
    ) -> None:
        source_of(relation)  # which refuses what is wrong with it
        self.catalog.add(relation, statement.name, statement.replace)
        self.history.forget(relation)

    def _insert_rows(self, statement: statements.InsertRows, entry: Entry) -> None:
        if not isinstance(entry, Relation):
            message = f"{entry.name} takes no rows: it is a {kind_of(entry)}"
            if isinstance(entry, Derived):
                message += " made by a query"
            if isinstance(entry, Sink):
                message = f"{entry.name} is a sink; INSERT INTO it takes a query"
            raise ContinuaError("WRONG_ARGUMENTS", message, statement.target.span)
        self._change(change_rows.with_rows(entry, statement), statement.target)

    def _table(self, target: Name) -> Relation:
        entry = self.catalog.get(target, makes="CREATE TABLE")
        if not isinstance(entry, Relation):
            message = f"{entry.name} is a {kind_of(entry)}; it has no rows to change"
            raise ContinuaError("WRONG_ARGUMENTS", message, target.span)
        return entry

    def _change(self, relation: Relation, target: Name) -> None:
        """A relation with other rows, and perhaps with a history that it did not have."""
        before = self.catalog.find(relation.name)
        if isinstance(before, Relation) and before.time == relation.time:
            self.catalog.update(relation)
        else:
            self.catalog.add(relation, target, replace=True)

    def _insert(self, span: Span, entry: Entry, query: Query) -> None:
        if not isinstance(entry, Sink):
            message = f"{entry.name} is a {kind_of(entry)}, not a sink"
            hint = f"CREATE SINK {entry.name}_out USING csv OPTIONS (path 'out.csv')"
            raise ContinuaError("WRONG_ARGUMENTS", message, span, hint=hint)
        delivery = delivery_to(entry.format, entry.delivery, default_delivery(query.plan))
        check_delivery(delivery, query.plan, span)
        make = partial(make_sink, entry.format, options=entry.options, span=entry.span)
        if self._live:
            self.add_live_query(entry.name, query, delivery, make)
            return
        name = free_name(entry.name, self._written)
        sink = make(name)
        sink.check_columns(delivered_columns(query.plan, delivery))
        sink.open(NOTHING)
        try:
            query.deliver(delivery, lambda rows: sink.publish(HISTORY, rows))
        finally:
            sink.close()
        self._written[name] = entry.name

    def add_live_query(self, name: str, query: Query, delivery: str | None, make: Maker) -> None:
        """Has a query run from `start` on."""
        check_argument(query, Query, "this takes a query", "session.sql('SELECT …') gives one")
        check_argument(name, str, "a query's name is a text")
        if not query.unbounded_allowed:
            for problem in unbounded_state(query.plan):
                raise problem
        delivery = delivery or default_delivery(query.plan)
        check_delivery(delivery, query.plan)
        window = without_end(query.plan) if delivery == "INTERVALS" else None
        if window is not None:
            _LOG.warning(
                f"warning: {name} is given rows when they have ended (INTERVALS), and by "
                f"{window.label} some may never end; CHANGES and INSERTS come at once"
            )
        self.roster.add(name, query.plan, delivery, make)

    def complete(self, relation: Relation, exact: bool) -> DataFrame:
        """All rows of a relation with their positions, read exactly if asked to."""
        return self.history.opened(relation, True, exact)

    def _set(self, statement: statements.Set) -> None:
        key, value = statement.key.text.lower(), str(statement.value).lower()
        if key not in SETTINGS:
            hint = did_you_mean(key, SETTINGS, f"the settings are {', '.join(SETTINGS)}")
            raise ContinuaError(
                "UNKNOWN_SETTING", f"there is no setting {key}", statement.key.span, hint=hint
            )
        if value not in SETTINGS[key]:
            hint = f"its values are {', '.join(map(repr, SETTINGS[key]))}"
            raise ContinuaError(
                "UNKNOWN_SETTING", f"{key} cannot be {value!r}", statement.span, hint=hint
            )
        self.settings[key] = value

    def _explain(self, statement: statements.Explain) -> Result:
        if statement.stage in ("OPTIMIZED", "COST"):
            message = f"EXPLAIN {statement.stage} is not yet supported"
            hint = "EXPLAIN LOGICAL, PHYSICAL and SPARK are"
            raise ContinuaError("NOT_YET", message, statement.span, hint=hint)
        lines = self._query(statement.query).explain(statement.stage).split("\n")
        return Explanation.of([Column("plan", STRING)], [(line,) for line in lines])
