"""The options that a kind of source or sink declares, and what a user gives for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass


class WrongOption(Exception):
    """Why options cannot be had as they are given."""


class UnknownOption(Exception):
    """The name of an option that the kind does not have."""


@dataclass(frozen=True)
class Option:
    """An option: what its values are, in words and as a function that gives None for others.

    One that is not required and not given has its default.
    """

    name: str
    rule: str
    read: Callable[[object], object | None]
    default: object = None
    required: bool = False

    @classmethod
    def text(cls, name: str, default: str | None = None, required: bool = False) -> Option:
        """A text that is not empty."""
        return cls(name, "a text", _text, default, required)

    @classmethod
    def truth(cls, name: str, default: bool) -> Option:
        """True or false."""
        return cls(name, "TRUE or FALSE", _truth, default)

    @classmethod
    def number(cls, name: str, default: int) -> Option:
        """A whole number."""
        return cls(name, "a whole number", _number, default)

    @classmethod
    def choice(cls, name: str, values: Sequence[str]) -> Option:
        """One of several texts, in letters of any case; the first is the default."""

        def read(value: object) -> str | None:
            return str(value).lower() if str(value).lower() in values else None

        return cls(name, f"one of {', '.join(values)}", read, values[0])


def values_of(declared: Sequence[Option], given: Iterable[tuple[str, object]]) -> dict[str, object]:
    """The value of every option, as given or by default.

    Raises `UnknownOption` for one that the kind does not have, and `WrongOption`.
    """
    known = {option.name: option for option in declared}
    found: dict[str, object] = {}
    for key, value in given:
        name = key.lower()
        if name not in known:
            raise UnknownOption(key)
        if name in found:
            raise WrongOption(f"the option {key} is given twice")
        found[name] = known[name].read(value)
        if found[name] is None:
            raise WrongOption(f"{name} is {known[name].rule}, not {value!r}")
    return {name: option.default for name, option in known.items()} | found


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _truth(value: object) -> bool | None:
    """TRUE or FALSE, or a text that says so: options are often written as texts."""
    return {"true": True, "false": False}.get(str(value).lower())


def _number(value: object) -> int | None:
    """A number, or a text that is one."""
    try:
        return None if isinstance(value, bool | float) else int(str(value))
    except ValueError:
        return None
