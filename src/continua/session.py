"""The session: where text becomes statements, statements plans, and plans results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from continua.arguments import (
    check_callable,
    check_registered,
    check_text,
    quoted,
    result_type,
)
from continua.describe import described, shown, texts
from continua.errors import ContinuaError, Span, check_argument, did_you_mean
from continua.logical.expr.user import user_aggregate, user_function
from continua.logical.node import Node
from continua.logical.unbounded import unbounded_state
from continua.model.catalog import Relation
from continua.model.schema import Column
from continua.model.types import STRING
from continua.runtime.deliver import check_delivery, default_delivery, delivered_columns
from continua.runtime.engine import Engine
from continua.runtime.evaluation import Evaluation
from continua.runtime.history import History
from continua.runtime.live.advance import Advance
from continua.runtime.live.checkpoint import Checkpoint
from continua.runtime.live.roster import Roster, free_name
from continua.runtime.live.running import Running
from continua.runtime.query import Query
from continua.runtime.reference import Reference
from continua.runtime.result import Explanation, Result
from continua.runtime.sinks.callback_sink import CallbackSink
from continua.runtime.sinks.kinds import Maker, check_sink, delivery_to, make_sink
from continua.runtime.sinks.sink import HISTORY, NOTHING
from continua.runtime.sources.frame_source import columns_of, frame_call
from continua.runtime.sources.kinds import source_of
from continua.runtime.spark_evaluation import SparkEvaluation
from continua.sql import declare, statements
from continua.sql.binder import Binder
from continua.sql.catalog import Catalog, Entry, Sink, kind_of
from continua.sql.parser import parse, too_deep

# How many calls may be under way at once: sqlglot needs Python's 1,000 for some forty brackets.
sys.setrecursionlimit(max(sys.getrecursionlimit(), 10_000))

ENGINES = ("spark", "reference")
NO_SPARK = "without it, Spark is set up when it is needed; Spark Connect is not supported"
SETTINGS = {"unbounded_state": ("refuse", "allow")}
"""What SET knows, each with its values; the first is the default."""

ASKING = (statements.Show, statements.Describe, statements.Explain)
"""Statements that change nothing."""

TOLD = "<told>"

Outcome = Query | Result | None


class Session:
    """Streams, tables, functions and settings, and the statements that use them.

    >>> from continua import Session
    >>> session = Session(engine="reference")
    >>> session.sql('''
    ...     CREATE STREAM bids (item INT, price INT, t INT)
    ...     SOURCE rows((7, 10, 1), (8, 5, 3), (7, 12, 4)) ORDERED BY t''')
    >>> print(session.query("SELECT item, price FROM bids WINDOW(RANGE 2)").history())
    item │ price │ valid_from │ valid_to
    ─────┼───────┼────────────┼─────────
       7 │    10 │          1 │        3
       8 │     5 │          3 │        5
       7 │    12 │          4 │        6
    (3 rows)
    """

    def __init__(
        self, engine: str = "spark", spark: SparkSession | None = None, live: bool = False
    ) -> None:
        """Makes a session without streams. Spark is set up when it is first needed.

        - `engine`: "spark", or "reference", which evaluates the logical algebra itself, in Python.
          It is slow, needs no Spark, and says what the result must be.
        - `spark`: a Spark session of yours. Queries run beside it, and nothing in it is changed.
          Without one, a local Spark is started.
        - `live`: whether the session is for queries that run while data arrive. In a live session
          `INSERT INTO` does not write what is there, but is carried out from `start` on.

        Raises `ContinuaError` (`WRONG_ARGUMENTS`) for an engine that does not exist, and for a live
        session on the reference engine.
        """
        check_argument(engine, str, "engine is a text", f"one of {', '.join(ENGINES)}")
        check_argument(spark, SparkSession | None, "spark is a classic SparkSession", NO_SPARK)
        check_argument(live, bool, "live is True or False")
        if engine not in ENGINES:
            hint = did_you_mean(engine, ENGINES, f"the engines are {', '.join(ENGINES)}")
            raise ContinuaError("WRONG_ARGUMENTS", f"there is no engine {engine}", hint=hint)
        if live and engine != "spark":
            raise ContinuaError(
                "WRONG_ARGUMENTS", "queries run live on Spark", hint="engine='spark'"
            )
        self.engine = engine
        self.live = live
        self._roster = Roster()
        self._written: dict[str, str] = {}
        self._told: tuple[str, ...] = ()
        self._spark = Engine(spark)
        self._catalog = Catalog(self._spark.function if engine == "spark" else None)
        self._settings = {key: values[0] for key, values in SETTINGS.items()}
        self._history = History(self._spark, self._catalog.find)

    @property
    def spark(self) -> SparkSession:
        """The Spark session that queries run in: beside the one given, with settings of its own."""
        return self._spark.spark

    def query(self, text: str) -> Query:
        """Runs the statements of a text, the last of which is a query, and gives that query.

        It is `sql` for when a query is wanted: a type checker knows what it gives.

        Raises `ContinuaError` if a statement is wrong, with its place in the text. If the last one
        is no query (`WRONG_ARGUMENTS`), none has been run.

        >>> query = session.query("SELECT item, price FROM bids WINDOW(ROWS 2)")
        >>> print(query.schema)
        (item INT, price INT)
        """
        check_text(text)
        found = parse(text)
        if not found or not isinstance(found[-1], statements.Query):
            message = "the text does not end with a query"
            hint = "session.sql runs statements of any kind"
            span = found[-1].span if found else None
            raise ContinuaError("WRONG_ARGUMENTS", message, span, hint=hint)
        outcome = self.sql(text)
        assert isinstance(outcome, Query)
        return outcome

    def sql(self, text: str) -> Query | Result | None:
        """Runs the statements of a text, and gives what the last one gives.

        A query gives a `Query`, `SHOW`, `DESCRIBE` and `EXPLAIN` a `Result`, other statements None.
        Statements are separated by `;`. A query is not evaluated before its result is asked for.

        Raises `ContinuaError` if a statement is wrong, with its place in the text. Statements
        before it have been carried out.

        >>> print(session.sql("SHOW STREAMS"))
        name │ definition
        ─────┼────────────────────────────────
        bids │ (item INT, price INT) from rows
        (1 row)
        """
        outcome: Outcome = None
        for outcome in self.execute(text):  # noqa: B007
            pass
        return outcome

    def execute(self, text: str, name: str = "<sql>") -> Iterator[Query | Result | None]:
        """Runs the statements of a text one by one, each when what it gives is asked for.

        So nothing is run unless you iterate. `sql` runs all statements at once.

        - `name`: how messages call the text, as the name of the file it comes from.

        Raises `ContinuaError` as `sql` does.

        >>> for outcome in session.execute("SHOW TABLES; SELECT item FROM bids"):
        ...     print(type(outcome).__name__)
        Result
        Query
        """
        check_text(text)
        check_argument(name, str, "the name of a text is a text itself")
        for statement in parse(text, name):
            try:
                yield self._run(statement)
            except ContinuaError as error:
                raise error.at(statement.span) from None
            except RecursionError:
                raise too_deep(statement.span) from None

    def udf(self, name: str, fn: Callable[..., object], type: str) -> None:
        """Registers a Python function, to be called in SQL.

        - `name`: what it is called in SQL. A function that was registered by this name is replaced.
        - `fn`: the function. It gets a value for every argument, None for NULL.
        - `type`: the type of its result, as SQL writes it.

        Raises `ContinuaError` (`WRONG_ARGUMENTS`) for what cannot be a name, a function or a type.
        A query whose function raises fails with `FUNCTION_FAILED`.

        >>> session.udf("with_tax", lambda price: price * 1.25, "DOUBLE")
        >>> print(session.query("SELECT with_tax(price) AS full FROM bids").snapshot(at=4))
        full
        ────
        15.0
        (1 row)
        """
        check_registered(name, fn)
        if self._catalog.aggregate(name) is not None:
            raise ContinuaError("WRONG_ARGUMENTS", f"{name} is an aggregate already")
        self._catalog.register(user_function(name, fn, result_type(type)))

    def udaf(
        self,
        name: str,
        init: Callable[..., Any],
        merge: Callable[..., Any],
        combine: Callable[[Any, Any], Any],
        eval: Callable[[Any], object],
        type: str,
    ) -> None:
        """Registers a Python aggregate by its four functions (TODS §7.5.2).

        - `name`: what it is called in SQL.
        - `init`: `init(value)` starts a partial aggregate.
        - `merge`: `merge(partial, value)` adds a value to it.
        - `combine`: `combine(partial, partial)` makes one of two.
        - `eval`: `eval(partial)` gives the result.
        - `type`: the type of the result, as SQL writes it.

        An aggregate of several arguments gets them one by one. NULLs are passed over.

        Raises `ContinuaError` as `udf` does.

        >>> session.udaf(
        ...     "spread",
        ...     init=lambda v: (v, v),
        ...     merge=lambda p, v: (min(p[0], v), max(p[1], v)),
        ...     combine=lambda p, q: (min(p[0], q[0]), max(p[1], q[1])),
        ...     eval=lambda p: p[1] - p[0],
        ...     type="INT",
        ... )
        >>> print(session.query("SELECT spread(price) AS spread FROM bids [ROWS 2]").snapshot(at=4))
        spread
        ──────
             7
        (1 row)
        """
        check_registered(name, init, merge, combine, eval)
        if self._catalog.function(name) is not None:
            raise ContinuaError("WRONG_ARGUMENTS", f"{name} is a function already")
        aggregate = user_aggregate(name, init, merge, combine, eval, result_type(type))
        self._catalog.register(aggregate)

    def from_dataframe(
        self,
        name: str,
        df: DataFrame,
        time: str | None = None,
        until: str | None = None,
        granule: str | int | None = None,
    ) -> None:
        """Makes a stream of a Spark DataFrame, or a static table.

        - `name`: what it is called in SQL.
        - `df`: the rows.
        - `time`: the column that tells when each row happened. Without one it becomes a static
          table.
        - `until`: the column that tells when each row ends, if rows bring their own validity.
        - `granule`: a length of time, as `GRANULE` takes it: '1 SECOND', or 1.

        Raises `ContinuaError` if a name is taken, if a column does not exist or cannot be a time,
        or if a type of Spark has no counterpart in the language.

        >>> on_spark = Session()
        >>> frame = on_spark.spark.createDataFrame([(7, 1), (8, 3)], "item INT, t INT")
        >>> on_spark.from_dataframe("items", frame, time="t")
        >>> print(on_spark.query("SELECT COUNT(*) AS n FROM items WINDOW(RANGE 3)").snapshot())
        n
        ─
        2
        (1 row)
        """
        check_argument(name, str, "a stream's name is a text")
        hint = "session.spark.createDataFrame(…) makes one of rows or of a pandas DataFrame"
        check_argument(df, DataFrame, "from_dataframe takes a Spark DataFrame", hint)
        for column in (time, until):
            check_argument(column, str | None, "time and until are names of columns")
        check_argument(granule, str | int | None, "granule is a length of time", "'1 SECOND', or 1")
        columns = columns_of(name, df)
        listed = ", ".join(f"{quoted(c.name)} {c.type}" for c in columns)
        kind = "TABLE" if time is None else "STREAM"
        order = f" ORDERED BY {quoted(time)}" if time is not None else ""
        order += f" UNTIL {quoted(until)}" if until is not None else ""
        order += f" GRANULE {granule}" if granule is not None else ""
        text = f"CREATE {kind} {quoted(name)} ({listed}) SOURCE rows(){order}"
        (statement,) = parse(text, "<dataframe>")
        if isinstance(statement, statements.CreateStream):
            relation = declare.declare_stream(statement)
        else:
            assert isinstance(statement, statements.CreateTable)
            relation = declare.declare_table(statement)
        relation = replace(relation, source=frame_call(self.spark, df))
        self._catalog.add(relation, statement.name)

    def foreach_slab(
        self,
        query: Query,
        function: Callable[[int, DataFrame], object],
        delivery: str | None = None,
        name: str | None = None,
    ) -> None:
        """Has a function called with the results of a query, from `start` on.

        - `query`: the query, of this session.
        - `function`: gets the number of a slab and the rows that the slab has put out, once for
          every slab that has some; after a crash perhaps again, with the same number and the same
          rows.
        - `delivery`: `INTERVALS`, `CHANGES` or `INSERTS`. By default the elements of a stream
          (`INSERTS`), and the `CHANGES` of other results.
        - `name`: what the query is called, by `SHOW QUERIES` and `DROP QUERY`.

        Raises `ContinuaError` if the query would have to keep everything for ever
        (`UNBOUNDED_STATE`), or if there is no such delivery.

        >>> live = Session(live=True)
        >>> live.sql('''
        ...     CREATE STREAM bids (item INT, price INT, t INT)
        ...     SOURCE rows((7, 10, 1), (8, 5, 3)) ORDERED BY t''')
        >>> def show(slab, rows):
        ...     for row in rows.orderBy("at").collect():
        ...         print(row.at, row.change, row.item)
        >>> live.foreach_slab(live.query("SELECT item FROM bids WINDOW(RANGE 5)"), show)
        """
        check_callable(function, "foreach_slab")
        if delivery is not None:
            check_delivery(delivery)
        self._continue(name or "query", query, delivery, lambda n: CallbackSink(n, function))

    def watch(self, query: Query, name: str = "query") -> None:
        """Has a query's result shown on the console, from `start` on.

        The elements of a stream are shown, and the changes of other results.

        - `name`: what the query is called, by `SHOW QUERIES` and `DROP QUERY`.

        Raises `ContinuaError` as `foreach_slab` does.
        """
        self._continue(name, query, None, partial(make_sink, "table"))

    def start(
        self,
        checkpoint: str | Path = "continua.checkpoint",
        once: bool = False,
        files_at_once: int | None = None,
    ) -> Running:
        """Starts all queries that `INSERT INTO`, `foreach_slab` or `watch` asked for, as one graph.

        - `checkpoint`: a directory. What the queries have read and what they keep is written to it,
          and from it they go on when they are started again.
        - `once`: take what is there and stop. Otherwise they run until they are stopped.
        - `files_at_once`: how many new files of a source are taken in together, at most.

        Raises `ContinuaError` if there is no query to start (`WRONG_ARGUMENTS`), and if the
        checkpoint is in use, damaged, or of other queries (`CHECKPOINT`). What goes wrong later is
        raised by `Running.wait`.

        >>> running = live.start("items.checkpoint", once=True)
        >>> done = running.wait()
        1 + 7
        3 + 8
        6 - 7
        8 - 8
        >>> running.stop()
        """
        check_argument(checkpoint, str | Path, "checkpoint is the path of a directory")
        check_argument(files_at_once, int | None, "files_at_once is a number of files")
        if files_at_once is not None and files_at_once < 1:
            raise ContinuaError("WRONG_ARGUMENTS", "files_at_once is at least 1")
        opened = Checkpoint(checkpoint)
        try:
            texts, known = opened.latest.told, len(self._told)
            for text in texts[known:] if texts[:known] == self._told else texts:
                self.sql(text)
            self._told = texts
            if not self._roster.queries:
                message = "there is no query to start"
                hint = "INSERT INTO a sink in a session that is live: Session(live=True)"
                raise ContinuaError("WRONG_ARGUMENTS", message, hint=hint)
            engine = self._spark.apart()
            advance = Advance(engine, self._roster.queries, opened, self._complete)
            running = Running(engine, advance, opened, files_at_once)
            running.run(once)
        except BaseException:
            opened.close()
            raise
        self._roster.running = running
        return running

    def tell(self, text: str) -> list[Result]:
        """Carries out statements for the queries that run.

        The queries that they add or drop change all at once, between two slabs. The statements are
        noted in the checkpoint, and carried out again when it is started again. Gives what `SHOW`,
        `DESCRIBE` and `EXPLAIN` among them say.

        Raises `ContinuaError` if one of them is wrong, or is a query without a sink. Then nothing
        has changed.
        """
        check_text(text)
        if all(isinstance(statement, ASKING) for statement in parse(text, TOLD)):
            return _results(self.execute(text, TOLD))
        before = dict(self._settings)
        try:
            with self._catalog.restored_on_error(), self._roster.together(text):
                outcomes = list(self.execute(text, TOLD))
                if any(isinstance(outcome, Query) for outcome in outcomes):
                    message, hint = "a query that runs needs a sink", "INSERT INTO sink SELECT …"
                    raise ContinuaError("WRONG_ARGUMENTS", message, hint=hint)
        except BaseException:
            self._settings = before
            raise
        self._told += (text,)
        return _results(outcomes)

    def rejected(self, name: str) -> Result:
        """The rows that the last read of a stream or table set aside by `ON ERROR KEEP`.

        Each has its place in the input, the reason, and its text. Of a live run, see
        `Running.rejected`.

        Raises `ContinuaError` (`UNKNOWN_STREAM`) if no stream or table has that name.
        """
        check_argument(name, str, "a stream's name is a text")
        entry = self._catalog.find(name)
        if not isinstance(entry, Relation):
            hint = did_you_mean(name, self.names())
            raise ContinuaError("UNKNOWN_STREAM", f"nothing named {name} reads rows", hint=hint)
        kept = self._history.passed_over(entry) if entry.on_error == "KEEP" else ()
        return texts(("place", "reason", "text"), [(r.place, r.reason, r.text) for r in kept])

    def rejected_counts(self) -> dict[str, int]:
        """How many rows the last read of each stream passed over by `ON ERROR DROP` or `KEEP`."""
        return self._history.counts()

    def names(self) -> list[str]:
        """The names of streams, tables and sinks.

        >>> print(session.names())
        ['bids']
        """
        return sorted(entry.name for entry in self._catalog.entries.values())

    # One method per kind of statement.

    def _run(self, statement: statements.Statement) -> Outcome:
        match statement:
            case statements.Query():
                return self._query(statement)
            case statements.CreateStream():
                self._declare(declare.declare_stream(statement), statement)
            case statements.CreateTable():
                self._declare(declare.declare_table(statement), statement)
            case statements.CreateStreamAs(name):
                derived = declare.declare_derived(self._catalog, statement)
                self._catalog.add(derived, name, statement.replace)
            case statements.CreateSink(name, format_):
                sink = declare.declare_sink(statement)
                check_sink(sink.format, sink.options, sink.delivery, format_.span, sink.span)
                self._catalog.add(sink, name, statement.replace)
                self._written = {n: s for n, s in self._written.items() if s != sink.name}
            case statements.SpreadInto():
                outputs = declare.declare_spread(self._catalog, statement)
                for name, _ in outputs:
                    self._catalog.check_free(name)
                for name, derived in outputs:
                    self._catalog.add(derived, name)
            case statements.InsertRows(target):
                self._insert_rows(statement, self._catalog.get(target))
            case statements.InsertQuery(target, query):
                entry = self._catalog.get(target, makes="CREATE SINK")
                self._insert(target.span, entry, self._query(query))
            case statements.Drop("QUERY", name, if_exists):
                if not if_exists or any(q.name == name.text.lower() for q in self._roster.queries):
                    self._roster.drop(name.text, name.span)
            case statements.Drop(kind, name, if_exists):
                self._catalog.drop(kind, name, if_exists)
            case statements.Set():
                self._set(statement)
            case statements.Show(what):
                return shown(what, self._catalog, self._roster.queries, self._settings)
            case statements.Describe(name):
                return described(self._catalog.get(name))
            case statements.Explain():
                return self._explain(statement)
        return None

    def _query(self, statement: statements.Query) -> Query:
        binder = Binder(self._catalog, statement.span.source, statement.tree)
        bound = binder.bind(statement.tree)
        allow = self._settings["unbounded_state"] == "allow"
        return Query(bound.plan, bound.order, self._evaluation(bound.plan), allow)

    def _evaluation(self, plan: Node) -> Evaluation:
        if self.engine == "reference":
            return Reference(plan, self._history.read)
        return SparkEvaluation(plan, self._spark, self._history.opened)

    def _declare(
        self, relation: Relation, statement: statements.CreateStream | statements.CreateTable
    ) -> None:
        source_of(relation)  # which refuses what is wrong with it
        self._catalog.add(relation, statement.name, statement.replace)
        self._history.forget(relation)

    def _insert_rows(self, statement: statements.InsertRows, entry: Entry) -> None:
        if not isinstance(entry, Relation):
            message = f"{entry.name} takes no rows: it is a {kind_of(entry)} made by a query"
            if isinstance(entry, Sink):
                message = f"{entry.name} is a sink; INSERT INTO it takes a query"
            raise ContinuaError("WRONG_ARGUMENTS", message, statement.target.span)
        self._catalog.update(declare.with_rows(entry, statement))

    def _insert(self, span: Span, entry: Entry, query: Query) -> None:
        if not isinstance(entry, Sink):
            message = f"{entry.name} is a {kind_of(entry)}, not a sink"
            hint = f"CREATE SINK {entry.name}_out USING csv OPTIONS (path 'out.csv')"
            raise ContinuaError("WRONG_ARGUMENTS", message, span, hint=hint)
        delivery = delivery_to(entry.format, entry.delivery, default_delivery(query.plan))
        make = partial(make_sink, entry.format, options=entry.options, span=entry.span)
        if self.live:
            self._continue(entry.name, query, delivery, make)
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

    def _continue(self, name: str, query: Query, delivery: str | None, make: Maker) -> None:
        """Has a query run from `start` on; without a delivery it tells of all that happens."""
        check_argument(query, Query, "this takes a query", "session.sql('SELECT …') gives one")
        check_argument(name, str, "a query's name is a text")
        if not query.unbounded_allowed:
            for problem in unbounded_state(query.plan):
                raise problem
        at_once = "INSERTS" if query.plan.chronon else "CHANGES"
        self._roster.add(name, query.plan, delivery or at_once, make)

    def _complete(self, relation: Relation, exact: bool) -> DataFrame:
        return self._history.opened(relation, True, exact)

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
        self._settings[key] = value

    def _explain(self, statement: statements.Explain) -> Result:
        if statement.stage in ("OPTIMIZED", "COST"):
            message = f"EXPLAIN {statement.stage} is not yet supported"
            hint = "EXPLAIN LOGICAL, PHYSICAL and SPARK are"
            raise ContinuaError("NOT_YET", message, statement.span, hint=hint)
        lines = self._query(statement.query).explain(statement.stage).split("\n")
        return Explanation.of([Column("plan", STRING)], [(line,) for line in lines])


def _results(outcomes: Iterable[Outcome]) -> list[Result]:
    return [outcome for outcome in outcomes if isinstance(outcome, Result)]
