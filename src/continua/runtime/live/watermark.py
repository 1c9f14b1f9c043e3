"""The watermark: how far time has come, from what the streams have shown (design §7).

Results are final before it. A row with exactly the time that a stream has reached may still come:
it is not late.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from continua.model.catalog import Relation
from continua.physical.instant import BEGINNING, FOREVER


def watermark(seen: Mapping[Relation, int], idle: Collection[Relation]) -> int:
    """The time before which nothing more is expected: rows at or beyond it have to wait.

    Per stream it is the greatest time seen minus the slack. The least of the streams counts. A
    stream that is idle holds nobody back, unless all are.
    """
    times = {stream: _less_slack(time, stream.slack) for stream, time in seen.items()}
    waited_for = [time for stream, time in times.items() if stream not in idle]
    return min(waited_for) if waited_for else max(times.values(), default=FOREVER)


def _less_slack(seen: int, slack: int) -> int:
    return seen if seen in (BEGINNING, FOREVER) else max(seen - slack, BEGINNING + 1)
