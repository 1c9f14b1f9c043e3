"""Group γ (COMAD (6)): a stream taken apart into one stream per group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from continua.model.element import Tuple, Values
from continua.model.timeline import Steps, Timeline


def group(stream: Timeline, key: Callable[[Tuple], Values]) -> dict[Values, Timeline]:
    """γ_f(S) := (S_1, …, S_k) with S_j := {(e, t, n) ∈ S | f(e) = j}; elements stay as they are."""
    parts: dict[Values, dict[Tuple, Steps]] = defaultdict(dict)
    for e, steps in stream.steps():
        parts[key(e)][e] = steps
    return {j: Timeline(steps) for j, steps in parts.items()}
