"""What callers of the programming interface hand over: checked before anything is done with it."""

from __future__ import annotations

from collections.abc import Callable

from continua.errors import ContinuaError, check_argument, did_you_mean
from continua.model.types import TYPE_NAMES, Type, parse_type


def check_text(text: str) -> None:
    """Statements are given as a text."""
    check_argument(text, str, "statements are a text", "as in session.sql('SELECT * FROM s')")


def quoted(name: str) -> str:
    """A name as it can stand in SQL, whatever it contains."""
    return "`" + name.replace("`", "``") + "`"


def check_registered(name: str, *functions: Callable[..., object]) -> None:
    """What a function is registered by: its name, and Python functions."""
    check_argument(name, str, "a function's name is a text")
    if not name.isidentifier():
        raise ContinuaError("WRONG_ARGUMENTS", f"{name!r} cannot be a function's name")
    for function in functions:
        check_callable(function, name)


def check_callable(function: object, name: str) -> None:
    """`name` is who wants to call the function."""
    if not callable(function):
        raise ContinuaError("WRONG_ARGUMENTS", f"{name}: {function!r} cannot be called")


def result_type(text: str) -> Type:
    """The type that a registered function gives, by its name in SQL."""
    hint = f"the types are {', '.join(TYPE_NAMES)}"
    check_argument(text, str, "the type of a result is given by its name in SQL", hint)
    found = parse_type(text)
    if found is None:
        hint = did_you_mean(text, TYPE_NAMES, hint) or hint
        raise ContinuaError("WRONG_ARGUMENTS", f"{text} is not a type", hint=hint)
    return found
