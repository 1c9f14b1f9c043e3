"""`make performance`: the tables and plots of docs/performance.md, from build/peers.json."""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dot_plot import Spread, dot_plot
from queries import QUERIES, Cannot, Query
from systems import FORMATS, SYSTEMS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- measured -->\n", "<!-- end of what was measured -->\n"
"""What lies between them in the page is written anew."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("measured", nargs="?", type=Path, default=ROOT / "build" / "peers.json")
    found = json.loads(parser.parse_args().measured.read_text())
    parts = [_machine(found)]
    for format_ in FORMATS:
        costs = _costs(found, format_)
        if costs:
            plot = PAGE.parent / f"performance_{format_}.svg"
            title = f"CPU-seconds for a million rows, from {_name(format_)}"
            plot.write_text(dot_plot(title, "logarithmic: less is better", costs, SYSTEMS))
            parts.append(_section(found, format_, costs, plot.name))
    parts += ["## What was compared", _checked(found), *_differences()]
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    text = "\n\n".join(parts)
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n\n{END}{after}", encoding="utf-8")
    print(f"written to {PAGE.relative_to(ROOT)}")


def _machine(found: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    return (
        f"Measured on {found['date']}: {found['cores']} cores of {found['cpu']}, "
        f"{found['memory']} GB, {found['system']}. {versions}. {found['events']:,} events, "
        f"{found['rate']:,} of them in a second, in {found['slabs']} files for each stream; "
        f"medians of {found['repeats']} runs, with the least and the greatest."
    )


def _costs(found: dict[str, Any], format_: str) -> dict[str, dict[str, Spread]]:
    """By query and system, CPU-seconds for a million rows."""
    costs: dict[str, dict[str, Spread]] = {}
    for one in found["measured"]:
        if one["format"] == format_ and one["cpu"]:
            million = found["rows"][one["query"]] / 1e6
            costs.setdefault(one["query"], {})[one["system"]] = _spread(one["cpu"], million)
    return costs


def _section(
    found: dict[str, Any], format_: str, costs: dict[str, dict[str, Spread]], plot: str
) -> str:
    walls = {
        (one["query"], one["system"]): statistics.median(one["wall"])
        for one in found["measured"]
        if one["format"] == format_ and one["wall"]
    }
    cpu, wall = [], []
    for query in (q for q in QUERIES if q.name in costs):
        line = costs[query.name]
        shown = {s: f"{c.median:.2f} ({c.least:.2f}–{c.greatest:.2f})" for s, c in line.items()}
        cpu.append([query.name, *(shown.get(s) or _absent(query, s) for s in SYSTEMS)])
        times = {s: f"{walls[query.name, s]:.2f}" for s in line}
        wall.append([query.name, *(times.get(s) or _absent(query, s) for s in SYSTEMS)])
    return "\n\n".join(
        [
            f"## From {_name(format_)}",
            f"![CPU-seconds for a million rows]({plot})",
            "CPU-seconds for a million rows that are read, of all processes of a system:",
            _table(["query", *SYSTEMS], cpu),
            "Seconds on the clock, of a run:",
            _table(["query", *SYSTEMS], wall),
        ]
    )


def _absent(query: Query, system: str) -> str:
    return "no" if isinstance(query.text(system), Cannot) else "–"


def _checked(found: dict[str, Any]) -> str:
    held = {(c["query"], c["system"]): _verdict(c) for c in found["checked"]}
    lines = []
    for query in (q for q in QUERIES if any(q.name == name for name, _ in held)):
        reads = ", ".join(query.streams)
        line = [held.get((query.name, system), "no") for system in SYSTEMS]
        lines.append([query.name, reads, *line])
    said = (
        f"Over {found['compared']:,} events, the rows of every system were those of DuckDB, as "
        "often as they are there; so many were compared:"
    )
    return f"{said}\n\n{_table(['query', 'reads', *SYSTEMS], lines)}"


def _verdict(checked: dict[str, Any]) -> str:
    if checked["error"]:
        return "failed"
    return f"{checked['rows']:,}" if not checked["differ"] else f"{checked['differ']:,} differ"


def _differences() -> list[str]:
    """Where systems do not mean the same, and what they do not have."""
    means = [f"- *{q.name}*: {q.differs}." for q in QUERIES if q.differs]
    reasons: dict[tuple[str, str], list[str]] = {}
    for query in QUERIES:
        for system in SYSTEMS:
            text = query.text(system)
            if isinstance(text, Cannot):
                reasons.setdefault((system, text.why), []).append(query.name)
    cannot = [
        f"- {system} has no *{'*, *'.join(names)}*: {why}."
        for (system, why), names in reasons.items()
    ]
    return [
        "Where what they give is not the same, what is common to them was compared:",
        "\n".join(means),
        "What a system cannot say in its SQL:",
        "\n".join(cannot),
    ]


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = ["---", *("---:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *lines))


def _spread(values: Sequence[float], unit: float) -> Spread:
    least = 0.01 / unit
    """Processes tell their time in hundredths of a second."""
    found = (min(values), statistics.median(values), max(values))
    return Spread(*(max(value / unit, least) for value in found))


def _name(format_: str) -> str:
    return {"csv": "CSV", "parquet": "Parquet"}[format_]


if __name__ == "__main__":
    main()
