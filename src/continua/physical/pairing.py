"""Intervals from multiplicities: a decrease closes the oldest open interval (design §2).

So the k-th opening of a value, in order of time, belongs to its k-th closing; what it costs are the
changes, however many equal tuples are valid between them.
"""

from __future__ import annotations

from collections.abc import Sequence

from continua.physical.script import Rel, Script


def paired(script: Script, values: Sequence[str], levels: Rel) -> Rel:
    """The intervals of each value, from its multiplicity `n` since each time `at`.

    `end` is NULL of what has not closed. `open` is passed on: whether it opened earlier.
    """
    by = ", ".join(values) or "1"
    listed = "".join(f"{c}, " for c in values)
    window = f"WINDOW w AS (PARTITION BY {by} ORDER BY at)"
    changes = script.define(
        "changes",
        f"SELECT {listed}at, open, n - coalesce(lag(n) OVER w, 0L) AS n "
        f"FROM {levels.name} {window}",
        [*values, "at", "open", "n"],
        [levels],
    )
    numbered = script.define(
        "numbered",
        f"SELECT {listed}at, open, n, IF(n > 0, sum(greatest(n, 0L)) OVER w, "
        f"sum(greatest(-n, 0L)) OVER w) AS upto FROM {changes.name} WHERE n <> 0 {window}",
        [*values, "at", "open", "n", "upto"],
        [changes],
    )
    text = (
        f"SELECT {listed}max(IF(n > 0, at, NULL)) AS start, max(IF(n < 0, at, NULL)) AS end, "
        f"bool_or(open) AS open FROM {numbered.name} "
        "LATERAL VIEW explode(sequence(upto - abs(n) + 1, upto)) AS number "
        f"GROUP BY {listed}number"
    )
    return script.define("paired", text, [*values, "start", "end", "open"], [numbered])
