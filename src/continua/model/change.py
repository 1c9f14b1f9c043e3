"""Changes of the rows of a table: what a log of them says by an operation (design §2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

INSERT: Final = "insert"
UPDATE: Final = "update"
DELETE: Final = "delete"
UPSERT: Final = "upsert"
"""An insert or an update, as the row is there or not."""

OPERATIONS: Final[dict[str, tuple[str, ...]]] = {
    INSERT: ("insert", "i", "c"),
    UPDATE: ("update", "u"),
    DELETE: ("delete", "d"),
    UPSERT: ("upsert", "r"),
}
"""How logs write them, in any case of letters: c, u, d and r are Debezium's."""

SPELLINGS: Final = tuple(text for texts in OPERATIONS.values() for text in texts)


def operation_of(text: str) -> str | None:
    """The operation that a text means, if it means one."""
    known = (name for name, texts in OPERATIONS.items() if text.lower() in texts)
    return next(known, None)


@dataclass(frozen=True)
class Changes:
    """That the rows of a table's source are changes of it, in the order of its time attribute.

    operation: the column that says which; without one, all are upserts.
    """

    operation: str | None
