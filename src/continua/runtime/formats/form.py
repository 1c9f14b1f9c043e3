"""The form of a sink: its format, and what its options say of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from continua.errors import ContinuaError, Span, did_you_mean, nearest

OPTIONS: Final[dict[str, tuple[str, ...]]] = {
    "table": ("path",),
    "csv": ("path", "delimiter", "header"),
    "json": ("path",),
    "parquet": ("path", "compression"),
}
"""The options of each format."""

FORMATS: Final = tuple(OPTIONS)

COMPRESSIONS: Final = ("snappy", "gzip", "zstd", "none")
"""What Parquet files may be compressed by; the first is the default."""


@dataclass(frozen=True)
class Form:
    """A format with its options; those of other formats do not matter."""

    format: str
    delimiter: str = ","
    header: bool = True
    compression: str = COMPRESSIONS[0]


def check_format(format_: str, span: Span | None = None) -> str:
    if format_ not in FORMATS:
        hint = did_you_mean(format_, FORMATS, f"the formats are {', '.join(FORMATS)}")
        raise ContinuaError("WRONG_ARGUMENTS", f"there is no format {format_}", span, hint=hint)
    return format_


def form_of(
    format_: str, options: Iterable[tuple[str, object]], span: Span | None = None
) -> tuple[Form, str | None]:
    """The form that options ask for, and the path; refuses what the format does not have."""
    known = OPTIONS[check_format(format_, span)]
    found: dict[str, str | bool] = {}
    for key, value in options:
        name = key.lower()
        if name not in known:
            match, listed = nearest(name, known), ", ".join(known)
            hint = (f"did you mean {match}? " if match else "") + f"its options are {listed}"
            raise _wrong(f"a sink of {format_} has no option {key}", span, hint)
        if name in found:
            raise _wrong(f"the option {key} is given twice", span)
        rule, read = _RULES[name]
        taken = read(value)
        if taken is None:
            raise _wrong(f"{name} is {rule}, not {value!r}", span)
        found[name] = taken
    path = found.pop("path", None)
    return Form(format_, **found), None if path is None else str(path)  # type: ignore[arg-type]


def delimiter_of(value: object) -> str | None:
    """The character between the fields of CSV, if it is one; `\\t` is a tab."""
    if value == r"\t":
        return "\t"
    one = isinstance(value, str) and len(value) == 1 and value not in '"\r\n'
    return str(value) if one else None


def truth_of(value: object) -> bool | None:
    """TRUE or FALSE, or a text that says so: options are often written as texts."""
    return {"true": True, "false": False}.get(str(value).lower())


def _compression(value: object) -> str | None:
    return str(value).lower() if str(value).lower() in COMPRESSIONS else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


DELIMITER: Final = "one character"
HEADER: Final = "TRUE or FALSE"

_RULES: Final[dict[str, tuple[str, Callable[[object], str | bool | None]]]] = {
    "path": ("a text", _text),
    "delimiter": (DELIMITER, delimiter_of),
    "header": (HEADER, truth_of),
    "compression": (f"one of {', '.join(COMPRESSIONS)}", _compression),
}


def _wrong(message: str, span: Span | None, hint: str | None = None) -> ContinuaError:
    return ContinuaError("WRONG_ARGUMENTS", message, span, hint=hint)
