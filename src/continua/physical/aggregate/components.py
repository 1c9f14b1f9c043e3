"""Components: the parts of partial aggregates that Spark computes and that can be combined.

A component is the initializer, merger and combiner of TODS §7.5.2 as SQL: the value an element
brings, the aggregate of many of them, and what two partial aggregates are together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Component(ABC):
    """A partial aggregate of the values that the elements have; NULL over no values."""

    value: str
    invertible: ClassVar[bool] = False
    """Whether a value that has left can be subtracted without a trace."""

    @property
    def nothing(self) -> str:
        """SQL: the partial aggregate over no values."""
        return "NULL"

    def taken(self, value: str) -> str:
        """SQL: what is added where a value leaves, if it can be subtracted."""
        return f"-({value})"

    def settled(self, partial: str) -> str:
        """SQL: the same partial aggregate, to be kept: no longer than it need be."""
        return partial

    @abstractmethod
    def aggregated(self, value: str, over: str = "") -> str:
        """SQL: the partial aggregate of values, alone or over a window of rows."""

    @abstractmethod
    def combined(self, a: str, b: str) -> str:
        """SQL: the partial aggregate of two disjoint sets, from those of each."""


@dataclass(frozen=True)
class ExactSum(Component):
    """A sum without rounding; the type has room for more than the sums that occur."""

    type: str = "BIGINT"
    invertible: ClassVar[bool] = True

    @property
    def nothing(self) -> str:
        return f"CAST(0 AS {self.type})"

    def aggregated(self, value: str, over: str = "") -> str:
        total = f"sum({value}){over}"
        # Spark widens the type of a sum of decimals; kept sums would grow from slab to slab.
        return total if self.type == "BIGINT" else f"CAST({total} AS {self.type})"

    def combined(self, a: str, b: str) -> str:
        return f"CAST(coalesce({a} + {b}, {a}, {b}) AS {self.type})"


@dataclass(frozen=True)
class Least(Component):
    def aggregated(self, value: str, over: str = "") -> str:
        return f"min({value}){over}"

    def combined(self, a: str, b: str) -> str:
        return f"least({a}, {b})"


@dataclass(frozen=True)
class Greatest(Component):
    def aggregated(self, value: str, over: str = "") -> str:
        return f"max({value}){over}"

    def combined(self, a: str, b: str) -> str:
        return f"greatest({a}, {b})"
