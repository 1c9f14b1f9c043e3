"""Explains the queries of a text without running them."""

from __future__ import annotations

import re

from continua.cli.show import emit, show
from continua.errors import ContinuaError, Source, Span
from continua.runtime.query import Query
from continua.session import Session
from continua.sql.parser import parse
from continua.sql.statements import Describe, InsertQuery, Show, Statement
from continua.workspace import Outcome


def explain(session: Session, source: Source) -> None:
    """Runs the declarations of a text and prints the plans of its queries.

    Of INSERT INTO a sink the query is explained; nothing is written.
    """
    explained = 0
    for statement in parse(source.text, source.name):
        if isinstance(statement, (Show, Describe)):
            continue
        query = statement.query if isinstance(statement, InsertQuery) else statement
        outcome = _run_alone(session, query)
        if outcome is None:
            continue
        if explained:
            emit("\n")
        if isinstance(outcome, Query):
            emit(f"{outcome.explain()}\n")
        else:
            show(outcome)  # of a statement that is an EXPLAIN itself
        explained += 1
    if not explained:
        raise ContinuaError("WRONG_ARGUMENTS", f"{source.name} has no query to explain")


def _run_alone(session: Session, statement: Statement) -> Outcome:
    """Runs one statement of a text: the session gets the text with all else blanked out."""
    span = statement.span
    source = span.source
    blank = re.sub(r"[^\n]", " ", source.text)
    alone = blank[: span.start] + span.text + blank[span.end :]
    try:
        (outcome,) = session.execute(alone, source.name)
    except ContinuaError as error:
        if error.span is None or error.span.source.text != alone:
            raise
        # Blanking kept all positions, so the place in the whole text is the same.
        place = Span(source, error.span.start, error.span.end)
        raise ContinuaError(error.code, error.message, place, hint=error.hint) from None
    return outcome
