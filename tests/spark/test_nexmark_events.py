"""NEXMark's events: published proportions, hot ones, references that hold, a known disorder."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import accumulate

import pytest
from nexmark import KINDS, Nexmark
from pyspark.sql import Row, SparkSession

pytestmark = pytest.mark.spark

EVENTS = Nexmark(10_000, rate=100)

Rows = Mapping[str, list[Row]]


def made(spark: SparkSession, events: Nexmark, parts: int = 1) -> Rows:
    return {kind: events.rows(spark, kind, parts).collect() for kind in KINDS}


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> Rows:
    return made(spark, EVENTS)


def test_of_fifty_events_one_is_a_person_and_three_are_auctions(rows: Rows) -> None:
    events = sorted((row["at"], kind) for kind, found in rows.items() for row in found)
    cycle = ["person"] + 3 * ["auction"] + 46 * ["bid"]
    assert [kind for _, kind in events] == 200 * cycle
    first = events[0][0]
    assert [at for at, _ in events] == [
        first + n * timedelta(milliseconds=10) for n in range(10_000)
    ]


def test_rows_depend_on_nothing_but_the_arguments(spark: SparkSession, rows: Rows) -> None:
    assert made(spark, EVENTS, parts=3) == rows
    assert made(spark, Nexmark(10_000, rate=100, seed=2)) != rows


def test_a_longer_run_begins_with_the_rows_of_a_shorter_one(
    spark: SparkSession, rows: Rows
) -> None:
    for kind, shorter in made(spark, Nexmark(1_234, rate=100)).items():
        assert shorter == rows[kind][: len(shorter)]
        assert len(shorter) >= 1_234 // 50


def test_ids_count_up_from_the_first(rows: Rows) -> None:
    for kind in ("person", "auction"):
        ids = [row["id"] for row in rows[kind]]
        assert ids == list(range(1_000, 1_000 + len(ids)))


def test_what_is_named_was_there_before(rows: Rows) -> None:
    registered = {row["id"]: row["at"] for row in rows["person"]}
    opened = {row["id"]: row["at"] for row in rows["auction"]}
    for bid in rows["bid"]:
        assert opened[bid["auction"]] < bid["at"]
        assert registered[bid["bidder"]] < bid["at"]
    for auction in rows["auction"]:
        assert registered[auction["seller"]] < auction["at"]
        assert auction["at"] + timedelta(seconds=1) <= auction["expires"]
        assert auction["expires"] < auction["at"] + timedelta(seconds=61)
        assert auction["initial_bid"] < auction["reserve"]


@pytest.mark.parametrize(("hot", "least", "most"), [(2, 0.48, 0.53), (4, 0.73, 0.78)])
def test_most_bids_are_for_the_hot_auction_and_by_the_hot_bidder(
    spark: SparkSession, hot: int, least: float, most: float
) -> None:
    """All but one in so many, and some of the others by chance."""
    events = Nexmark(10_000, hot_auctions=hot, hot_bidders=hot, hot_sellers=hot)
    rows = made(spark, events)
    bids, auctions = rows["bid"], rows["auction"]
    # Every hundredth id is hot. A bidder stands beside a seller, once the neighbour has registered.
    assert least < sum(bid["auction"] % 100 == 0 for bid in bids) / len(bids) < most
    late = [bid for bid in bids if bid["at"] >= rows["person"][1]["at"]]
    assert least < sum(bid["bidder"] % 100 == 1 for bid in late) / len(late) < most
    assert (
        least - 0.05 < sum(a["seller"] % 100 == 0 for a in auctions) / len(auctions) < most + 0.05
    )


def test_others_are_among_the_newest(rows: Rows) -> None:
    """A hundred auctions are in flight, and some bids are for the oldest of them."""
    opened = [row["at"] for row in rows["auction"]]
    back = [
        bisect_left(opened, bid["at"]) - 1 - (bid["auction"] - 1_000)
        for bid in rows["bid"]
        if bid["auction"] % 100
    ]
    assert min(back) == 0
    assert max(back) == 99


def test_channels_that_are_not_large_have_their_number_in_the_url(rows: Rows) -> None:
    large = {"Google", "Facebook", "Baidu", "Apple"}
    kinds: Counter[bool] = Counter()
    for bid in rows["bid"]:
        known = bid["channel"] in large
        kinds[known] += 1
        number = bid["channel"].removeprefix("channel-")
        assert bid["url"].endswith("query=1" if known else f"query=1&channel_id={number}")
    assert 0.45 < kinds[True] / len(rows["bid"]) < 0.55


def test_disorder_is_there_and_bounded(spark: SparkSession, rows: Rows) -> None:
    disordered = made(spark, Nexmark(10_000, rate=100, disorder=0.5), parts=2)
    for kind, found in disordered.items():
        assert sorted(found, key=lambda row: row["at"]) == rows[kind]
        assert max(delays(found)) < timedelta(seconds=0.5)
    late = delays(disordered["bid"])
    assert max(late) > timedelta(seconds=0.4)
    assert sum(delay > timedelta() for delay in late) > len(late) / 2


def delays(found: Sequence[Row]) -> list[timedelta]:
    """How far the times of rows lie behind the greatest that has come before them."""
    times = [row["at"] for row in found]
    return [greatest - at for greatest, at in zip(accumulate(times, max), times, strict=True)]
