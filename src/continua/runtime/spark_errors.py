"""What Spark says when a query fails, as errors of ours: where, what, and a hint."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pyspark.errors import PySparkException, PythonException

from continua.errors import ContinuaError, Span, with_article
from continua.logical.expr.cast import FROM_TO, OUTSIDE
from continua.physical.adjusted import NO_VALUE
from continua.physical.builder import Builder
from continua.physical.failures import AT_A_TIME, PYTHON
from continua.physical.spark_internals.error_conditions import Problem, evaluation, fragments
from continua.physical.spark_internals.error_texts import (
    first_sentence,
    last_cause,
    last_line,
    tells_of_cancellation,
    tells_of_complexity,
    tells_of_ended_worker,
    tells_of_full_disk,
    tells_of_lost_rows,
)
from continua.physical.spark_internals.java_errors import (
    JAVA_FAILED,
    JAVA_RAISED,
    raised_in_thread,
    said_by_java,
)
from continua.physical.spark_internals.quiet import quiet
from continua.physical.years import steps
from continua.runtime.sources.doubt import is_doubt


class Suspicion(Exception):
    """Spark's own reader has met a row that it cannot be sure about."""


class Lost(Exception):
    """Rows that were in the memory of an executor are gone with it."""


NULLIF = "NULLIF(divisor, 0) gives NULL instead"
TRY_CAST = "TRY_CAST gives NULL instead"
SPACE = "make room; a live query goes on from its checkpoint"
PARTS = "shorter ones can go to sinks, and be read again"
RETURNS = "a function returns or raises: os._exit, or a crash of compiled code, ends its worker"
AGAIN = "memory may have run out; a live query goes on from its checkpoint"
WIDER = "cast an operand to a wider type"

KNOWN = {
    Problem.DIVISION_BY_ZERO: ("division by zero", NULLIF),
    Problem.NOT_OF_TYPE: ("{value} is not {article}", TRY_CAST),
    Problem.DOES_NOT_FIT: ("{value} does not fit {type_}", TRY_CAST),
    Problem.TOO_MANY_DIGITS: ("{value} does not fit {type_}", WIDER),
    Problem.OUT_OF_RANGE: ("{fragment} is out of range", WIDER),
}
"""What problems mean to a user, and what to do about them."""


@contextmanager
def translated(builder: Builder) -> Iterator[None]:
    """Runs Spark; what fails there is raised as a mistake the user can mend."""
    try:
        with quiet(), translated_java(), _damaged_files(), _also_in_threads():
            yield
    except PySparkException as error:
        raise _translated(error, builder) from None


@contextmanager
def _damaged_files() -> Iterator[None]:
    """Runs what reads files: it is Java that reports a damaged file, and not Spark."""
    try:
        yield
    except JAVA_RAISED as error:
        if _of_machine(str(error)) is None and is_doubt(error):
            raise Suspicion from None
        raise


@contextmanager
def _also_in_threads() -> Iterator[None]:
    """Runs Spark; an error of another thread is raised like one of the query's own thread."""
    try:
        yield
    except JAVA_RAISED as error:
        if (inside := raised_in_thread(error)) is not None:
            raise inside from None
        raise


@contextmanager
def translated_java() -> Iterator[None]:
    """Runs what calls Java; raises an error of ours if Java fails, or has ended."""
    try:
        yield
    except (JAVA_FAILED, ConnectionRefusedError) as error:
        raise _of_java(error) from None


@contextmanager
def writing() -> Iterator[None]:
    """Writes files; an error of the system is reported in its own words."""
    try:
        yield
    except OSError as error:
        message = f"the slab cannot be written: {error.strerror}: {error.filename}"
        raise ContinuaError("CANNOT_WRITE", message, hint=SPACE) from None


def _translated(error: PySparkException, builder: Builder) -> BaseException:
    text = str(error)
    if machine := _of_machine(text):
        return machine
    if is_doubt(error):
        return Suspicion()
    if found := re.search(rf"{AT_A_TIME}(\d+):(-?\d+)", text):
        return builder.failures[int(found[1])](int(found[2]))
    if found := re.search(rf"{PYTHON}(.*?){PYTHON}", text, re.DOTALL):
        code, name, message = found[1].split(":", 2)
        return ContinuaError(code, message, builder.places.get(name))
    if isinstance(error, PythonException):
        raised = last_line(error)
        return ContinuaError("FUNCTION_FAILED", f"a registered function raised {raised}")
    found_in, failed = fragments(error), evaluation(error)
    place = _place(found_in, builder) or _only_cast(failed.cast, builder)
    for fragment in found_in:
        around = [text for text in builder.limits if fragment in text]
        if around:
            return builder.limits[min(around, key=len)]
    if any(map(steps, found_in)):
        return ContinuaError("EVALUATION", OUTSIDE, place, hint=FROM_TO)
    if failed.problem is None:
        return ContinuaError("EVALUATION", first_sentence(error), place)
    message, hint = KNOWN[failed.problem]
    fragment = place.text if place else "a value"
    value, article = failed.value.replace(NO_VALUE, ""), with_article(failed.type_)
    text = message.format(fragment=fragment, value=value, type_=failed.type_, article=article)
    return ContinuaError("EVALUATION", text, place, hint=hint)


def _of_java(error: Exception) -> BaseException:
    """The error of Java where Spark reports none, or the error that Java has ended."""
    text = said_by_java(error)
    if text is None:
        return ContinuaError("EVALUATION", "Spark has ended: its Java is gone", hint=AGAIN)
    return _of_machine(text) or ContinuaError("EVALUATION", f"Spark failed: {last_cause(text)}")


def _of_machine(text: str) -> BaseException | None:
    """The error if the machine is the cause, and not the query; else None."""
    if tells_of_cancellation(text):
        return KeyboardInterrupt()
    if tells_of_complexity(text):
        message = "the query is too long, or nested too deeply, for Spark"
        return ContinuaError("UNSUPPORTED", message, hint=PARTS)
    if tells_of_ended_worker(text):
        message = "a registered function has ended the Python worker in which it ran"
        return ContinuaError("FUNCTION_FAILED", message, hint=RETURNS)
    if tells_of_lost_rows(text):
        return Lost()
    if tells_of_full_disk(text):
        return ContinuaError("CANNOT_WRITE", "there is no space left on the device", hint=SPACE)
    return None


def _place(fragments: Sequence[str], builder: Builder) -> Span | None:
    """The place in the user's text of the fragments of a query that failed.

    Around an expression of the user's the query may have more: the shortest text with it counts.
    """
    for fragment in fragments:
        around = [text for text in builder.places if fragment in text]
        if around:
            return builder.places[min(around, key=len)]
    return None


def _only_cast(target: str | None, builder: Builder) -> Span | None:
    """The place of the only cast to a type: for some casts Spark does not say which one failed."""
    around = [text for text in builder.places if f" AS {target})" in text]
    casts = [text for text in around if not any(o != text and o in text for o in around)]
    return builder.places[casts[0]] if len(casts) == 1 else None
