"""Scopes: which columns a name can mean at a place of a query."""

from __future__ import annotations

from dataclasses import dataclass, replace

from continua.errors import ContinuaError, Span, did_you_mean
from continua.logical.expr.nodes import ColumnRef, Expression, OuterRef
from continua.model.types import Type


@dataclass(frozen=True)
class ScopeColumn:
    """A column of the tuple at hand.

    Hidden ones (time attributes) must be named to be seen; those merged by USING must be named
    with their qualifier.
    """

    qualifier: str | None
    name: str
    type: Type
    index: int
    hidden: bool = False
    merged: bool = False

    def matches(self, name: str, qualifier: str | None) -> bool:
        if self.name.lower() != name.lower() or (self.merged and qualifier is None):
            return False
        return qualifier is None or (self.qualifier or "").lower() == qualifier.lower()


@dataclass(frozen=True)
class Scope:
    columns: tuple[ScopeColumn, ...]
    outer: Scope | None = None

    def visible(self, qualifier: str | None = None) -> list[ScopeColumn]:
        """What `*` or `qualifier.*` stands for."""
        return [
            c
            for c in self.columns
            if (not c.hidden or (c.merged and qualifier is not None))
            and (qualifier is None or (c.qualifier or "").lower() == qualifier.lower())
        ]

    @property
    def qualifiers(self) -> list[str]:
        return list(dict.fromkeys(c.qualifier for c in self.columns if c.qualifier))

    def join(self, other: Scope) -> Scope:
        """The scope of tuples `left ∘ right`."""
        width = len(self.columns)
        moved = tuple(replace(c, index=c.index + width) for c in other.columns)
        return Scope(self.columns + moved, self.outer)

    def find(self, name: str, qualifier: str | None) -> list[ScopeColumn]:
        """The columns a name can mean; a hidden one only if no other has the name."""
        found = [c for c in self.columns if c.matches(name, qualifier)]
        return [c for c in found if not c.hidden] or found

    def resolve(self, name: str, qualifier: str | None, span: Span | None) -> Expression:
        """The column a name means here, or in the query around a subquery."""
        found = self.find(name, qualifier)
        if len(found) == 1:
            return ColumnRef(found[0].type, found[0].index, self._shown(found[0]), span=span)
        if len(found) > 1:
            owners = [c.qualifier or "a subquery" for c in found]
            raise ContinuaError(
                "AMBIGUOUS_COLUMN",
                f"{name} could mean a column of {' or of '.join(owners)}",
                span,
                hint=f"write {found[0].qualifier or 'alias'}.{name}",
            )
        if self.outer is not None:
            around = self.outer.find(name, qualifier)
            if len(around) == 1:
                return OuterRef(around[0].type, around[0].index, around[0].name, span=span)
            if not around and self.outer.outer and self.outer.outer.find(name, qualifier):
                raise ContinuaError(
                    "UNSUPPORTED",
                    f"{name} belongs to a query two levels up",
                    span,
                    hint="a subquery may refer to the query right around it only",
                )
        raise self._unknown(name, qualifier, span)

    def _shown(self, column: ScopeColumn) -> str:
        """How plans show a column: with its qualifier where the name alone does not tell."""
        several = sum(c.name.lower() == column.name.lower() for c in self.columns) > 1
        return f"{column.qualifier}.{column.name}" if several and column.qualifier else column.name

    def _unknown(self, name: str, qualifier: str | None, span: Span | None) -> ContinuaError:
        if qualifier and qualifier.lower() not in [q.lower() for q in self.qualifiers]:
            hint = did_you_mean(qualifier, self.qualifiers, self._known(self.qualifiers))
            message = f"nothing in FROM is named {qualifier}"
            return ContinuaError("UNKNOWN_COLUMN", message, span, hint=hint)
        names = [c.name for c in self.columns if not qualifier or c.matches(c.name, qualifier)]
        where = f" in {qualifier}" if qualifier else ""
        return ContinuaError(
            "UNKNOWN_COLUMN",
            f"there is no column {name}{where}",
            span,
            hint=did_you_mean(name, names, self._known(names)),
        )

    @staticmethod
    def _known(names: list[str]) -> str | None:
        return f"there are {', '.join(dict.fromkeys(names))}" if names else None
