"""What the conditions of Spark's errors say, and their parameters.

Relies on the names of conditions and of their parameters. How to ask for them is public, but what
there is differs from version to version. Tried with Spark 4.3.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final, NamedTuple

from pyspark.errors import PySparkException


class Problem(Enum):
    """What can be wrong with a value."""

    DIVISION_BY_ZERO = auto()
    NOT_OF_TYPE = auto()
    DOES_NOT_FIT = auto()
    TOO_MANY_DIGITS = auto()
    OUT_OF_RANGE = auto()


_PROBLEMS: Final = {
    "DIVIDE_BY_ZERO": Problem.DIVISION_BY_ZERO,
    "REMAINDER_BY_ZERO": Problem.DIVISION_BY_ZERO,
    "CAST_INVALID_INPUT": Problem.NOT_OF_TYPE,
    "CAST_OVERFLOW": Problem.DOES_NOT_FIT,
    "NUMERIC_VALUE_OUT_OF_RANGE": Problem.TOO_MANY_DIGITS,
    "ARITHMETIC_OVERFLOW": Problem.OUT_OF_RANGE,
    "BINARY_ARITHMETIC_OVERFLOW": Problem.OUT_OF_RANGE,
}


class Evaluation(NamedTuple):
    """What has failed in an expression.

    problem: None if it is another. value, type_: what is not of which type; empty if not told.
    cast: the type that something was cast to, if it was.
    """

    problem: Problem | None
    value: str
    type_: str
    cast: str | None


def evaluation(error: PySparkException) -> Evaluation:
    """What an error says of an expression that failed."""
    given = {name: value.strip('"') for name, value in _parameters(error).items()}
    problem, cast = _PROBLEMS.get(_condition(error)), given.get("targetType")
    if problem is Problem.NOT_OF_TYPE:
        return Evaluation(problem, given["expression"], given["targetType"], cast)
    if problem is Problem.DOES_NOT_FIT:
        return Evaluation(problem, given["value"], given["targetType"], cast)
    if problem is Problem.TOO_MANY_DIGITS:
        type_ = f"DECIMAL({given['precision']},{given['scale']})"
        return Evaluation(problem, given["value"], type_, cast)
    return Evaluation(problem, "", "", cast)


def fragments(error: PySparkException) -> list[str]:
    """The parts of the SQL that an error is about."""
    return [context.fragment() for context in error.getQueryContext()]


def expected_arguments(error: PySparkException) -> str | None:
    """How many arguments a function takes, as `2` or `2, 3`, if it was given another number."""
    expected = _parameters(error).get("expectedNum")
    if expected is None or _condition(error) != "WRONG_NUM_ARGS":
        return None
    return expected.strip("[]")


def missing_path(error: Exception) -> str | None:
    """The path at which there is nothing to read, if that is the error."""
    if _condition(error) != "PATH_NOT_FOUND":
        return None
    return _parameters(error)["path"].removeprefix("file:")


def is_without_columns(error: Exception) -> bool:
    """Whether there is no file from which Spark could know the columns."""
    return _condition(error) == "UNABLE_TO_INFER_SCHEMA"


def _condition(error: Exception) -> str:
    """The condition, without what distinguishes its kinds."""
    found = error.getCondition() if isinstance(error, PySparkException) else None
    return (found or "").split(".")[0]


def _parameters(error: Exception) -> dict[str, str]:
    found = error.getMessageParameters() if isinstance(error, PySparkException) else None
    return found or {}
