"""The queries, each in the words of every system: what is measured, in one table.

All put out the same columns in the same order. Where Continua gives a relation, of which the others
give values at some times only, `at_times` says how their rows follow from it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from systems import program


class Cannot(NamedTuple):
    """Why a system has no such query."""

    why: str


Text = str | Cannot

AT_BIDS = """
SELECT b.auction, b.at, r.{value} FROM bid b ASOF JOIN result r
ON b.auction = r.auction AND b.at >= r.valid_from
WHERE b.at < COALESCE(r.valid_to, TIMESTAMP 'infinity')
"""
"""The value of a relation at every bid; SQL for DuckDB."""

NO_OVER = Cannot("no window at every row: NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING")


def tumble(stream: str) -> str:
    """Flink's windows of ten seconds."""
    return f"TABLE(TUMBLE(TABLE {stream}, DESCRIPTOR(`at`), INTERVAL '10' SECOND))"


@dataclass(frozen=True)
class Query:
    """A query, over `bids` (all three streams) or `registered` (persons and auctions, ten times as
    many).

    at_times: SQL for DuckDB over `result`, what Continua has put out, and over the streams.
    due: when a row is known to be final, if that is later than all that it is made of.
    differs: in what the systems do not do the same.
    """

    name: str
    continua: Text
    flink: Text
    spark: Text
    duckdb: Text
    at_times: str = "SELECT * FROM result"
    due: str | None = None
    differs: str = ""
    data: str = "bids"

    def text(self, system: str) -> Text:
        found: Text = getattr(self, program(system))
        return found

    @property
    def streams(self) -> list[str]:
        """What it reads."""
        return sorted(set(re.findall(r"(?:FROM|JOIN) (person|auction|bid)\b", str(self.duckdb))))


QUERIES = (
    Query(
        "read",
        "SELECT auction, bidder, price FROM bid WHERE auction + bidder + price < 0",
        "SELECT auction, bidder, price, `at` FROM bid WHERE auction + bidder + price < 0",
        "SELECT auction, bidder, price, at FROM bid WHERE auction + bidder + price < 0",
        "SELECT auction, bidder, price, bid.at FROM bid WHERE auction + bidder + price < 0",
    ),
    Query(
        "map (q1)",
        "SELECT auction, bidder, price * 0.908D AS price FROM bid",
        "SELECT auction, bidder, price * 0.908e0 AS price, `at` FROM bid",
        "SELECT auction, bidder, price * 0.908D AS price, at FROM bid",
        "SELECT auction, bidder, price * 0.908e0 AS price, bid.at FROM bid",
    ),
    Query(
        "filter (q2)",
        "SELECT auction, price FROM bid WHERE auction % 123 = 0",
        "SELECT auction, price, `at` FROM bid WHERE MOD(auction, 123) = 0",
        "SELECT auction, price, at FROM bid WHERE auction % 123 = 0",
        "SELECT auction, price, bid.at FROM bid WHERE auction % 123 = 0",
    ),
    Query(
        "tumbling MAX (q7)",
        "SELECT window_end, auction, MAX(price) AS hi FROM TUMBLE(bid, 10 SECONDS) "
        "GROUP BY window_end, auction",
        "SELECT window_end, auction, MAX(price) AS hi "
        f"FROM {tumble('bid')} "
        "GROUP BY window_start, window_end, auction",
        "SELECT window.end AS window_end, auction, MAX(price) AS hi FROM bid "
        "GROUP BY window(at, '10 seconds'), auction",
        "SELECT time_bucket(INTERVAL 10 SECONDS, bid.at) + INTERVAL 10 SECONDS AS window_end, "
        "auction, MAX(price) AS hi FROM bid GROUP BY ALL",
        at_times="SELECT window_end, auction, hi FROM result",
        due="window_end",
    ),
    Query(
        "tumbling join (q8)",
        "SELECT p.id, p.name FROM TUMBLE(person, 10 SECONDS) p "
        "JOIN TUMBLE(auction, 10 SECONDS) a ON p.id = a.seller",
        "SELECT p.id, p.name, p.window_end "
        f"FROM (SELECT * FROM {tumble('person')}) p "
        f"JOIN (SELECT * FROM {tumble('auction')}) a "
        "ON p.id = a.seller AND p.window_start = a.window_start AND p.window_end = a.window_end",
        "SELECT p.id, p.name, p.w.end AS window_end "
        "FROM (SELECT id, name, window(at, '10 seconds') AS w FROM person) p "
        "JOIN (SELECT seller, window(at, '10 seconds') AS w FROM auction) a "
        "ON p.id = a.seller AND p.w = a.w",
        "SELECT p.id, p.name, time_bucket(INTERVAL 10 SECONDS, p.at) + INTERVAL 10 SECONDS "
        "AS window_end FROM person p JOIN auction a ON p.id = a.seller "
        "AND time_bucket(INTERVAL 10 SECONDS, p.at) = time_bucket(INTERVAL 10 SECONDS, a.at)",
        data="registered",
    ),
    Query(
        "interval join",
        "SELECT b.auction, b.price, a.seller FROM bid [NOW] b "
        "JOIN auction [RANGE 10 SECONDS] a ON b.auction = a.id",
        "SELECT b.auction, b.price, a.seller, b.`at` FROM bid b JOIN auction a "
        "ON b.auction = a.id AND b.`at` BETWEEN a.`at` AND a.`at` + INTERVAL '9.999' SECOND",
        "SELECT b.auction, b.price, a.seller, b.at FROM bid b JOIN auction a "
        "ON b.auction = a.id AND b.at >= a.at AND b.at < a.at + INTERVAL 10 SECONDS",
        "SELECT b.auction, b.price, a.seller, b.at FROM bid b JOIN auction a "
        "ON b.auction = a.id AND b.at >= a.at AND b.at < a.at + INTERVAL 10 SECONDS",
    ),
    Query(
        "sliding AVG",
        "SELECT auction, AVG(price) AS mean FROM bid [RANGE 60 SECONDS] GROUP BY auction",
        "SELECT auction, `at`, AVG(CAST(price AS DOUBLE)) OVER (PARTITION BY auction ORDER BY `at` "
        "RANGE BETWEEN INTERVAL '59.999' SECOND PRECEDING AND CURRENT ROW) AS mean FROM bid",
        NO_OVER,
        "SELECT auction, bid.at, AVG(price) OVER (PARTITION BY auction ORDER BY bid.at "
        "RANGE BETWEEN INTERVAL 59999 MILLISECONDS PRECEDING AND CURRENT ROW) AS mean FROM bid",
        at_times=AT_BIDS.format(value="mean"),
        differs="Continua also says when a value ends as bids leave the window; "
        "OVER gives values at bids only",
    ),
    Query(
        "sliding MAX",
        "SELECT auction, MAX(price) AS hi FROM bid [RANGE 60 SECONDS] GROUP BY auction",
        "SELECT auction, `at`, MAX(price) OVER (PARTITION BY auction ORDER BY `at` "
        "RANGE BETWEEN INTERVAL '59.999' SECOND PRECEDING AND CURRENT ROW) AS hi FROM bid",
        NO_OVER,
        "SELECT auction, bid.at, MAX(price) OVER (PARTITION BY auction ORDER BY bid.at "
        "RANGE BETWEEN INTERVAL 59999 MILLISECONDS PRECEDING AND CURRENT ROW) AS hi FROM bid",
        at_times=AT_BIDS.format(value="hi"),
        differs="as with sliding AVG",
    ),
    Query(
        "hot items",
        "SELECT auction, COUNT(*) AS n FROM bid [RANGE 60 SECONDS SLIDE 1 SECOND] GROUP BY auction",
        "SELECT auction, COUNT(*) AS n, window_end FROM TABLE(HOP(TABLE bid, DESCRIPTOR(`at`), "
        "INTERVAL '1' SECOND, INTERVAL '60' SECOND)) GROUP BY window_start, window_end, auction",
        "SELECT auction, COUNT(*) AS n, window.end AS window_end FROM bid "
        "GROUP BY window(at, '60 seconds', '1 second'), auction",
        "SELECT auction, COUNT(*) AS n, window_end FROM (SELECT auction, "
        "UNNEST(generate_series(date_trunc('second', bid.at) + INTERVAL 1 SECOND, "
        "date_trunc('second', bid.at) + INTERVAL 60 SECONDS, INTERVAL 1 SECOND)) AS window_end "
        "FROM bid) GROUP BY ALL",
        at_times="SELECT auction, n, UNNEST(generate_series(valid_from, "
        "valid_to - INTERVAL 1 SECOND, INTERVAL 1 SECOND)) AS window_end FROM result",
        due="window_end",
        differs="Continua gives a count once, with the seconds for which it holds; "
        "the others give it anew every second",
    ),
    Query(
        "row window",
        "ISTREAM (SELECT auction, AVG(price) AS mean FROM bid [PARTITION BY auction ROWS 10] "
        "GROUP BY auction)",
        "SELECT auction, `at`, AVG(CAST(price AS DOUBLE)) OVER (PARTITION BY auction ORDER BY `at` "
        "ROWS BETWEEN 9 PRECEDING AND CURRENT ROW) AS mean FROM bid",
        NO_OVER,
        "SELECT auction, bid.at, AVG(price) OVER (PARTITION BY auction ORDER BY bid.at "
        "ROWS BETWEEN 9 PRECEDING AND CURRENT ROW) AS mean FROM bid",
        at_times="SELECT b.auction, b.at, r.mean FROM bid b ASOF JOIN result r "
        "ON b.auction = r.auction AND b.at >= r.at",
        differs="Continua gives a mean when it changes; the others with every bid",
    ),
    Query(
        "anti-join",
        "SELECT a.id FROM auction [RANGE 10 SECONDS] a WHERE NOT EXISTS "
        "(SELECT * FROM bid [RANGE 10 SECONDS] b WHERE b.auction = a.id)",
        "SELECT a.id, a.`at` + INTERVAL '10' SECOND AS known FROM auction a LEFT JOIN bid b "
        "ON b.auction = a.id AND b.`at` BETWEEN a.`at` AND a.`at` + INTERVAL '9.999' SECOND "
        "WHERE b.auction IS NULL",
        "SELECT a.id, a.at + INTERVAL 10 SECONDS AS known FROM auction a LEFT JOIN bid b "
        "ON b.auction = a.id AND b.at >= a.at AND b.at < a.at + INTERVAL 10 SECONDS "
        "WHERE b.auction IS NULL",
        "SELECT a.id, a.at + INTERVAL 10 SECONDS AS known FROM auction a WHERE NOT EXISTS "
        "(SELECT * FROM bid b WHERE b.auction = a.id AND b.at >= a.at "
        "AND b.at < a.at + INTERVAL 10 SECONDS)",
        at_times="SELECT id, valid_to AS known FROM result "
        "WHERE valid_to = valid_from + INTERVAL 10 SECONDS",
        due="known",
        differs="Continua gives every auction until its first bid; the others give, after ten "
        "seconds, those that had none: these are compared",
    ),
    Query(
        "EXCEPT of TUMBLE",
        "SELECT window_end, seller AS id FROM TUMBLE(auction, 10 SECONDS) EXCEPT "
        "SELECT window_end, bidder FROM TUMBLE(bid, 10 SECONDS)",
        "SELECT a.window_end, a.seller AS id "
        f"FROM (SELECT * FROM {tumble('auction')}) a "
        "WHERE NOT EXISTS (SELECT * "
        f"FROM (SELECT * FROM {tumble('bid')}) b "
        "WHERE b.bidder = a.seller AND b.window_start = a.window_start "
        "AND b.window_end = a.window_end) GROUP BY a.window_start, a.window_end, a.seller",
        "SELECT a.w.end AS window_end, a.id "
        "FROM (SELECT window(at, '10 seconds') AS w, seller AS id FROM auction) a "
        "LEFT JOIN (SELECT window(at, '10 seconds') AS w, bidder FROM bid) b "
        "ON b.bidder = a.id AND b.w = a.w WHERE b.bidder IS NULL GROUP BY a.w, a.id",
        "SELECT time_bucket(INTERVAL 10 SECONDS, auction.at) + INTERVAL 10 SECONDS AS window_end, "
        "seller AS id FROM auction EXCEPT "
        "SELECT time_bucket(INTERVAL 10 SECONDS, bid.at) + INTERVAL 10 SECONDS, bidder FROM bid",
        at_times="SELECT window_end, id FROM result",
        due="window_end",
        differs="Flink and Spark say it by NOT EXISTS and by an outer join: Spark has no EXCEPT of "
        "two streams, and that of Flink takes rows back and keeps all windows for ever",
    ),
    Query(
        "EXCEPT",
        "SELECT seller AS id FROM auction [RANGE 10 SECONDS] EXCEPT "
        "SELECT bidder FROM bid [RANGE 10 SECONDS]",
        Cannot("set operations see all rows so far, or those of a TUMBLE or HOP"),
        Cannot("no EXCEPT of two streams: on the right it is not supported"),
        """
        WITH ends AS (
            SELECT seller AS id, auction.at AS t, 1 AS l, 0 AS r FROM auction UNION ALL
            SELECT seller, auction.at + INTERVAL 10 SECONDS, -1, 0 FROM auction UNION ALL
            SELECT bidder, bid.at, 0, 1 FROM bid UNION ALL
            SELECT bidder, bid.at + INTERVAL 10 SECONDS, 0, -1 FROM bid),
        counts AS (
            SELECT id, t, SUM(SUM(l)) OVER w > 0 AND SUM(SUM(r)) OVER w = 0 AS there
            FROM ends GROUP BY id, t WINDOW w AS (PARTITION BY id ORDER BY t)),
        changes AS (
            SELECT * FROM counts
            QUALIFY there <> LAG(there, 1, false) OVER (PARTITION BY id ORDER BY t))
        SELECT id, t AS valid_from, LEAD(t) OVER (PARTITION BY id ORDER BY t) AS valid_to
        FROM changes QUALIFY there
        """,
    ),
)
