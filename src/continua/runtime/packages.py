"""Kinds of sources and sinks that installed packages give, by entry points."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from continua.errors import ContinuaError, Span


def given_names(group: str) -> list[str]:
    """The names of the kinds that packages give."""
    return list(dict.fromkeys(entry.name for entry in entry_points(group=group)))


def given_class(group: str, name: str, base: type, called: str, span: Span | None) -> Any:
    """The class of a kind, made from the base, or None if no package gives one of that name.

    called: what the kind is to the user.
    """
    try:
        entry = _entry(group, name)
    except KeyError:
        return None
    try:
        found = entry.load()
    except Exception as error:
        message = f"the {called} {name} cannot be loaded: {type(error).__name__}: {error}"
        raise ContinuaError("WRONG_ARGUMENTS", message, span) from None
    if not (isinstance(found, type) and issubclass(found, base)):
        is_none = f"is no {base.__name__.lower()}"
        message = f"{entry.value}, which the {called} {name} is to be, {is_none}"
        hint = f"a class made from {base.__name__}"
        raise ContinuaError("WRONG_ARGUMENTS", message, span, hint=hint)
    return found


@cache
def _entry(group: str, name: str) -> EntryPoint:
    """Looked for once, which takes long; what is not there may be installed meanwhile."""
    return entry_points(group=group)[name]
