"""What Spark says when a query fails, as errors of ours: where, what, and a hint."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark.errors import PySparkException, PythonException

from continua.errors import ContinuaError, Span, with_article
from continua.logical.expr.cast import FROM_TO, OUTSIDE
from continua.physical.adjusted import NO_VALUE
from continua.physical.failures import PYTHON, TWO_ROWS
from continua.physical.hushed import hushed
from continua.physical.script import Script
from continua.physical.years import steps
from continua.runtime.sources.spark_read import is_doubt


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
    "DIVIDE_BY_ZERO": ("division by zero", NULLIF),
    "REMAINDER_BY_ZERO": ("division by zero", NULLIF),
    "CAST_INVALID_INPUT": ("{expression} is not {article}", TRY_CAST),
    "CAST_OVERFLOW": ("{value} does not fit {targetType}", TRY_CAST),
    "ARITHMETIC_OVERFLOW": ("{fragment} is out of range", WIDER),
    "BINARY_ARITHMETIC_OVERFLOW": ("{fragment} is out of range", WIDER),
    "NUMERIC_VALUE_OUT_OF_RANGE": ("{value} does not fit DECIMAL({precision},{scale})", WIDER),
}
"""What conditions of Spark mean to a user, and what to do about them."""


@contextmanager
def translated(script: Script) -> Iterator[None]:
    """Runs Spark; what fails there is raised as a mistake the user can mend."""
    try:
        with hushed(), answered(), _doubted():
            yield
    except PySparkException as error:
        raise _translated(error, script) from None


@contextmanager
def _doubted() -> Iterator[None]:
    """Reads files: of those that are damaged, Java says so and not Spark."""
    try:
        yield
    except Py4JJavaError as error:
        if _grave(str(error)) is None and is_doubt(error):
            raise Suspicion from None
        raise


@contextmanager
def answered() -> Iterator[None]:
    """Speaks to Java, which may be gone."""
    try:
        yield
    except (Py4JError, ConnectionRefusedError) as error:
        raise _of_java(error) from None


@contextmanager
def writing() -> Iterator[None]:
    """Writes files; what the system refuses is said as it says it."""
    try:
        yield
    except OSError as error:
        message = f"the slab cannot be written: {error.strerror}: {error.filename}"
        raise ContinuaError("CANNOT_WRITE", message, hint=SPACE) from None


def _translated(error: PySparkException, script: Script) -> BaseException:
    text = str(error)
    if grave := _grave(text):
        return grave
    if is_doubt(error):
        return Suspicion()
    if found := re.search(rf"{TWO_ROWS}(\d+):(-?\d+)", text):
        return script.failures[int(found[1])](int(found[2]))
    if found := re.search(rf"{PYTHON}(.*?){PYTHON}", text, re.DOTALL):
        code, name, message = found[1].split(":", 2)
        return ContinuaError(code, message, script.places.get(name))
    if isinstance(error, PythonException):
        raised = text.strip().splitlines()[-1]
        return ContinuaError("FUNCTION_FAILED", f"a registered function raised {raised}")
    given = {key: value.strip('"') for key, value in (error.getMessageParameters() or {}).items()}
    given = {key: value.replace(NO_VALUE, "") for key, value in given.items()}
    place = _place(error, script) or _only_cast(given.get("targetType"), script)
    condition = (error.getCondition() or "").split(".")[0]
    for fragment in _fragments(error):
        around = [text for text in script.limits if fragment in text]
        if around:
            return script.limits[min(around, key=len)]
    if any(map(steps, _fragments(error))):
        return ContinuaError("EVALUATION", OUTSIDE, place, hint=FROM_TO)
    if condition not in KNOWN:
        return ContinuaError("EVALUATION", _sentence(text), place)
    message, hint = KNOWN[condition]
    fragment = place.text if place else "a value"
    article = with_article(given.get("targetType"))
    text = message.format(fragment=fragment, article=article, **given)
    return ContinuaError("EVALUATION", text, place, hint=hint)


def _of_java(error: Py4JError | ConnectionRefusedError) -> BaseException:
    """What Java says that Spark does not, or that it says nothing any more."""
    try:
        text = str(error)  # which may ask Java
        ended = isinstance(error, Py4JNetworkError | ConnectionRefusedError)
    except (Py4JError, ConnectionRefusedError):
        ended = True
    if ended:
        return ContinuaError("EVALUATION", "Spark has ended: its Java is gone", hint=AGAIN)
    return _grave(text) or ContinuaError("EVALUATION", f"Spark failed: {_first_line(text)}")


def _grave(text: str) -> BaseException | None:
    """What is wrong with the machine, and not with the query."""
    if "cancellation of all jobs" in text:
        return KeyboardInterrupt()  # at which PySpark cancels them
    if "StackOverflowError" in text or "TOO_COMPLEX" in text:
        message = "the query is too long, or nested too deeply, for Spark"
        return ContinuaError("UNSUPPORTED", message, hint=PARTS)
    if "Python worker exited unexpectedly" in text or "Python worker faulthandler" in text:
        message = "a registered function has ended the Python worker in which it ran"
        return ContinuaError("FUNCTION_FAILED", message, hint=RETURNS)
    if "CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND" in text:
        return Lost()
    if "No space left on device" in text:
        return ContinuaError("CANNOT_WRITE", "there is no space left on the device", hint=SPACE)
    return None


def _place(error: PySparkException, script: Script) -> Span | None:
    """The place in the user's text of the fragment of the script that failed.

    An expression may be more in the script than in the user's text: the least around it counts.
    """
    for fragment in _fragments(error):
        around = [text for text in script.places if fragment in text]
        if around:
            return script.places[min(around, key=len)]
    return None


def _fragments(error: PySparkException) -> list[str]:
    return [context.fragment() for context in error.getQueryContext()]


def _only_cast(target: str | None, script: Script) -> Span | None:
    """The place of the only cast to a type: of some casts Spark does not tell which failed."""
    around = [text for text in script.places if f" AS {target})" in text]
    casts = [text for text in around if not any(o != text and o in text for o in around)]
    return script.places[casts[0]] if len(casts) == 1 else None


def _sentence(text: str) -> str:
    """The first sentence of a message, without Spark's own name for it and its advice."""
    plain = re.sub(r"^\[[A-Z_.]+\]\s*", "", text.strip())
    plain = re.split(r"\. Use `|\. If necessary|\s+SQLSTATE|\n", plain)[0]
    return plain[:1].lower() + plain[1:]


def _first_line(text: str) -> str:
    """What Java says was the cause in the end, or else what it says first."""
    lines = [line.strip(" :\t") for line in text.splitlines() if line.strip(" :\t")]
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    named = [line for line in lines if "Exception" in line or "Error" in line]
    return [*causes[-1:], *named, *lines][0]
