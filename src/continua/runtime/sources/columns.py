"""Declared columns found in an input by their names."""

from __future__ import annotations

from collections.abc import Sequence

from continua.errors import ContinuaError, nearest
from continua.model.catalog import Relation
from continua.model.types import Type, parse_type

_LISTED = 20


def locate(relation: Relation, names: Sequence[str], owner: str) -> list[int]:
    """For each declared column, which of the names is meant; raises if there is none.

    Case does not matter, unless it takes the case to tell two names apart.
    """
    return [_position(relation, column.name, names, owner) for column in relation.columns]


def places_of(relation: Relation, columns: Sequence[tuple[str, str]], owner: str) -> list[int]:
    """The same among the columns that a source declares, whose types have to fit."""
    places = locate(relation, [name for name, _ in columns], owner)
    for column, place in zip(relation.columns, places, strict=True):
        type_ = parse_type(columns[place][1])
        assert type_ is not None, f"{owner}: {columns[place][1]} is no type"
        if not _fits(type_, column.type):
            message = f"column {column.name} of {owner} is {type_}, not {column.type}"
            raise ContinuaError("TYPE_MISMATCH", message, relation.source.span)
    return places


def _fits(given: Type, declared: Type) -> bool:
    """Whether values of the one type can be had as the other; each still has to fit its range."""
    if given.integral:
        return declared.numeric
    if given.floating:
        return declared.floating or declared.name == "DECIMAL"
    return given == declared


def _position(relation: Relation, wanted: str, names: Sequence[str], owner: str) -> int:
    found = [i for i, name in enumerate(names) if name.lower() == wanted.lower()]
    if len(found) > 1:
        found = [i for i in found if names[i] == wanted] or found
    if len(found) == 1:
        return found[0]
    if found:
        fitting = ", ".join(names[i] for i in found)
        raise ContinuaError(
            "AMBIGUOUS_COLUMN",
            f"column {wanted} could be any of {fitting} of {owner}",
            relation.source.span,
        )
    match = nearest(wanted, names)
    listed = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
    hint = (f"did you mean {match}? " if match else "") + f"its columns are {listed}"
    message = f"{owner} has no column {wanted}"
    raise ContinuaError("MISSING_COLUMN", message, relation.source.span, hint=hint)
