"""Exact sums of a few doubles of any size: expansions (Shewchuk 1997, as in Python's `math.fsum`).

An expansion is a list of doubles of growing magnitude that do not overlap. Adding a value to it
loses nothing: what each addition rounds off stays in the list.
"""

from __future__ import annotations

from collections.abc import Sequence

NOTHING = "CAST(array() AS ARRAY<DOUBLE>)"


def of(values: str) -> str:
    """SQL: the expansion of the sum of a list of finite doubles."""
    sum_ = "(s.q + p)"
    other = f"({sum_} - s.q)"
    lost = f"((s.q - ({sum_} - {other})) + (p - {other}))"
    grown = (
        f"reduce(e, named_struct('q', x, 'e', {NOTHING}), (s, p) -> named_struct('q', {sum_}, "
        f"'e', IF({lost} <> 0D, array_append(s.e, {lost}), s.e)), s -> array_append(s.e, s.q))"
    )
    # From the least to the greatest, so that sums on the way stay in range.
    return f"reduce(array_sort({values}), {NOTHING}, (e, x) -> {grown})"


def rounded(values: str, also: Sequence[str]) -> str:
    """SQL: the exact sum of a list and of other doubles, rounded once; infinite if it overflows."""
    every = f"concat({values}, array({', '.join(also)}))"
    sum_ = "(s.high + p)"
    lost = f"(p - ({sum_} - s.high))"
    # A half of the last bit is rounded to even, unless something more lies beyond it.
    step = (
        f"(s, p) -> CASE WHEN s.low = 0D "
        f"THEN named_struct('high', {sum_}, 'low', {lost}, 'rest', 0D) "
        "WHEN s.rest = 0D THEN named_struct('high', s.high, 'low', s.low, 'rest', p) ELSE s END"
    )
    twice = "(s.high + 2D * s.low)"
    last = f"IF(signum(s.rest) = signum(s.low) AND {twice} - s.high = 2D * s.low, {twice}, s.high)"
    zero = "named_struct('high', 0D, 'low', 0D, 'rest', 0D)"
    found = f"reduce(reverse({of(every)}), {zero}, {step}, s -> {last})"
    plain = f"reduce(array_sort({every}), 0D, (a, b) -> a + b)"
    return f"nanvl({found}, {plain})"
