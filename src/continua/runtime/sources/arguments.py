"""The arguments of a source function, or an error that says which one is wrong."""

from __future__ import annotations

from collections.abc import Iterable

from continua.errors import ContinuaError, did_you_mean
from continua.model.catalog import Relation, SourceCall


def wrong_arguments(call: SourceCall, message: str, hint: str | None = None) -> ContinuaError:
    return ContinuaError("WRONG_ARGUMENTS", f"{call.function}: {message}", call.span, hint=hint)


def texts(relation: Relation, what: str, example: str) -> tuple[str, ...]:
    """The positional arguments of a function that takes one text or more."""
    call = relation.source
    hint = f"as in {call.function}({example})"
    if not call.args:
        raise wrong_arguments(call, f"expected {what}, got nothing", hint)
    for text in call.args:
        if not isinstance(text, str) or not text:
            raise wrong_arguments(call, f"expected {what} as a text, got {text!r}", hint)
    return tuple(str(text) for text in call.args)


def only_text(relation: Relation, what: str, example: str) -> str:
    """The one positional argument of a function that takes a text."""
    call = relation.source
    if len(call.args) != 1:
        hint = f"as in {call.function}({example})"
        raise wrong_arguments(call, f"expected one argument, {what}, got {len(call.args)}", hint)
    return texts(relation, what, example)[0]


def named(relation: Relation, known: Iterable[str] = ()) -> dict[str, object]:
    """The named arguments by their names in lower case, all of them known, none twice."""
    call, names = relation.source, list(known)
    found: dict[str, object] = {}
    for key, value in call.options:
        name = key.lower()
        if name not in names:
            otherwise = f"its options are {', '.join(names)}" if names else "it takes none"
            hint = did_you_mean(name, names, otherwise)
            raise wrong_arguments(call, f"no option {key}", hint)
        if name in found:
            raise wrong_arguments(call, f"the option {key} is given twice")
        found[name] = value
    return found
