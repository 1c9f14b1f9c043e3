"""Declared columns found in an input by their names."""

from __future__ import annotations

from collections.abc import Sequence

from continua.errors import ContinuaError, nearest
from continua.model.catalog import Relation

_LISTED = 20


def locate(relation: Relation, names: Sequence[str], owner: str) -> list[int]:
    """For each declared column, which of the names is meant; raises if there is none.

    Case does not matter, unless it takes the case to tell two names apart.
    """
    return [_position(relation, column.name, names, owner) for column in relation.columns]


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
