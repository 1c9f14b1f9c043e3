"""The demonstration: a continuous query over a small auction, from its text to its result."""

from __future__ import annotations

from continua.cli.show import emit
from continua.session import Session

STREAM = """\
CREATE STREAM Bid (itemID INT, bid_price REAL, bidderID INT, timestamp TIMESTAMP)
SOURCE auctions('Bid', events => 150, gap => 600, seed => 1)
ORDERED BY timestamp"""

QUERY = """\
SELECT itemID, num
FROM (SELECT itemID, COUNT(*) AS num
      FROM Bid WINDOW(RANGE 60 MINUTES)
      GROUP BY itemID)
WHERE num >= ALL (SELECT COUNT(*)
                  FROM Bid WINDOW(RANGE 60 MINUTES)
                  GROUP BY itemID)"""

MOMENT = "2026-01-01 02:10"
SHOWN_ROWS = 15

TEXT = """\
Which items received the most bids within the past hour?

First a stream. Its bids come from an auction house that continua simulates; the column
timestamp tells when each bid was made.

{stream}

Then the question. WINDOW(RANGE 60 MINUTES) keeps each bid for an hour; all else is plain SQL.
The query is continuous: its result is right at every instant, and changes as bids come and go.

{query}

The result over time. An item is hottest, with so many bids, from valid_from until valid_to:

{history}

The same result as it stood at one moment, {moment}, when two items shared the lead:

{snapshot}

What to try next:
  continua shell           type statements like these yourself (\\? lists the commands)
  continua run FILE.sql    run the statements of a file; --format csv, json or parquet to keep them
"""


def demo(session: Session) -> None:
    """Runs the query and prints what it means; the same each time."""
    session.sql(STREAM)
    query = session.query(QUERY)
    emit(
        TEXT.format(
            stream=_indented(f"{STREAM};"),
            query=_indented(f"{QUERY};"),
            history=_indented(query.history().to_text(SHOWN_ROWS)),
            moment=MOMENT,
            snapshot=_indented(query.snapshot(MOMENT).to_text()),
        )
    )


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))
