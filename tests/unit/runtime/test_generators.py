"""The data generators: deterministic, in time order, and slices of one consistent simulation."""

import hashlib
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from itertools import islice, pairwise
from types import ModuleType
from typing import Any

import pytest

from continua.runtime.sources import auctions, nexmark

START = datetime(2026, 1, 1)
MODULES = [auctions, nexmark]
KINDS = [(module, kind) for module in MODULES for kind in module.COLUMNS]
STREAMS = [
    (module, kind) for module, kind in KINDS if "TIMESTAMP" in dict(module.COLUMNS[kind]).values()
]
PYTHON_TYPES = {"INT": int, "BIGINT": int, "REAL": float, "STRING": str, "TIMESTAMP": datetime}
NULLABLE = {("closedauction", "buyerID"), ("category", "parentID")}


def rows(module: ModuleType, kind: str, **arguments: Any) -> list[dict[str, Any]]:
    names = [name for name, _ in module.COLUMNS[kind]]
    return [dict(zip(names, row, strict=True)) for row in module.generate(kind, **arguments)]


def times(module: ModuleType, kind: str, **arguments: Any) -> list[datetime]:
    name = "timestamp" if module is auctions else "dateTime"
    return [row[name] for row in rows(module, kind, **arguments)]


def label(value: object) -> str:
    return value.__name__.rpartition(".")[2] if isinstance(value, ModuleType) else str(value)


@pytest.mark.parametrize(("module", "kind"), KINDS, ids=label)
class TestEveryKind:
    def test_equal_arguments_give_equal_rows(self, module: ModuleType, kind: str) -> None:
        first = list(module.generate(kind, events=2000, seed=7))
        assert first
        assert list(module.generate(kind.upper(), events=2000, seed=7)) == first

    def test_values_have_the_types_of_their_columns(self, module: ModuleType, kind: str) -> None:
        for row in rows(module, kind, events=2000):
            for name, sql_type in module.COLUMNS[kind]:
                if row[name] is None:
                    assert (kind, name) in NULLABLE
                else:
                    assert type(row[name]) is PYTHON_TYPES[sql_type]

    def test_a_longer_simulation_begins_with_the_shorter_one(
        self, module: ModuleType, kind: str
    ) -> None:
        short = list(module.generate(kind, events=500))
        long = list(module.generate(kind, events=3000))
        assert long[: len(short)] == short

    def test_rows_are_generated_lazily(self, module: ModuleType, kind: str) -> None:
        # Ten to the fifteenth events end this test only if nothing runs ahead of the reader.
        assert len(list(islice(module.generate(kind, events=10**15), 5))) == 5


@pytest.mark.parametrize(("module", "kind"), STREAMS, ids=label)
class TestEveryStream:
    def test_times_never_decrease_and_are_naive(self, module: ModuleType, kind: str) -> None:
        stream = times(module, kind, events=5000)
        assert stream == sorted(stream)
        assert stream[-1] > stream[0] >= START
        assert all(time.tzinfo is None for time in stream)

    def test_another_seed_gives_other_rows(self, module: ModuleType, kind: str) -> None:
        assert list(module.generate(kind, seed=1)) != list(module.generate(kind, seed=2))

    def test_start_shifts_all_times(self, module: ModuleType, kind: str) -> None:
        shifted = times(module, kind, start=START + timedelta(days=3))
        assert [time - timedelta(days=3) for time in shifted] == times(module, kind)

    def test_no_events_no_rows(self, module: ModuleType, kind: str) -> None:
        assert list(module.generate(kind, events=0)) == []


@pytest.mark.parametrize(
    ("module", "digest"),
    [(auctions, "129ac94348f04531"), (nexmark, "10035b139ca9a567")],
    ids=label,
)
def test_rows_are_the_same_on_every_machine(module: ModuleType, digest: str) -> None:
    text = repr([list(module.generate(kind)) for kind in module.COLUMNS])
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == digest


@pytest.mark.parametrize("module", MODULES, ids=label)
class TestErrors:
    def test_an_unknown_kind_names_the_kinds(self, module: ModuleType) -> None:
        with pytest.raises(ValueError, match="'Offer'.*" + ", ".join(module.COLUMNS)):
            module.generate("Offer")

    @pytest.mark.parametrize(
        "arguments", [{"events": -1}, {"gap": 0}, {"gap": -1.0}, {"gap": float("nan")}], ids=str
    )
    def test_bad_arguments(self, module: ModuleType, arguments: dict[str, Any]) -> None:
        with pytest.raises(ValueError, match=next(iter(arguments))):
            module.generate("bid", **arguments)


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        (auctions, {"persons": 1}),
        (nexmark, {"hot_auctions": 0}),
        (nexmark, {"hot_bidders": 0}),
        (nexmark, {"hot_sellers": 0}),
        (nexmark, {"extra_length": -1}),
    ],
    ids=label,
)
def test_bad_arguments_of_one_module(module: ModuleType, arguments: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(arguments))):
        module.generate("bid", **arguments)


@pytest.fixture(scope="module")
def opened() -> dict[int, dict[str, Any]]:
    return {row["itemID"]: row for row in rows(auctions, "openauction", events=20_000)}


@pytest.fixture(scope="module")
def closed() -> dict[int, dict[str, Any]]:
    return {row["itemID"]: row for row in rows(auctions, "closedauction", events=20_000)}


@pytest.fixture(scope="module")
def bids() -> list[dict[str, Any]]:
    return rows(auctions, "bid", events=20_000)


@pytest.fixture(scope="module")
def persons() -> dict[int, dict[str, Any]]:
    return {row["id"]: row for row in rows(nexmark, "person", events=20_000)}


@pytest.fixture(scope="module")
def offers() -> dict[int, dict[str, Any]]:
    return {row["id"]: row for row in rows(nexmark, "auction", events=20_000)}


@pytest.fixture(scope="module")
def offer_bids() -> list[dict[str, Any]]:
    return rows(nexmark, "bid", events=20_000)


class TestAuctions:
    def test_the_streams_share_out_the_events(self) -> None:
        for events in (1, 10, 999):
            streams = ("openauction", "closedauction", "bid")
            assert sum(len(rows(auctions, kind, events=events)) for kind in streams) == events

    def test_items_count_from_1001(self, opened: dict[int, Any]) -> None:
        assert list(opened) == list(range(1001, 1001 + len(opened)))
        assert {1007, 1020, 2001, 2019, 1087} <= opened.keys()

    def test_an_auction_closes_once_after_minutes_or_at_most_two_days(
        self, opened: dict[int, Any], closed: dict[int, Any]
    ) -> None:
        assert len(closed) == len(rows(auctions, "closedauction", events=20_000))
        lengths = [closed[item]["timestamp"] - opened[item]["timestamp"] for item in closed]
        assert timedelta(minutes=5) <= min(lengths) < timedelta(minutes=30)
        assert timedelta(hours=47) < max(lengths) <= timedelta(hours=48)

    def test_an_auction_still_open_at_the_end_was_not_due(
        self, opened: dict[int, Any], closed: dict[int, Any], bids: list[dict[str, Any]]
    ) -> None:
        end = bids[-1]["timestamp"]
        remaining = opened.keys() - closed.keys()
        assert remaining
        assert all(opened[item]["timestamp"] > end - timedelta(hours=48) for item in remaining)

    def test_bids_are_on_open_auctions(self) -> None:
        # So many events that bids in the very second of a closing would occur.
        events = 200_000
        opened = {r["itemID"]: r["timestamp"] for r in rows(auctions, "openauction", events=events)}
        closed = {
            r["itemID"]: r["timestamp"] for r in rows(auctions, "closedauction", events=events)
        }
        for bid in rows(auctions, "bid", events=events):
            assert (
                opened[bid["itemID"]] <= bid["timestamp"] < closed.get(bid["itemID"], datetime.max)
            )

    def test_prices_rise_from_the_start_price_in_whole_cents(
        self, opened: dict[int, Any], bids: list[dict[str, Any]]
    ) -> None:
        price = {item: row["start_price"] for item, row in opened.items()}
        for bid in bids:
            # Fifty cents is far above the precision of a 32-bit REAL at these prices.
            assert price[bid["itemID"]] + 0.49 < bid["bid_price"] < 100_000
            assert round(bid["bid_price"], 2) == bid["bid_price"]
            price[bid["itemID"]] = bid["bid_price"]

    def test_the_buyer_is_the_highest_bidder_and_nobody_without_bids(
        self, closed: dict[int, Any], bids: list[dict[str, Any]]
    ) -> None:
        highest = {
            bid["itemID"]: bid["bidderID"] for bid in sorted(bids, key=lambda bid: bid["bid_price"])
        }
        assert {item: row["buyerID"] for item, row in closed.items()} == {
            item: highest.get(item) for item in closed
        }
        unsold = sum(row["buyerID"] is None for row in closed.values())
        assert 0.1 < unsold / len(closed) < 0.5

    def test_persons_are_known_and_do_not_bid_on_their_own_items(
        self, opened: dict[int, Any], bids: list[dict[str, Any]]
    ) -> None:
        persons = {row["id"] for row in rows(auctions, "person")}
        assert len(persons) == 100
        assert {row["sellerID"] for row in opened.values()} <= persons
        assert {bid["bidderID"] for bid in bids} == persons
        assert all(bid["bidderID"] != opened[bid["itemID"]]["sellerID"] for bid in bids)

    def test_items_are_those_opened_and_belong_to_leaf_categories(
        self, opened: dict[int, Any]
    ) -> None:
        items = rows(auctions, "item", events=20_000)
        categories = {row["id"]: row["parentID"] for row in rows(auctions, "category")}
        parents = set(categories.values()) - {None}
        assert [item["id"] for item in items] == list(opened)
        assert {item["categoryID"] for item in items} == categories.keys() - parents
        assert all(categories[parent] is None for parent in parents)

    def test_ties_are_common_and_times_are_whole_seconds(self, bids: list[dict[str, Any]]) -> None:
        ties = sum(one["timestamp"] == two["timestamp"] for one, two in pairwise(bids))
        assert 0.05 < ties / len(bids) < 0.3
        assert all(bid["timestamp"].microsecond == 0 for bid in bids)

    def test_gap_is_the_mean_time_between_arrivals(self) -> None:
        for gap in (0.5, 30):
            kinds = ("openauction", "bid")
            arrivals = sorted(
                time for kind in kinds for time in times(auctions, kind, events=20_000, gap=gap)
            )
            mean = (arrivals[-1] - arrivals[0]).total_seconds() / len(arrivals)
            assert mean == pytest.approx(gap, rel=0.05)

    def test_two_persons_suffice(self) -> None:
        assert {row["bidderID"] for row in rows(auctions, "bid", persons=2)} == {1, 2}


class TestAuctionDefaults:
    """With the default arguments the queries of the paper have results worth looking at."""

    def test_about_a_day(self) -> None:
        bids = times(auctions, "bid")
        assert timedelta(days=1) < bids[-1] - bids[0] < timedelta(days=2)

    def test_short_auctions(self) -> None:
        opened = {row["itemID"]: row["timestamp"] for row in rows(auctions, "openauction")}
        lengths = [
            row["timestamp"] - opened[row["itemID"]] for row in rows(auctions, "closedauction")
        ]
        short = sum(length <= timedelta(hours=5) for length in lengths)
        assert 10 < short < len(lengths) - 10

    def test_local_item_suggestion(self) -> None:
        near = {row["id"] for row in rows(auctions, "person") if row["state"] in {"OR", "ID", "CA"}}
        lamps = {row["id"] for row in rows(auctions, "item") if row["categoryID"] == 10}
        found = [
            row
            for row in rows(auctions, "openauction")
            if row["sellerID"] in near and row["itemID"] in lamps
        ]
        assert 0 < len(found) < len(lamps)

    def test_the_highest_bid_of_ten_minutes_is_one_of_several(self) -> None:
        periods = Counter(
            (time - START) // timedelta(minutes=10) for time in times(auctions, "bid")
        )
        assert sum(count > 1 for count in periods.values()) > len(periods) / 2

    def test_the_hot_item_of_an_hour_changes(self) -> None:
        hours: dict[int, Counter[int]] = defaultdict(Counter)
        for bid in rows(auctions, "bid"):
            hours[(bid["timestamp"] - START) // timedelta(hours=1)][bid["itemID"]] += 1
        hottest = [counts.most_common(1)[0] for counts in hours.values()]
        assert len({item for item, _ in hottest}) > 5
        shares = [
            count / counts.total()
            for (_, count), counts in zip(hottest, hours.values(), strict=True)
        ]
        assert sum(share > 0.3 for share in shares) > len(shares) / 2

    def test_the_items_of_the_selection_query_have_bids(self) -> None:
        assert {1007, 1020} <= {bid["itemID"] for bid in rows(auctions, "bid")}


class TestNexmark:
    def test_one_person_three_auctions_forty_six_bids(self) -> None:
        counts = [len(rows(nexmark, kind, events=5000)) for kind in ("person", "auction", "bid")]
        assert counts == [100, 300, 4600]

    def test_ids_count_from_1000(self, persons: dict[int, Any], offers: dict[int, Any]) -> None:
        assert list(persons) == list(range(1000, 1400))
        assert list(offers) == list(range(1000, 2200))

    def test_events_come_at_a_fixed_rate(self) -> None:
        for gap, step in ((0.1, timedelta(milliseconds=100)), (2, timedelta(seconds=2))):
            kinds = ("person", "auction", "bid")
            merged = sorted(
                time for kind in kinds for time in times(nexmark, kind, events=5000, gap=gap)
            )
            assert merged == [START + number * step for number in range(5000)]

    def test_times_are_cut_to_milliseconds(self) -> None:
        stream = times(nexmark, "bid", gap=0.0003)
        assert all(time.microsecond % 1000 == 0 for time in stream)
        assert stream[-1] == START + timedelta(milliseconds=299)

    def test_sellers_have_registered_before(
        self, persons: dict[int, Any], offers: dict[int, Any]
    ) -> None:
        assert all(persons[row["seller"]]["dateTime"] < row["dateTime"] for row in offers.values())

    def test_bidders_have_registered_before(
        self, persons: dict[int, Any], offer_bids: list[dict[str, Any]]
    ) -> None:
        assert all(persons[bid["bidder"]]["dateTime"] < bid["dateTime"] for bid in offer_bids)

    @pytest.mark.parametrize(
        "arguments", [{}, {"hot_auctions": 1}, {"hot_auctions": 50}, {"gap": 0.00001}], ids=str
    )
    def test_bids_are_on_open_auctions(self, arguments: dict[str, Any]) -> None:
        offers = {row["id"]: row for row in rows(nexmark, "auction", events=20_000, **arguments)}
        for bid in rows(nexmark, "bid", events=20_000, **arguments):
            offer = offers[bid["auction"]]
            assert offer["dateTime"] <= bid["dateTime"] <= offer["expires"]

    def test_auctions_live_for_a_cycle_of_fifty_events_or_more(
        self, offers: dict[int, Any]
    ) -> None:
        lives = [row["expires"] - row["dateTime"] for row in offers.values()]
        assert timedelta(seconds=5) <= min(lives) < timedelta(seconds=10)

    def test_about_a_hundred_auctions_are_open(
        self, offers: dict[int, Any], offer_bids: list[dict[str, Any]]
    ) -> None:
        for bid in offer_bids[5000::1000]:
            now = bid["dateTime"]
            assert (
                70 < sum(row["dateTime"] <= now < row["expires"] for row in offers.values()) < 140
            )

    def test_hot_auctions_sellers_and_bidders(
        self, offers: dict[int, Any], offer_bids: list[dict[str, Any]]
    ) -> None:
        sellers = Counter(row["seller"] for row in offers.values())
        assert {seller for seller, _ in sellers.most_common(4)} == {1000, 1100, 1200, 1300}
        assert sum(count for _, count in sellers.most_common(4)) / len(offers) == pytest.approx(
            3 / 4, abs=0.05
        )
        bidders = Counter(bid["bidder"] for bid in offer_bids)
        assert {bidder for bidder, _ in bidders.most_common(4)} == {1001, 1101, 1201, 1301}
        assert sum(count for _, count in bidders.most_common(4)) / len(offer_bids) == pytest.approx(
            3 / 4, abs=0.05
        )
        popular = Counter(bid["auction"] for bid in offer_bids).most_common(24)
        assert sum(count for _, count in popular) / len(offer_bids) == pytest.approx(1 / 2, abs=0.1)

    def test_a_ratio_of_one_means_no_skew(self) -> None:
        even = {"hot_auctions": 1, "hot_bidders": 1, "hot_sellers": 1, "events": 20_000}
        bids = rows(nexmark, "bid", **even)
        assert Counter(bid["auction"] for bid in bids).most_common(1)[0][1] < len(bids) / 100
        assert Counter(bid["bidder"] for bid in bids[5000:]).most_common(1)[0][1] < len(bids) / 100
        sellers = [row["seller"] for row in rows(nexmark, "auction", **even)]
        assert Counter(sellers[300:]).most_common(1)[0][1] < len(sellers) / 50

    def test_prices_span_orders_of_magnitude(
        self, offers: dict[int, Any], offer_bids: list[dict[str, Any]]
    ) -> None:
        assert {len(str(bid["price"])) for bid in offer_bids} == {3, 4, 5, 6, 7, 8}
        assert all(row["reserve"] > row["initialBid"] > 0 for row in offers.values())

    def test_urls_carry_the_id_of_the_channels_that_are_not_well_known(
        self, offer_bids: list[dict[str, Any]]
    ) -> None:
        for bid in offer_bids:
            if bid["channel"].startswith("channel-"):
                assert bid["url"].endswith("&channel_id=" + bid["channel"].removeprefix("channel-"))
            else:
                assert bid["channel"] in {"Google", "Facebook", "Baidu", "Apple"}
                assert "channel_id" not in bid["url"]
        assert all(bid["url"].count("/") == 6 for bid in offer_bids)
        known = sum(not bid["channel"].startswith("channel-") for bid in offer_bids)
        assert known / len(offer_bids) == pytest.approx(1 / 2, abs=0.05)

    def test_categories_and_states_of_the_suite_occur(
        self, persons: dict[int, Any], offers: dict[int, Any]
    ) -> None:
        assert {row["category"] for row in offers.values()} == {10, 11, 12, 13, 14}
        assert {"OR", "ID", "CA"} < {row["state"] for row in persons.values()}

    def test_extra_has_the_length_asked_for(self) -> None:
        for kind in nexmark.COLUMNS:
            for length in (0, 50):
                assert {len(row["extra"]) for row in rows(nexmark, kind, extra_length=length)} == {
                    length
                }
