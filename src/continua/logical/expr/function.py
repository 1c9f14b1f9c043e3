"""What a scalar function is: its type rule, its value, how it prints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from continua.model.types import Type

Signature = tuple[tuple[Type, ...], Type]
"""The types the arguments are brought to, and the type of the result."""


class TypeProblem(Exception):
    """Arguments that do not fit a function; whoever knows the place turns it into an error."""


class ArityProblem(TypeProblem):
    """The wrong number of arguments."""


class Refused(TypeProblem):
    """A function that has no place in a continuous query, whatever its arguments."""

    def __init__(self, reason: str, hint: str | None = None) -> None:
        super().__init__(reason)
        self.hint = hint


@dataclass(frozen=True)
class Function:
    """A scalar function.

    `resolve` maps the types of the arguments to a signature or raises `TypeProblem`. `apply` gets
    the result type and the values; a strict function never sees NULL, it answers NULL. A `lazy`
    function gets its arguments unevaluated instead: CASE must not divide by zero in a branch that
    is not taken.
    """

    name: str
    resolve: Callable[[Sequence[Type]], Signature] = field(compare=False)
    apply: Callable[..., object] = field(compare=False, default=lambda *_: None)
    strict: bool = True
    lazy: Callable[..., object] | None = field(compare=False, default=None)
    template: str | None = None
    refine: Callable[[Signature, Sequence[object]], Type] | None = field(
        compare=False, default=None
    )
    """The result type where it depends on literal arguments: given their types and values."""
    python: Callable[..., object] | None = field(compare=False, default=None)
    """What a user registered; Spark has no function of its own for it."""
    version: int = 1
    """How often the user has registered the name: queries keep the version they were bound to."""

    def render(self, args: Sequence[str]) -> str:
        if self.name in ("and", "or"):
            return f"({f' {self.name.upper()} '.join(args)})"
        if self.template is not None:
            return self.template.format(*args)
        return f"{self.name.upper()}({', '.join(args)})"
