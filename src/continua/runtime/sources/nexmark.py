"""Deterministic data in the schema of the extended NEXMark suite (as run on Beam and Flink).

Persons register, open auctions and bid, in the suite's fixed proportions and at a fixed rate.
All kinds are slices of one simulation: sellers and bidders have registered before, and bids name
auctions that have opened before and have not yet expired.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from random import Random
from string import ascii_lowercase

Row = tuple[object, ...]

COLUMNS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "person": (
        ("id", "BIGINT"),
        ("name", "STRING"),
        ("emailAddress", "STRING"),
        ("creditCard", "STRING"),
        ("city", "STRING"),
        ("state", "STRING"),
        ("dateTime", "TIMESTAMP"),
        ("extra", "STRING"),
    ),
    "auction": (
        ("id", "BIGINT"),
        ("itemName", "STRING"),
        ("description", "STRING"),
        ("initialBid", "BIGINT"),
        ("reserve", "BIGINT"),
        ("dateTime", "TIMESTAMP"),
        ("expires", "TIMESTAMP"),
        ("seller", "BIGINT"),
        ("category", "BIGINT"),
        ("extra", "STRING"),
    ),
    "bid": (
        ("auction", "BIGINT"),
        ("bidder", "BIGINT"),
        ("price", "BIGINT"),
        ("channel", "STRING"),
        ("url", "STRING"),
        ("dateTime", "TIMESTAMP"),
        ("extra", "STRING"),
    ),
}

# Every cycle of 50 events is 1 person, then 3 auctions, then 46 bids.
_CYCLE, _PERSONS, _AUCTIONS = 50, 1, 3
_FIRST_ID = 1000  # of persons and of auctions
_FIRST_CATEGORY, _CATEGORIES = 10, 5
_HOT_EVERY = 100  # every hundredth id is a hot auction, a hot seller or a hot bidder
_ACTIVE_PERSONS = 1000  # the newest ones; the others have left
_IN_FLIGHT = 100  # auctions open at a time, roughly
_COLD_CHANNELS = 10_000
_HOT_CHANNELS = ("Google", "Facebook", "Baidu", "Apple")

_FIRST_NAMES = ("Ada", "Bela", "Carl", "Dora", "Emil", "Finn", "Greta", "Hanna", "Ines", "Jonas")
_LAST_NAMES = ("Adler", "Brandt", "Costa", "Diaz", "Evans", "Fischer", "Grant", "Hughes", "Ito")
_PLACES = (("Portland", "OR"), ("Bend", "OR"), ("Boise", "ID"), ("Oakland", "CA"), ("Kent", "WA"))


def generate(
    kind: str,
    *,
    events: int = 1000,
    seed: int = 42,
    start: datetime = datetime(2026, 1, 1),
    gap: float = 0.1,
    hot_auctions: int = 2,
    hot_bidders: int = 4,
    hot_sellers: int = 4,
    extra_length: int = 20,
) -> Iterator[Row]:
    """Yield the rows of one stream of the simulation in time order.

    kind: a key of ``COLUMNS``, in any case.
    events: persons, auctions and bids of the simulation together. A longer simulation begins with
        the rows of a shorter one.
    seed: equal arguments give equal rows, on any machine.
    start: the naive UTC time of the first event.
    gap: seconds from one event to the next, at least a microsecond; times are cut to
        milliseconds. Lifetimes of auctions are counted in events, so they scale with the gap.
    hot_auctions, hot_bidders, hot_sellers: all but one in so many choices fall on the auction or
        person that is hot at the moment; 1 means no skew.
    extra_length: characters of the ``extra`` columns, which only make rows larger.
    """
    name = kind.lower()
    if name not in COLUMNS:
        raise ValueError(f"unknown kind {kind!r}: expected one of {', '.join(COLUMNS)}")
    if events < 0:
        raise ValueError(f"events must not be negative: {events}")
    if not gap >= 1e-6:
        raise ValueError(f"gap must be at least a microsecond: {gap}")
    if min(hot_auctions, hot_bidders, hot_sellers) < 1:
        raise ValueError("hot_auctions, hot_bidders and hot_sellers must be at least 1")
    if extra_length < 0:
        raise ValueError(f"extra_length must not be negative: {extra_length}")
    ratios = (hot_auctions, hot_bidders, hot_sellers)
    history = _simulate(events, Random(seed), start, round(gap * 1e6), ratios, extra_length)
    return (row for event, row in history if event == name)


def _simulate(
    events: int,
    rng: Random,
    start: datetime,
    gap: int,
    ratios: tuple[int, int, int],
    extra_length: int,
) -> Iterator[tuple[str, Row]]:
    """Yield all events as (kind, row), in time order; ``gap`` is in microseconds."""
    random = rng.random
    cold_auction, cold_bidder, cold_seller = (1 / ratio for ratio in ratios)
    # Slices of one random text: drawing every letter would cost more than all the rest.
    text = "".join(ascii_lowercase[int(random() * 26)] for _ in range(1000 + extra_length))

    def extra() -> str:
        offset = int(random() * 1000)
        return text[offset : offset + extra_length]

    def price() -> int:
        """Cents, spread evenly over six orders of magnitude."""
        return int(10 ** rng.randrange(6)) * rng.randrange(100, 1000)

    def some_person() -> int:
        return person - int(random() * min(_ACTIVE_PERSONS, person - _FIRST_ID + 1))

    def time(number: int) -> datetime:
        return start + timedelta(milliseconds=number * gap // 1000)

    def open_auction(now: int) -> tuple[int, int]:
        """One of the auctions that are open at event ``now``, all equally likely."""
        while True:
            slot = int(random() * len(in_flight))
            if in_flight[slot][1] > now:
                return in_flight[slot]
            # Forget an expired auction only when it is drawn: that needs no second structure.
            in_flight[slot] = in_flight[-1]
            in_flight.pop()

    longest_life = 2 * _IN_FLIGHT * _CYCLE // _AUCTIONS  # events; half of it is the mean
    in_flight: list[tuple[int, int]] = []  # (auction, number of the event when it expires)
    hot_auction = (0, 0)
    person = _FIRST_ID - 1
    auction = _FIRST_ID - 1
    for number in range(events):
        turn = number % _CYCLE
        when = time(number)
        if turn < _PERSONS:
            person += 1
            yield "person", _person(person, rng, when, extra())
        elif turn < _PERSONS + _AUCTIONS:
            auction += 1
            # A life of a cycle or more: there is always an open auction to bid on.
            expires = number + rng.randrange(_CYCLE, longest_life)
            in_flight.append((auction, expires))
            if auction % _HOT_EVERY == 0:
                hot_auction = in_flight[-1]
            seller = person // _HOT_EVERY * _HOT_EVERY
            if random() < cold_seller:
                seller = some_person()
            category = _FIRST_CATEGORY + int(random() * _CATEGORIES)
            first = price()
            texts = (f"item {extra()[:8]}", f"{extra()} {extra()}")
            amounts = (first, first + price())
            times = (when, time(expires))
            yield "auction", (auction, *texts, *amounts, *times, seller, category, extra())
        else:
            if random() < cold_auction:
                target, _ = open_auction(number)
            else:
                if hot_auction[1] <= number:
                    hot_auction = open_auction(number)
                target = hot_auction[0]
            # Next to the hot seller, so that the two differ (once the neighbour has registered).
            bidder = min(person // _HOT_EVERY * _HOT_EVERY + 1, person)
            if random() < cold_bidder:
                bidder = some_person()
            channel, url = _channel(rng)
            yield "bid", (target, bidder, price(), channel, url, when, extra())


def _person(key: int, rng: Random, when: datetime, extra: str) -> Row:
    first = _FIRST_NAMES[rng.randrange(len(_FIRST_NAMES))]
    last = _LAST_NAMES[rng.randrange(len(_LAST_NAMES))]
    email = f"{first}.{last}{key}@example.com".lower()
    card = " ".join(f"{rng.randrange(10_000):04}" for _ in range(4))
    return key, f"{first} {last}", email, card, *_PLACES[rng.randrange(len(_PLACES))], when, extra


def _channel(rng: Random) -> tuple[str, str]:
    """A channel and its URL: half are well-known ones, whose URL carries no channel_id."""
    if rng.random() < 0.5:
        hot = int(rng.random() * len(_HOT_CHANNELS))
        return _HOT_CHANNELS[hot], f"https://www.example.com/hot/{hot}/shop/item.htm?query=1"
    cold = int(rng.random() * _COLD_CHANNELS)
    path = f"r{cold % 10}/s{cold // 10 % 10}/t{cold // 100}"
    url = f"https://www.example.com/{path}/item.htm?query=1&channel_id={cold}"
    return f"channel-{cold}", url
