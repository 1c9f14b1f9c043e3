"""The papers' queries: they bind with the schema meant, have the plan shown, and give what they say.

The six of TODS §3 run over generated auctions and are checked against plain Python over the same
rows: for every instant at which something may change, what SQL would say of the tuples then valid.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

import pytest
from nexmark_queries import Asked

from continua import ContinuaError, Query, Session
from continua.runtime.sources.auctions import generate

EVENTS = 150
INSTANT = timedelta(microseconds=1)

AUCTIONS = f"""
CREATE STREAM OpenAuction(itemID INT, sellerID INT, start_price REAL, timestamp TIMESTAMP)
SOURCE auctions('OpenAuction', events => {EVENTS})
ORDERED BY timestamp;

CREATE STREAM ClosedAuction(itemID INT, buyerID INT, timestamp TIMESTAMP)
SOURCE auctions('ClosedAuction', events => {EVENTS})
ORDERED BY timestamp;

CREATE STREAM Bid(itemID INT, bid_price REAL, bidderID INT, timestamp TIMESTAMP)
SOURCE auctions('Bid', events => {EVENTS})
ORDERED BY timestamp;
"""

CURRENCY_CONVERSION, SELECTION, SHORT_AUCTIONS, HIGHEST_BID, CLOSING_PRICE, HOT_ITEM = (
    Asked(f"tods/q{number}").text for number in range(1, 7)
)


class Bid(NamedTuple):
    item: int
    price: float
    bidder: int
    at: datetime


class Opening(NamedTuple):
    item: int
    seller: int
    price: float
    at: datetime


class Closing(NamedTuple):
    item: int
    buyer: int | None
    at: datetime


def real(value: float) -> float:
    """A REAL is kept in 32 bits."""
    return struct.unpack("f", struct.pack("f", value))[0]


def bids() -> list[Bid]:
    return [Bid(i, real(p), b, t) for i, p, b, t in generate("bid", events=EVENTS)]


def openings() -> list[Opening]:
    return [Opening(i, s, real(p), t) for i, s, p, t in generate("openauction", events=EVENTS)]


def closings() -> list[Closing]:
    return [Closing(*row) for row in generate("closedauction", events=EVENTS)]


@pytest.fixture
def session() -> Session:
    session = Session(engine="reference")
    session.udf("DolToEuro", lambda dollars: dollars * 0.875, "DOUBLE")
    session.sql(AUCTIONS)
    return session


def operators(query: Query) -> list[str]:
    """The labels of a plan's operators, from the root down."""
    return [line.lstrip("│├└─ ") for line in plan_of(query)]


def plan_of(query: Query) -> list[str]:
    """The lines of the plan, without what the result is."""
    return query.explain().split("\n")[1:]


def shape(query: Query) -> list[str]:
    """The plan's tree, each operator by the first words of its label."""
    known = ("scalar join", "semi-join", "anti-join", "window range", "window partition")
    lines = []
    for line in plan_of(query):
        label = line.lstrip("│├└─ ")
        words = next((k for k in known if label.startswith(k)), label.split()[0])
        lines.append(" " * ((len(line) - len(label)) // 3) + words)
    return lines


def assert_instantaneous(query: Query, expected: Iterable[tuple[object, ...]]) -> None:
    """The result is a stream of these rows, each of which ends with its time."""
    rows = Counter(expected)
    assert rows, "an empty expectation shows nothing"
    assert query.kind == "stream"
    assert Counter(query.history()) == rows


def assert_windowed(
    query: Query, size: timedelta, expected: Callable[[list[Bid]], Counter[tuple[object, ...]]]
) -> None:
    """At every instant where a window of bids changes, the result is that of the bids in it."""
    everything = bids()
    instants = {
        bid.at + shift for bid in everything for shift in (timedelta(), size - INSTANT, size)
    }
    seen = 0
    for t in sorted(instants):
        inside = [bid for bid in everything if bid.at <= t < bid.at + size]
        assert Counter(query.snapshot(at=t)) == expected(inside), t
        seen += len(inside) > 1
    assert seen > EVENTS / 2, "windows of one bid show little"


# TODS §3: binding, plans, results.


def test_registration_of_example_2(session: Session) -> None:
    described = [tuple(row) for row in session.sql("DESCRIBE OpenAuction")]
    assert described == [
        ("OpenAuction", "stream", "kind"),
        ("itemID", "INT", "column"),
        ("sellerID", "INT", "column"),
        ("start_price", "FLOAT", "column"),
        ("timestamp", "TIMESTAMP", "time attribute"),
    ]
    # Remark 3.1: the timestamp is not part of the stream schema.
    assert str(session.sql("SELECT * FROM OpenAuction").schema) == (
        "(itemID INT, sellerID INT, start_price FLOAT)"
    )


@pytest.mark.parametrize(
    ("sql", "schema"),
    [
        (CURRENCY_CONVERSION, "(itemID INT, doltoeuro(bid_price) DOUBLE, bidderID INT)"),
        (SELECTION, "(itemID INT, bid_price FLOAT, bidderID INT)"),
        (SHORT_AUCTIONS, "(itemID INT, sellerID INT, start_price FLOAT)"),
        (HIGHEST_BID, "(itemID INT, bid_price FLOAT)"),
        (CLOSING_PRICE, "(itemID INT, sellerID INT, price FLOAT)"),
        (HOT_ITEM, "(itemID INT)"),
    ],
    ids=["Q1", "Q2", "Q3", "Q4", "Q5", "Q6"],
)
def test_schema(session: Session, sql: str, schema: str) -> None:
    assert str(session.sql(sql).schema) == schema


def test_currency_conversion(session: Session) -> None:
    query = session.sql(CURRENCY_CONVERSION)
    assert shape(query) == ["map", " stream"]
    assert_instantaneous(query, [(b.item, b.price * 0.875, b.bidder, b.at) for b in bids()])


def test_selection(session: Session) -> None:
    query = session.sql(SELECTION)
    assert shape(query) == ["filter", " stream"]
    wanted = {1007, 1020, 2001, 2019, 1087}
    assert_instantaneous(query, [b for b in bids() if b.item in wanted])


@pytest.mark.parametrize(
    "source",
    [
        "OpenAuction O WINDOW(RANGE 5 HOURS)",
        "OpenAuction AS O WINDOW(RANGE 5 HOURS)",
        "OpenAuction WINDOW(RANGE 5 HOURS) O",
        "OpenAuction WINDOW(RANGE 5 HOURS) AS O",
        "OpenAuction [RANGE 5 HOURS] O",
    ],
)
def test_short_auctions(session: Session, source: str) -> None:
    query = session.sql(SHORT_AUCTIONS.replace("OpenAuction O WINDOW(RANGE 5 HOURS)", source))
    assert shape(query) == ["map", " join", "  window range", "   stream", "  stream"]
    opened = {o.item: o for o in openings()}
    short = [
        (c.item, opened[c.item].seller, opened[c.item].price, c.at)
        for c in closings()
        if c.at - opened[c.item].at < timedelta(hours=5)
    ]
    assert_instantaneous(query, short)


def test_highest_bid(session: Session) -> None:
    """Figure 6: the window is shared; the aggregate meets the bids in a join by the price."""
    query = session.sql(HIGHEST_BID)
    assert shape(query) == [
        "map",
        " filter",
        "  scalar join",
        "   window range",
        "    stream",
        "   map",
        "    aggregate",
        "     window range",
        "      stream",
    ]
    assert operators(query)[3] == operators(query)[7] == "window range 10 minutes"

    def highest(inside: list[Bid]) -> Counter[tuple[object, ...]]:
        top = max((b.price for b in inside), default=0)
        return Counter((b.item, b.price) for b in inside if b.price == top)

    assert_windowed(query, timedelta(minutes=10), highest)


def test_closing_price(session: Session) -> None:
    """Figure 7: union, two joins, then grouping with aggregation."""
    query = session.sql(CLOSING_PRICE)
    kinds = [line.strip() for line in shape(query)]
    assert Counter(kinds)["join"] == 2
    assert Counter(kinds)["window range"] == 3
    assert kinds.index("aggregate") < kinds.index("join") < kinds.index("union")
    assert "aggregate MAX(price) by itemID, sellerID" in operators(query)
    opened = {o.item: o for o in openings()}
    expected = []
    for closing in closings():
        opening = opened[closing.item]
        offers = [b.price for b in bids() if b.item == closing.item and b.at <= closing.at]
        expected.append((closing.item, opening.seller, max([opening.price, *offers]), closing.at))
    assert any(not any(b.item == row[0] for b in bids()) for row in expected), "one without a bid"
    assert_instantaneous(query, expected)


def test_hot_item(session: Session) -> None:
    """Figure 7: universal quantification is an anti-join of two grouped counts."""
    query = session.sql(HOT_ITEM)
    assert shape(query) == [
        "map",
        " anti-join",
        "  map",
        "   aggregate",
        "    window range",
        "     stream",
        "  map",
        "   aggregate",
        "    window range",
        "     stream",
    ]

    def hottest(inside: list[Bid]) -> Counter[tuple[object, ...]]:
        counts = Counter(b.item for b in inside)
        most = max(counts.values(), default=0)
        return Counter({(item,): 1 for item, n in counts.items() if n == most})

    assert_windowed(query, timedelta(minutes=60), hottest)


# COMAD §2.2 and BTW §2.


def test_highway_query_over_twenty_stations() -> None:
    session = Session(engine="reference")
    for n in range(1, 21):
        session.sql(
            f"""CREATE STREAM HighwayStream{n}(lane SMALLINT, speed FLOAT, length FLOAT,
            timestamp TIMESTAMP) SOURCE rows((1, {n}, 5, TIMESTAMP '1993-11-03 05:00:08'))
            ORDERED BY timestamp"""
        )
    sections = "\nUNION ALL\n".join(
        f"SELECT AVG(speed) AS avgSpeed, {n} AS sectionID FROM HighwayStream{n} [Range 15 minutes]"
        for n in range(1, 21)
    )
    query = session.sql(f"SELECT sectionID\nFROM ({sections}\n)\nWHERE avgSpeed < 15;")
    assert str(query.schema) == "(sectionID INT)"
    # Figure 2 (a): a filter over the union of the aggregates, a projection on top.
    kinds = [line.strip() for line in shape(query)]
    assert kinds[:3] == ["map", "filter", "union"]
    assert Counter(kinds)["union"] == 19
    assert Counter(kinds)["aggregate"] == Counter(kinds)["window range"] == 20
    at = datetime(1993, 11, 3, 5, 0, 8)
    assert list(query.history()) == [(n, at, at + timedelta(minutes=15)) for n in range(1, 15)]


PAIR_TRADING = """
SELECT *
FROM (SELECT AVG(AG1.price/AG2.price) AS ratio

FROM AG1 WINDOW(RANGE 10 MINUTES),
AG2 WINDOW(RANGE 10 MINUTES)) AS SUBQUERY

WHERE ABS(SUBQUERY.ratio - 5/3) > 0.1*5/3;
"""


def test_pair_trading() -> None:
    """Figure 3: windows, a product, the average, a filter."""
    session = Session(engine="reference")
    session.sql(
        """CREATE STREAM AG1 (price DOUBLE, at TIMESTAMP) ORDERED BY at;
        CREATE STREAM AG2 (price DOUBLE, at TIMESTAMP) ORDERED BY at;
        INSERT INTO AG1 VALUES (50, TIMESTAMP '2026-01-01 09:00:00'),
                               (60, TIMESTAMP '2026-01-01 09:04:00');
        INSERT INTO AG2 VALUES (30, TIMESTAMP '2026-01-01 09:01:00'),
                               (20, TIMESTAMP '2026-01-01 09:12:00')"""
    )
    query = session.sql(PAIR_TRADING)
    assert str(query.schema) == "(ratio DOUBLE)"
    assert shape(query) == [
        "filter",
        " map",
        "  aggregate",
        "   product",
        "    window range",
        "     stream",
        "    window range",
        "     stream",
    ]
    # 50/30 is the common ratio. The average with 60/30 deviates by a tenth, 60/30 alone, from
    # 09:10, by a fifth; from 09:11 nothing is left of AG2, until 60/20 at 09:12.
    minute = lambda m: datetime(2026, 1, 1, 9, m)
    assert list(query.history()) == [(2.0, minute(10), minute(11)), (3.0, minute(12), minute(14))]


# Jain §2.2 and §7: streamers and SPREAD. What they give is in the scripts.

LINEAR_ROAD = """
CREATE STREAM S (VID INT, Spd INT, Time INT)
SOURCE rows((1, 50, 1), (2, 50, 1), (1, 50, 2), (2, 50, 2), (3, 20, 2)) ORDERED BY Time;

CREATE STREAM P1 AS ISTREAM (SELECT avg (Spd) as AvgSpd, MAX(Time) AS Time FROM S[range 1]);

CREATE STREAM P2 AS ISTREAM (SELECT count(distinct (VID)) as Count, MAX(Time) AS Time
                             FROM S[range 1]);
"""

INTRUSION_DETECTION = """
CREATE STREAM CStream (srcIp STRING, dstIp STRING, dstPort INT, status STRING,
                       arrival_number BIGINT, time TIMESTAMP) ORDERED BY time;

SPREAD CStream ON arrival_number INTO COrderedStream;

CREATE STREAM ScannerAlertStream AS
ISTREAM (SELECT srcIp
         FROM COrderedStream[Partition by srcIp rows 20]
         WHERE status = 'FAILURE'
         GROUP BY srcIP
         HAVING count(*) > 5);
"""

COUNTS = """
CREATE STREAM MinuteCount AS
SELECT srcIp, count(*) as min_count
FROM ScannerAlertSimStream[range 1 minute slide 1 minute]
GROUP BY srcIp;

CREATE STREAM TwoMinuteCount AS
SELECT srcIp, count(*) as two_min_count
FROM ScannerAlertSimStream[range 2 minutes slide 1 minute]
GROUP BY srcIp;
"""

ALERTS = """
ISTREAM(SELECT M.srcIp
        FROM MinuteCount as M, TwoMinuteCount as T
        WHERE M.srcIp = T.srcIp and
              2*M.min_count > T.two_min_count)
"""


@pytest.fixture
def linear_road() -> Session:
    session = Session(engine="reference")
    session.sql(LINEAR_ROAD)
    return session


@pytest.mark.parametrize(
    ("sql", "schema"),
    [
        ("ISTREAM (SELECT avg (Spd) as AvgSpd FROM S[rows 1])", "(AvgSpd DOUBLE)"),
        (
            "ISTREAM (SELECT avg (Spd) as AvgSpd, Time FROM S[range 1] GROUP BY Time)",
            "(AvgSpd DOUBLE, Time INT)",
        ),
        ("ISTREAM DIF (SELECT * FROM S [rows 1])", "(VID INT, Spd INT)"),
        ("DSTREAM DEL (SELECT * FROM S [rows 1])", "(VID INT, Spd INT)"),
        ("RSTREAM (SELECT VID FROM S [range 2])", "(VID INT)"),
        ("RSTREAM (SELECT VID FROM S [range 2]) EVERY 5", "(VID INT)"),
    ],
)
def test_streamers_give_streams(linear_road: Session, sql: str, schema: str) -> None:
    query = linear_road.sql(sql)
    assert (str(query.schema), query.kind) == (schema, "stream")
    assert operators(query)[0].startswith(sql.split()[0].lower())


def test_linear_road_join(linear_road: Session) -> None:
    query = linear_road.sql(
        """ISTREAM (SELECT SpdReport.AvgSpd, NumCars.Count
        FROM P1[range 1] as SpdReport, P2[range 1] as NumCars
        WHERE SpdReport.AvgSpd< 45 AND NumCars.Count >= 2)"""
    )
    assert str(query.schema) == "(AvgSpd DOUBLE, Count BIGINT)"
    # The output of a streamer is a chronon stream: windows stand on it without a split.
    assert not any(label.startswith("split") for label in operators(query))
    assert [label for label in operators(query) if label.startswith("istream")] == [
        "istream del"
    ] * 3
    assert list(query.history()) == [(40.0, 3, 2)]


def test_time_beside_an_aggregate_needs_a_group(linear_road: Session) -> None:
    """Jain §2.2 writes `SELECT avg (Spd) as AvgSpd, Time`: liberties with the exact syntax."""
    with pytest.raises(ContinuaError) as caught:
        linear_road.sql("ISTREAM (SELECT avg (Spd) as AvgSpd, Time FROM S[rows 1])")
    assert caught.value.code == "AGGREGATE_MISUSE"


def test_intrusion_detection() -> None:
    """Jain §7; SPREAD ALL without ON would order anew by arrival, here it stands for ON time."""
    session = Session(engine="reference")
    session.sql(INTRUSION_DETECTION)
    assert str(session.sql("SELECT * FROM COrderedStream").schema) == (
        "(srcIp STRING, dstIp STRING, dstPort INT, status STRING, arrival_number BIGINT)"
    )
    session.sql("SPREAD ALL ScannerAlertStream INTO ScannerAlertSimStream")
    session.sql(COUNTS)
    query = session.sql(ALERTS)
    assert str(query.schema) == "(srcIp STRING)"
    labels = operators(query)
    assert labels[0] == "istream del"
    assert "window partition by srcIp rows 20" in labels
    assert "window range 1 minute slide 1 minute" in labels
    assert "window range 2 minutes slide 1 minute" in labels
    assert "spread on arrival_number, stream 1 of 1" in labels
    assert "spread all tuple by tuple, stream 1 of 1" in labels


def test_intrusion_detection_spreads_a_derived_stream_on_its_time() -> None:
    """Jain §7: `SPREAD ALL ScannerAlertStream ON time` restores the simultaneity of a time."""
    session = Session(engine="reference")
    session.sql(INTRUSION_DETECTION)
    session.sql("SPREAD ALL ScannerAlertStream ON time INTO ScannerAlertSimStream")
    session.sql(COUNTS)
    query = session.sql(ALERTS)
    assert str(query.schema) == "(srcIp STRING)"
    assert "spread all by time, stream 1 of 1" in operators(query)
    assert not query.plan.batched, "all tuples of a time are one batch again"


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("SPREAD S1, S2 ON rank INTO S1a, S2a", [(2, 3), (2, 4)]),
        ("SPREAD S1, S2 ON value INTO S1a, S2a", [(2, 4), (2, 3)]),
        ("SPREAD S1, S2 INTO S1a, S2a", [(2, 3), (2, 4)]),
        ("SPREAD S1, S2 ON time INTO S1a, S2a", [(2, 4)]),
        ("SPREAD ALL S1, S2 ON rank INTO S1a, S2a", [(2, 3), (2, 4)]),
    ],
)
def test_join_of_spread_streams(sql: str, found: list[tuple[int, int]]) -> None:
    """Jain §5.2, figures 4 to 6."""
    session = Session(engine="reference")
    for name, rows in (("S1", "('a', 1, 1), ('b', 2, 1)"), ("S2", "('c', 3, 1), ('b', 4, 1)")):
        session.sql(
            f"CREATE STREAM {name} (value STRING, rank INT, time INT) SOURCE rows({rows}) ORDERED BY time"
        )
    session.sql(sql)
    query = session.sql("SELECT S1a.rank, S2a.rank FROM S1a[rows 1], S2a[rows 1]")
    assert str(query.schema) == "(rank INT, rank INT)"
    assert [row[:2] for row in query.history()] == found


def test_spread_streams_have_the_columns_of_their_inputs() -> None:
    """Figure 6 spreads on time; the time attribute is still no part of the tuple."""
    session = Session(engine="reference")
    session.sql("CREATE STREAM S1 (value STRING, rank INT, time INT) ORDERED BY time")
    session.sql("SPREAD S1 ON rank INTO A; SPREAD S1 ON time INTO B")
    for name in ("A", "B"):
        assert str(session.sql(f"SELECT * FROM {name}").schema) == "(value STRING, rank INT)"
