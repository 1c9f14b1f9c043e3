"""The events of NEXMark, of any number: made by Spark in parallel, and the same everywhere.

What an event is follows from its number alone, as in the generator of the extended suite: of 50
events the first is a person who registers, the next three are auctions that open, and the others
are bids. Most bids are for the hot auction of the moment, and by its hot bidder.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

CYCLE, PERSONS, AUCTIONS = 50, 1, 3
"""Events of which so many are persons, then auctions; the others are bids."""

START = 1_767_225_600_000_000
"""2026-01-01, in microseconds."""

FIRST_ID, FIRST_CATEGORY, CATEGORIES = 1_000, 10, 5
HOT_EVERY = 100
"""One id in so many is that of a hot auction, seller or bidder."""
IN_FLIGHT, ACTIVE_PERSONS = 100, 1_000
"""How far back a bid's auction, and the person who does something, may lie."""
KINDS = ("person", "auction", "bid")

_STATES = "array('AZ', 'CA', 'ID', 'OR', 'WA', 'WY')"
_CITIES = "array('Phoenix', 'Oakland', 'Boise', 'Portland', 'Kent', 'Cheyenne')"
_NAMES = "array('Ada', 'Bela', 'Carl', 'Dora', 'Emil', 'Finn', 'Greta', 'Hanna', 'Ines', 'Jonas')"
_CHANNELS = "array('Google', 'Facebook', 'Baidu', 'Apple')"


@dataclass(frozen=True)
class Nexmark:
    """So many events, `rate` of them in a second of application time.

    hot_auctions, hot_sellers, hot_bidders: all but one in so many fall on what is hot.
    disorder: a row's place is up to so many seconds after its time; 0 keeps the order.
    """

    events: int
    rate: float = 10_000
    hot_auctions: int = 2
    hot_sellers: int = 4
    hot_bidders: int = 4
    disorder: float = 0.0
    seed: int = 1

    def rows(self, spark: SparkSession, kind: str, parts: int = 4) -> DataFrame:
        """The rows of a kind, in the order in which they come, in parts of equally many events."""
        events = spark.range(0, self.events, 1, parts).selectExpr(
            "id AS n",
            f"id DIV {CYCLE} AS cycle",
            f"CAST(id % {CYCLE} AS INT) AS turn",
            f"timestamp_micros({START} + CAST(id * {1_000_000 / self.rate!r}D AS BIGINT)) AS at",
        )
        turns = {
            "person": f"turn < {PERSONS}",
            "auction": f"turn BETWEEN {PERSONS} AND {PERSONS + AUCTIONS - 1}",
            "bid": f"turn >= {PERSONS + AUCTIONS}",
        }
        found = events.where(turns[kind]).selectExpr(
            "*",
            # The newest person and auction that there are at the event.
            f"cycle * {PERSONS} + least(turn, {PERSONS - 1}) AS person",
            f"cycle * {AUCTIONS} + greatest(least(turn - {PERSONS}, {AUCTIONS - 1}), -1) "
            "AS auction",
        )
        if self.disorder:
            place = f"n + {self._below(90, f'{int(self.disorder * self.rate)}')}"
            found = found.selectExpr("*", f"{place} AS place")
            found = found.repartitionByRange(parts, "place").sortWithinPartitions("place", "n")
        return found.selectExpr(*getattr(self, f"_{kind}"))

    @property
    def _person(self) -> tuple[str, ...]:
        name = self._among(10, _NAMES)
        return (
            f"person + {FIRST_ID} AS id",
            f"{name} AS name",
            f"concat(lower({name}), '@example.com') AS email",
            f"concat({self._below(11, '9000')} + 1000, ' ', {self._below(12, '9000')} + 1000) "
            "AS card",
            f"{self._among(13, _CITIES)} AS city",
            f"{self._among(14, _STATES)} AS state",
            "at",
        )

    @property
    def _auction(self) -> tuple[str, ...]:
        first = self._price(20)
        return (
            f"auction + {FIRST_ID} AS id",
            f"concat('item ', {self._below(21, '1000')}) AS item",
            f"{first} AS initial_bid",
            f"{first} + {self._price(22)} AS reserve",
            f"at + make_dt_interval(0, 0, 0, {self._below(23, '600')} / 10 + 1) AS expires",
            f"{self._someone(24, self.hot_sellers, 0)} AS seller",
            f"{FIRST_CATEGORY} + {self._below(25, str(CATEGORIES))} AS category",
            "at",
        )

    @property
    def _bid(self) -> tuple[str, ...]:
        hot = f"auction DIV {HOT_EVERY} * {HOT_EVERY}"
        cold = f"auction - {self._below(31, f'least({IN_FLIGHT}, auction + 1)')}"
        channel = self._below(34, "10000")
        return (
            f"IF({self._below(30, str(self.hot_auctions))} > 0, {hot}, {cold}) + {FIRST_ID} "
            "AS auction",
            f"{self._someone(32, self.hot_bidders, 1)} AS bidder",
            f"{self._price(33)} AS price",
            f"IF({self._below(35, '2')} = 0, {self._among(36, _CHANNELS)}, "
            f"concat('channel-', {channel})) AS channel",
            f"concat('https://www.example.com/a/b/', {channel}, '/item.htm?query=1', "
            f"IF({self._below(35, '2')} = 0, '', concat('&channel_id=', {channel}))) AS url",
            "at",
        )

    def _someone(self, salt: int, hot: int, beside: int) -> str:
        """A hot person, or one of those who have registered last."""
        cold = f"person - {self._below(salt + 50, f'least({ACTIVE_PERSONS}, person + 1)')}"
        known = f"least(person DIV {HOT_EVERY} * {HOT_EVERY} + {beside}, person)"
        return f"IF({self._below(salt, str(hot))} > 0, {known}, {cold}) + {FIRST_ID}"

    def _price(self, salt: int) -> str:
        """Cents, spread over six orders of magnitude."""
        exponent = f"6 * ({self._below(salt, '1000000')} / 1000000D)"
        return f"CAST(round(pow(10D, {exponent}) * 100) AS BIGINT)"

    def _among(self, salt: int, array: str) -> str:
        return f"element_at({array}, CAST({self._below(salt, f'size({array})')} AS INT) + 1)"

    def _below(self, salt: int, number: str) -> str:
        """SQL: a whole number from 0 on and below another, drawn for the event."""
        return f"pmod(xxhash64(n, {self.seed}L, {salt}), {number})"
