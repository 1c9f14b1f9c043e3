"""A dot plot as SVG: a line for each query, a mark for each system, logarithmic."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

LEFT, TOP, WIDTH, LINE, RIGHT, BOTTOM = 160, 64, 600, 26, 24, 44
COLOURS = ("#0b6e4f", "#58b368", "#d1495b", "#e08e2b", "#3a6ea5")


class Spread(NamedTuple):
    least: float
    median: float
    greatest: float


def dot_plot(
    title: str, unit: str, lines: Mapping[str, Mapping[str, Spread]], systems: Sequence[str]
) -> str:
    """lines: by query, what each system has."""
    values = [value for line in lines.values() for spread in line.values() for value in spread]
    low = math.floor(math.log10(min(values)))
    high = max(math.ceil(math.log10(max(values))), low + 1)

    def x(value: float) -> float:
        return LEFT + WIDTH * (math.log10(value) - low) / (high - low)

    bottom = TOP + LINE * len(lines)
    drawn = [_text(16, 22, title, 'font-weight="bold"'), *_legend(systems)]
    for power in range(low, high + 1):
        at = x(10.0**power)
        drawn.append(f'<path d="M{at:.1f} {TOP}V{bottom}" stroke="#d8d8d8"/>')
        drawn.append(_text(at, bottom + 16, f"{10.0**power:g}", 'text-anchor="middle"'))
    drawn.append(_text(LEFT + WIDTH / 2, bottom + 34, unit, 'text-anchor="middle"'))
    for number, (name, line) in enumerate(lines.items()):
        y = TOP + LINE * number + LINE / 2
        drawn.append(_text(LEFT - 10, y + 4, name, 'text-anchor="end"'))
        drawn.append(f'<path d="M{LEFT} {y}H{LEFT + WIDTH}" stroke="#eeeeee"/>')
        for system, spread in line.items():
            colour = COLOURS[systems.index(system)]
            ends = f"M{x(spread.least):.1f} {y}H{x(spread.greatest):.1f}"
            drawn.append(f'<path d="{ends}" stroke="{colour}" stroke-width="2"/>')
            drawn.append(f'<circle cx="{x(spread.median):.1f}" cy="{y}" r="5" fill="{colour}"/>')
    width, height = LEFT + WIDTH + RIGHT, bottom + BOTTOM
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif" font-size="12" fill="#222222">',
            f'<rect width="{width}" height="{height}" fill="white"/>',
            *drawn,
            "</svg>\n",
        ]
    )


def _legend(systems: Sequence[str]) -> list[str]:
    drawn = []
    for number, system in enumerate(systems):
        x = LEFT + 124 * number
        drawn.append(f'<circle cx="{x}" cy="44" r="5" fill="{COLOURS[number]}"/>')
        drawn.append(_text(x + 10, 48, system))
    return drawn


def _text(x: float, y: float, text: str, style: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y}" {style}>{escape(text)}</text>'
