"""Timelines: steps, snapshots, canonical form, openings, samples."""

import pytest

from continua.model.element import Tuple, identity_order
from continua.model.instant import BEGINNING, FOREVER, Instant, Interval, interval
from continua.model.timeline import Timeline, pointwise

A, B = Tuple(("a",)), Tuple(("b",))


def test_equal_snapshots_make_equal_timelines_however_intervals_are_cut() -> None:
    whole = Timeline.of([(A, interval(1, 5), 1)])
    cut = Timeline.of([(A, interval(1, 3), 1), (A, interval(3, 5), 1)])
    assert whole == cut
    assert whole != Timeline.of([(A, interval(1, 6), 1)])


def test_multiplicity_counts_the_intervals_that_contain_an_instant() -> None:
    timeline = Timeline.of([(A, interval(1, 5), 1), (A, interval(3, 8), 2), (B, interval(4, 5), 1)])
    assert [timeline.at(Instant(t)).get(A, 0) for t in range(10)] == [0, 1, 1, 3, 3, 2, 2, 2, 0, 0]
    assert timeline.at(Instant(4)) == {A: 3, B: 1}


def test_batches_order_instants_within_a_time() -> None:
    timeline = Timeline.of([(A, Interval(Instant(2, 1), Instant(3)), 1)])
    assert timeline.at(Instant(2, 0)) == {}
    assert timeline.at(Instant(2, 1)) == timeline.at(Instant(2, 7)) == {A: 1}
    assert timeline.at(Instant(3)) == {}


def test_canonical_form_closes_the_oldest_interval_first() -> None:
    timeline = Timeline.of([(A, interval(1, 9), 1), (A, interval(2, 4), 1)])
    assert [row.interval for row in timeline.canonical()] == [interval(1, 4), interval(2, 9)]


def test_canonical_form_joins_what_meets_and_orders_rows() -> None:
    timeline = Timeline.of([(B, interval(1, 3), 1), (A, interval(1, 2), 1), (A, interval(2, 3), 1)])
    assert [(row.tuple, row.interval) for row in timeline.canonical()] == [
        (A, interval(1, 3)),
        (B, interval(1, 3)),
    ]


def test_unbounded_ends_stay_open() -> None:
    timeline = Timeline.of([(A, Interval(BEGINNING, FOREVER), 2)])
    assert timeline.canonical() == [(A, Interval(BEGINNING, FOREVER))] * 2


def test_openings_find_every_chronon_of_a_run() -> None:
    run = Timeline.of([(A, interval(1, 2), 1), (A, interval(2, 3), 2), (A, interval(5, 6), 1)])
    assert run.openings() == [(A, Instant(1), 1), (A, Instant(2), 2), (A, Instant(5), 1)]


def test_openings_within_a_time_count_the_increase_only() -> None:
    end = Instant(2)
    batches = Timeline.of(
        [(A, Interval(Instant(1, 0), end), 1), (A, Interval(Instant(1, 1), end), 2)]
    )
    assert batches.openings() == [(A, Instant(1, 0), 1), (A, Instant(1, 1), 2)]


def test_samples_stand_at_multiples_of_the_granule_between_the_bounds() -> None:
    timeline = Timeline.of([(A, interval(-3, 12), 1), (B, interval(6, 9), 1)])
    sampled = timeline.sampled(5, first=-3, last=10)
    assert sampled == Timeline.of([(A, interval(t, t + 1), 1) for t in (0, 5, 10)])


def test_samples_see_the_state_after_the_last_batch_of_a_time() -> None:
    timeline = Timeline.of(
        [
            (A, Interval(Instant(5, 0), Instant(5, 1)), 1),
            (B, Interval(Instant(5, 1), Instant(7)), 1),
        ]
    )
    assert timeline.sampled(5, 0, 9).openings() == [(B, Instant(5, 1), 1)]


def test_pointwise_evaluates_also_before_the_first_change() -> None:
    empty = pointwise(lambda s: {} if s else {B: 1}, Timeline.of([(A, interval(1, 3), 1)]))
    assert empty.at(Instant(0)) == {B: 1}
    assert empty.at(Instant(1)) == {}
    assert empty.at(Instant(3)) == {B: 1}


def test_without_identity_equal_values_add_up() -> None:
    timeline = Timeline.of(
        [(Tuple(("a",), 1), interval(1, 5), 1), (Tuple(("a",), 2), interval(3, 8), 1)]
    )
    assert timeline.without_identity() == Timeline.of(
        [(A, interval(1, 5), 1), (A, interval(3, 8), 1)]
    )


@pytest.mark.parametrize(
    ("lesser", "greater"),
    [(None, 0), (1, 2), ((1, 2), (1, 3)), (5, "a"), ((0, 1), frozenset({1})), ((None, 1), (0, 0))],
)
def test_identities_of_any_shape_are_ordered(lesser: object, greater: object) -> None:
    assert identity_order(lesser) < identity_order(greater)
