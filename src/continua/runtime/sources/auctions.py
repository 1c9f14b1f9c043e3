"""Deterministic auction data in the schema of the original NEXMark benchmark.

The streams are those of Krämer & Seeger (TODS 2009, Fig. 2): auctions open, receive bids and
close. All kinds are slices of one simulation, so equal arguments give streams and relations that
fit together: a bid names an auction that is open at that moment, a closing follows its opening
and names the highest bidder, and every seller and bidder is a row of ``person``.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import heappop, heappush
from random import Random

Row = tuple[object, ...]

COLUMNS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "openauction": (
        ("itemID", "INT"),
        ("sellerID", "INT"),
        ("start_price", "REAL"),
        ("timestamp", "TIMESTAMP"),
    ),
    "closedauction": (("itemID", "INT"), ("buyerID", "INT"), ("timestamp", "TIMESTAMP")),
    "bid": (
        ("itemID", "INT"),
        ("bid_price", "REAL"),
        ("bidderID", "INT"),
        ("timestamp", "TIMESTAMP"),
    ),
    "person": (
        ("id", "INT"),
        ("name", "STRING"),
        ("email", "STRING"),
        ("city", "STRING"),
        ("state", "STRING"),
    ),
    "item": (("id", "INT"), ("name", "STRING"), ("description", "STRING"), ("categoryID", "INT")),
    "category": (
        ("id", "INT"),
        ("name", "STRING"),
        ("description", "STRING"),
        ("parentID", "INT"),
    ),
}

_FIRST_ITEM = 1001
_OPENING_SHARE = 0.1  # of the arrivals; the others are bids
_TIE_SHARE = 0.125  # of the arrivals share the second of the arrival before
_UNWANTED_SHARE = 0.15  # of the auctions never get a bid
_HOT_SHARE = 0.5  # of the bids go to the item that is hot at the moment
_HOT_CHANGE = 0.025  # chance, per bid, that another item becomes hot
_SHORT_SHARE = 0.5  # of the auctions close within five hours
_MINUTE, _HOUR = 60, 3600

_FIRST_NAMES = ("Ada", "Bela", "Carl", "Dora", "Emil", "Finn", "Greta", "Hanna", "Ines", "Jonas")
_LAST_NAMES = ("Adler", "Brandt", "Costa", "Diaz", "Evans", "Fischer", "Grant", "Hughes", "Ito")
# NEXMark's local item suggestion asks for sellers in OR, ID and CA: they must be frequent.
_PLACES = (("Portland", "OR"), ("Bend", "OR"), ("Boise", "ID"), ("Oakland", "CA"), ("Kent", "WA"))
_ADJECTIVES = ("Old", "Rare", "Fine", "Plain", "Blue", "Signed", "Small", "Large")
# Category ids count from 1, roots first, then three leaves of each root. Items belong to leaves;
# NEXMark's local item suggestion asks for category 10.
_ROOTS = ("Collectibles", "Electronics", "Home")
_LEAVES = ("Stamp", "Coin", "Comic", "Camera", "Radio", "Telephone", "Lamp", "Chair", "Carpet")


@dataclass(slots=True)
class _Auction:
    """An open auction: prices are in cents; ``slot`` is its place among the biddable ones."""

    item: int
    seller: int
    price: int
    largest_raise: int
    bidder: int | None = None
    slot: int = -1


def generate(
    kind: str,
    *,
    events: int = 1000,
    seed: int = 42,
    start: datetime = datetime(2026, 1, 1),
    gap: float = 120.0,
    persons: int = 100,
) -> Iterator[Row]:
    """Yield the rows of one stream or relation of the simulation, streams in time order.

    kind: a key of ``COLUMNS``, in any case.
    events: openings, bids and closings of the simulation together. A longer simulation begins
        with the rows of a shorter one.
    seed: equal arguments give equal rows, on any machine.
    start: the naive UTC time of the first event; the others follow in whole seconds.
    gap: mean seconds between arrivals (openings and bids); closings come when they are due.
        Auctions last five minutes to two days whatever the gap, so the default makes a thousand
        events span a little more than a day.
    persons: rows of ``person``, the sellers and bidders; at least two.

    ``person`` and ``category`` do not depend on ``events``; ``item`` has the items opened by then.
    """
    name = kind.lower()
    if name not in COLUMNS:
        raise ValueError(f"unknown kind {kind!r}: expected one of {', '.join(COLUMNS)}")
    if events < 0:
        raise ValueError(f"events must not be negative: {events}")
    if not gap > 0:
        raise ValueError(f"gap must be positive: {gap}")
    if persons < 2:
        raise ValueError(f"persons must be at least 2, a seller and a bidder: {persons}")
    if name == "category":
        return _categories()
    # Each relation has a generator of its own, so that its texts cannot disturb the simulation.
    if name == "person":
        return _persons(persons, Random(4 * seed + 1))
    history = _simulate(events, Random(4 * seed), start, gap, persons)
    if name == "item":
        return _items(history, Random(4 * seed + 2))
    return (row for event, row in history if event == name)


def _simulate(
    events: int, rng: Random, start: datetime, gap: float, persons: int
) -> Iterator[tuple[str, Row]]:
    """Yield all events as (kind, row), in time order."""
    random = rng.random
    # Uniform rather than exponential gaps: a logarithm may differ in its last bit by machine.
    longest_gap = 2 * gap / (1 - _TIE_SHARE)
    biddable: list[_Auction] = []
    due: list[tuple[int, int, _Auction]] = []  # heap of (closing second, item, auction)
    hot: _Auction | None = None
    item = _FIRST_ITEM
    clock = 0.0
    second = 0  # of the next arrival
    for _ in range(events):
        # Closings go before arrivals of the same second: no bid comes as late as the closing.
        if due and due[0][0] <= second:
            closing, _, auction = heappop(due)
            if auction.slot >= 0:
                last = biddable.pop()
                if last is not auction:
                    biddable[auction.slot] = last
                    last.slot = auction.slot
                auction.slot = -1
            when = start + timedelta(seconds=closing)
            yield "closedauction", (auction.item, auction.bidder, when)
            continue
        when = start + timedelta(seconds=second)
        if not biddable or random() < _OPENING_SHARE:
            seller = 1 + int(persons * random() * random())  # a few persons sell the most
            price = 100 + int(random() * 30000)
            # Raises follow the start price, not the current one: prices must not explode.
            auction = _Auction(item, seller, price, price // 10)
            if random() < _SHORT_SHARE:
                length = rng.randrange(5 * _MINUTE, 5 * _HOUR + 1)
            else:
                length = rng.randrange(5 * _HOUR + 1, 48 * _HOUR + 1)
            heappush(due, (second + length, item, auction))
            if random() >= _UNWANTED_SHARE:
                auction.slot = len(biddable)
                biddable.append(auction)
            item += 1
            yield "openauction", (auction.item, seller, price / 100, when)
        else:
            if hot is None or hot.slot < 0 or random() < _HOT_CHANGE:
                hot = biddable[int(random() * len(biddable))]
            auction = hot
            if random() >= _HOT_SHARE:
                auction = biddable[int(random() * len(biddable))]
            bidder = 1 + int(random() * (persons - 1))
            if bidder >= auction.seller:  # nobody bids on an item of their own
                bidder += 1
            auction.bidder = bidder
            auction.price += 50 + int(random() * auction.largest_raise)
            yield "bid", (auction.item, auction.price / 100, bidder, when)
        if random() >= _TIE_SHARE:
            clock += random() * longest_gap
            second = int(clock)


def _persons(count: int, rng: Random) -> Iterator[Row]:
    for key in range(1, count + 1):
        first = _FIRST_NAMES[rng.randrange(len(_FIRST_NAMES))]
        last = _LAST_NAMES[rng.randrange(len(_LAST_NAMES))]
        city, state = _PLACES[rng.randrange(len(_PLACES))]
        email = f"{first}.{last}{key}@example.com".lower()
        yield key, f"{first} {last}", email, city, state


def _items(history: Iterable[tuple[str, Row]], rng: Random) -> Iterator[Row]:
    for event, row in history:
        if event == "openauction":
            leaf = rng.randrange(len(_LEAVES))
            name = f"{_ADJECTIVES[rng.randrange(len(_ADJECTIVES))]} {_LEAVES[leaf]}"
            yield row[0], name, f"{name}, lot {row[0]}", len(_ROOTS) + 1 + leaf


def _categories() -> Iterator[Row]:
    for key, name in enumerate(_ROOTS, start=1):
        yield key, name, f"Items of {name}", None
    for leaf, name in enumerate(_LEAVES):
        root = leaf // (len(_LEAVES) // len(_ROOTS))
        yield len(_ROOTS) + 1 + leaf, name, f"Items of {_ROOTS[root]} / {name}", root + 1
