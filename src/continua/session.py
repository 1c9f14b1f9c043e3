"""The session: where text becomes statements, statements plans, and plans results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from continua.describe import texts
from continua.errors import ContinuaError, check_argument, did_you_mean
from continua.logical.expr.user import user_aggregate, user_function
from continua.model.catalog import Relation
from continua.runtime.engine import Engine
from continua.runtime.live.checkpoint import Checkpoint
from continua.runtime.live.live_graph import LiveGraph
from continua.runtime.live.report import Progress
from continua.runtime.live.running import Running
from continua.runtime.query import Query
from continua.runtime.result import Result
from continua.runtime.sinks.callback_sink import CallbackSink
from continua.runtime.sinks.kinds import make_sink
from continua.runtime.sources.frame_source import columns_of, frame_call
from continua.sql import declare, statements
from continua.sql.parser import parse, too_deep
from continua.workspace import Outcome, Workspace

# How many calls may be under way at once: sqlglot needs Python's 1,000 for some forty brackets.
sys.setrecursionlimit(max(sys.getrecursionlimit(), 10_000))

ENGINES = ("spark", "reference")
NO_SPARK = "without it, Spark is set up when it is needed; Spark Connect is not supported"
ASKING = (statements.Show, statements.Describe, statements.Explain, statements.Snapshot)
"""Statements that change nothing."""

TELL = "<tell>"
"""How messages call the text given to `tell`."""


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
        self._statements: tuple[str, ...] = ()
        """The texts given to `tell`, also by the runs that this session goes on from."""
        self._spark = Engine(spark)
        self._workspace = Workspace(self._spark, engine == "reference", live)

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

        A query gives a `Query`, which is not evaluated before its result is asked for; `SNAPSHOT
        OF`, `SHOW`, `DESCRIBE` and `EXPLAIN` give a `Result`, other statements None. Statements are
        separated by `;`.

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
                yield self._workspace.carry_out(statement)
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
        if self._workspace.catalog.aggregate(name) is not None:
            raise ContinuaError("WRONG_ARGUMENTS", f"{name} is an aggregate already")
        self._workspace.catalog.register(user_function(name, fn, result_type(type)))

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
        if self._workspace.catalog.function(name) is not None:
            raise ContinuaError("WRONG_ARGUMENTS", f"{name} is a function already")
        aggregate = user_aggregate(name, init, merge, combine, eval, result_type(type))
        self._workspace.catalog.register(aggregate)

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
        self._workspace.catalog.add(relation, statement.name)

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
        - `delivery`: `INTERVALS`, `CHANGES` or `INSERTS`. By default `INSERTS` for streams and
          where all windows are `TUMBLE`, `HOP` or `SESSION`, and `INTERVALS` for other relations.
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
        >>> live.foreach_slab(live.query("SELECT item FROM bids WINDOW(RANGE 5)"), show, "CHANGES")
        """
        check_callable(function, "foreach_slab")
        self._workspace.add_live_query(
            name or "query", query, delivery, lambda n: CallbackSink(n, function)
        )

    def watch(self, query: Query, name: str = "query") -> None:
        """Has a query's result shown on the console, from `start` on.

        What is shown is what `foreach_slab` is given by default.

        - `name`: what the query is called, by `SHOW QUERIES` and `DROP QUERY`.

        Raises `ContinuaError` as `foreach_slab` does.
        """
        self._workspace.add_live_query(name, query, None, partial(make_sink, "table"))

    def start(
        self,
        checkpoint: str | Path = "continua.checkpoint",
        once: bool = False,
        files_at_once: int | None = None,
        observers: Sequence[Callable[[Progress], object]] = (),
    ) -> Running:
        """Starts all queries that `INSERT INTO`, `foreach_slab` or `watch` asked for, as one graph.

        - `checkpoint`: a directory. What the queries have read and what they keep is written to it,
          and from it they go on when they are started again.
        - `once`: take what is there and stop. Otherwise they run until they are stopped.
        - `files_at_once`: how many new files of a source are taken in together, at most.
        - `observers`: functions that are given the `Progress` after every slab, once it is
          committed. They cannot change what runs; one that raises is passed over with a warning.

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
        for observer in observers:
            check_callable(observer, "an observer")
        opened = Checkpoint.open(checkpoint)
        try:
            texts, known = opened.latest.statements, len(self._statements)
            for text in texts[known:] if texts[:known] == self._statements else texts:
                self.sql(text)
            self._statements = texts
            if not self._workspace.roster.queries:
                message = "there is no query to start"
                hint = "INSERT INTO a sink in a session that is live: Session(live=True)"
                raise ContinuaError("WRONG_ARGUMENTS", message, hint=hint)
            engine = self._spark.another()
            graph = LiveGraph(engine, opened, self._workspace.complete, observers)
            graph.begin(self._workspace.roster.queries)
            running = Running(engine, graph, opened, files_at_once)
            running.run(once)
        except BaseException:
            opened.close()
            raise
        self._workspace.roster.running = running
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
        if all(isinstance(statement, ASKING) for statement in parse(text, TELL)):
            return _results(self.execute(text, TELL))
        before = dict(self._workspace.settings)
        try:
            with self._workspace.catalog.restored_on_error(), self._workspace.roster.together(text):
                outcomes = list(self.execute(text, TELL))
                if any(isinstance(outcome, Query) for outcome in outcomes):
                    message, hint = "a query that runs needs a sink", "INSERT INTO sink SELECT …"
                    raise ContinuaError("WRONG_ARGUMENTS", message, hint=hint)
        except BaseException:
            self._workspace.settings = before
            raise
        self._statements += (text,)
        return _results(outcomes)

    def rejected(self, name: str) -> Result:
        """The rows that the last read of a stream or table set aside by `ON ERROR KEEP`.

        Each has its place in the input, the reason, and its text. Of a live run, see
        `Running.rejected`.

        Raises `ContinuaError` (`UNKNOWN_STREAM`) if no stream or table has that name.
        """
        check_argument(name, str, "a stream's name is a text")
        entry = self._workspace.catalog.find(name)
        if not isinstance(entry, Relation):
            hint = did_you_mean(name, self.names())
            raise ContinuaError("UNKNOWN_STREAM", f"nothing named {name} reads rows", hint=hint)
        found = self._workspace.history.passed_over(entry) if entry.on_error == "KEEP" else ()
        return texts(("place", "reason", "text"), [(r.place, r.reason, r.text) for r in found])

    def rejected_counts(self) -> dict[str, int]:
        """How many rows the last read of each stream passed over by `ON ERROR DROP` or `KEEP`."""
        return self._workspace.history.counts()

    def names(self) -> list[str]:
        """The names of streams, tables and sinks.

        >>> print(session.names())
        ['bids']
        """
        return sorted(entry.name for entry in self._workspace.catalog.entries.values())


def _results(outcomes: Iterable[Outcome]) -> list[Result]:
    return [outcome for outcome in outcomes if isinstance(outcome, Result)]
