import math
import random

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.repair_intervals.intervals import (
    BOOK_COUNTS_AS,
    HoldTime,
    VehicleScope,
    book_times,
    survival_curve,
)

HONDA, FORD = VehicleScope(make="honda", model="accord"), VehicleScope(make="ford", model="f150")
TIMES = st.floats(0.5, 400)
PAST = st.lists(
    st.builds(
        HoldTime,
        time=TIMES,
        scope=st.sampled_from([HONDA, FORD, evolve(HONDA, car=1), evolve(HONDA, car=2), VehicleScope()]),
        ended=st.booleans(),
    ),
    max_size=40,
)
BOOK = book_times(48, 3)


def test_the_book_stands_around_its_median() -> None:
    for shape in (1, 3):
        times = book_times(48, shape)
        assert len(times) == BOOK_COUNTS_AS
        assert list(times) == sorted(times)
        assert times[9] < 48 < times[10]


def test_what_fails_by_chance_spreads_wider_than_what_wears() -> None:
    chance, wear = (survival_curve(book_times(48, shape), [], VehicleScope()).due() for shape in (1, 3))
    assert chance.low < wear.low < wear.middle < wear.high < chance.high


def test_without_history_the_book_speaks() -> None:
    told = survival_curve(BOOK, [], HONDA)
    assert told.sample == 0
    assert told.factor == 1
    assert told.due().middle == pytest.approx(48, rel=0.06)


def test_a_long_history_outvotes_the_book() -> None:
    told = survival_curve(BOOK, [HoldTime(12, HONDA)] * 5000, HONDA)
    assert told.due().middle == pytest.approx(12, rel=0.02)
    assert told.own == (5000, 5000, 0)


def test_repairs_that_still_hold_are_not_left_out() -> None:
    """In two years nothing is seen to hold for longer; that most still hold says otherwise."""
    rnd = random.Random(7)  # noqa: S311 - a simulation
    true = [40 * math.exp(rnd.gauss(0, 0.3)) for _ in range(2000)]
    seen = [
        HoldTime(min(time, age), VehicleScope(), ended=time <= age)
        for time in true
        for age in [rnd.uniform(0, 24)]
        if age
    ]
    ended = [one for one in seen if one.ended]
    assert len(ended) < len(seen) / 8
    # One in a hundred is due within 20 months; of the few that were seen to end, nearly half.
    assert survival_curve(BOOK, ended, VehicleScope()).share_due(20) > 0.25
    assert survival_curve(BOOK, seen, VehicleScope()).share_due(20) < 0.05


def test_what_holds_longer_on_a_make_is_told_of_that_make_alone() -> None:
    past = [HoldTime(20, HONDA)] * 60 + [HoldTime(60, FORD)] * 60
    honda, ford, other = (
        survival_curve(BOOK, past, kin).due().middle for kin in (HONDA, FORD, VehicleScope(make="bmw"))
    )
    assert honda < other < ford
    assert honda == pytest.approx(20, rel=0.25)
    assert ford == pytest.approx(60, rel=0.25)


def test_a_car_that_wears_things_out_is_known_by_its_own_times() -> None:
    past = [HoldTime(40, evolve(HONDA, car=car)) for car in range(100)] + [
        HoldTime(10, evolve(HONDA, car="taxi"))
    ] * 4
    taxi, others = survival_curve(BOOK, past, evolve(HONDA, car="taxi")), survival_curve(BOOK, past, HONDA)
    assert taxi.due().middle < others.due().middle * 0.6
    assert taxi.own == (104, 104, 4)


@given(PAST, st.floats(0, 500))
def test_low_middle_and_high_stand_in_order_and_not_before_today(
    past: list[HoldTime], elapsed: float
) -> None:
    due = survival_curve(BOOK, past, HONDA).due(elapsed)
    assert elapsed <= due.low <= due.middle <= due.high
    assert math.isfinite(due.high)


@given(PAST)
def test_what_is_left_only_falls(past: list[HoldTime]) -> None:
    told = survival_curve(BOOK, past, HONDA)
    assert list(told.times) == sorted(set(told.times))
    assert all(0 <= after <= before <= 1 for before, after in zip((1.0, *told.left), told.left, strict=False))


@given(PAST, st.floats(0, 300), st.floats(0, 300))
def test_more_is_due_later(past: list[HoldTime], first: float, then: float) -> None:
    told = survival_curve(BOOK, past, HONDA)
    early, late = sorted((first, then))
    assert 0 <= told.share_due(early) <= told.share_due(late) <= 1


@given(PAST, st.floats(0, 300), st.floats(0, 300))
def test_having_held_longer_never_brings_the_end_nearer(
    past: list[HoldTime], first: float, then: float
) -> None:
    told = survival_curve(BOOK, past, HONDA)
    early, late = sorted((first, then))
    assert told.due(early).middle <= told.due(late).middle + 1e-9
    assert told.due(early).high <= told.due(late).high + 1e-9


@given(PAST, st.floats(1.1, 9))
def test_miles_or_kilometers_do_not_matter(past: list[HoldTime], unit: float) -> None:
    told = survival_curve(BOOK, past, HONDA).due()
    scaled = survival_curve(
        [time * unit for time in BOOK], [one._replace(time=one.time * unit) for one in past], HONDA
    ).due()
    for name in ("low", "middle", "high"):
        assert getattr(scaled, name) == pytest.approx(getattr(told, name) * unit)


@given(PAST, st.randoms())
def test_the_order_of_the_past_does_not_matter(past: list[HoldTime], rnd: random.Random) -> None:
    shuffled = list(past)
    rnd.shuffle(shuffled)
    told, again = survival_curve(BOOK, past, HONDA).due(), survival_curve(BOOK, shuffled, HONDA).due()
    assert again.middle == pytest.approx(told.middle)


@given(PAST, TIMES)
def test_one_more_that_still_holds_never_shortens(past: list[HoldTime], time: float) -> None:
    told = survival_curve(BOOK, past, VehicleScope())
    more = survival_curve(BOOK, [*past, HoldTime(time, VehicleScope(), ended=False)], VehicleScope())
    assert more.share_due(100) <= told.share_due(100) + 1e-9


@given(PAST, st.sampled_from([HONDA, FORD, evolve(HONDA, car=1), VehicleScope()]))
def test_the_steps_make_up_the_factor(past: list[HoldTime], kin: VehicleScope) -> None:
    told = survival_curve(BOOK, past, kin)
    assert math.prod(step.factor for step in told.steps) == pytest.approx(told.factor)
    assert all(0 < step.weight < 1 for step in told.steps)
    seen = dict(zip(("make", "model", "car"), told.own, strict=True))
    assert {step.level: step.count for step in told.steps} == {name: n for name, n in seen.items() if n}
