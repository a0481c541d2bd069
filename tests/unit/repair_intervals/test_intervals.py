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


def test_book_times_have_the_interval_as_their_median() -> None:
    for shape in (1, 3):
        times = book_times(48, shape)
        assert len(times) == BOOK_COUNTS_AS
        assert list(times) == sorted(times)
        assert times[9] < 48 < times[10]


def test_book_times_of_random_failures_spread_wider_than_wear() -> None:
    chance, wear = (survival_curve(book_times(48, shape), [], VehicleScope()).due() for shape in (1, 3))

    assert chance.low < wear.low < wear.middle < wear.high < chance.high


def test_survival_curve_without_history_follows_the_book() -> None:
    result = survival_curve(BOOK, [], HONDA)

    assert result.sample == 0
    assert result.factor == 1
    assert result.due().middle == pytest.approx(48, rel=0.06)


@pytest.mark.parametrize(
    ("censored", "left"),
    [
        ([], [3 / 4, 2 / 4, 1 / 4, 0]),
        ([1.5], [4 / 5, 4 / 5 * 2 / 3, 4 / 5 * 1 / 3, 0]),
        ([2.0], [4 / 5, 4 / 5 * 3 / 4, 4 / 5 * 3 / 4 * 1 / 2, 0]),  # still held when others ended
        ([2.5, 2.6], [5 / 6, 4 / 6, 4 / 6 * 1 / 2, 0]),
        ([9.0], [4 / 5, 3 / 5, 2 / 5, 1 / 5]),
    ],
)
def test_survival_curve_is_the_product_limit(censored: list[float], left: list[float]) -> None:
    past = [HoldTime(time, VehicleScope(), ended=False) for time in censored]

    result = survival_curve([1.0, 2.0, 3.0, 4.0], past, VehicleScope())

    assert result.times == [1, 2, 3, 4]
    assert result.left == pytest.approx(left)


def test_repairs_that_ended_together_are_one_step() -> None:
    result = survival_curve([1.0, 2.0, 2.0, 4.0], [], VehicleScope())

    assert result.times == [1, 2, 4]
    assert result.left == pytest.approx([3 / 4, 1 / 4, 0])


def test_times_of_zero_are_not_counted() -> None:
    past = [HoldTime(0.0, VehicleScope()), HoldTime(0.5, VehicleScope())]

    assert survival_curve([1.0, 2.0], past, VehicleScope()).sample == 1


def test_repair_is_due_from_the_time_at_which_others_ended() -> None:
    result = survival_curve([1.0, 2.0, 4.0, 8.0], [], VehicleScope())

    assert [result.share_due(time) for time in (0.9, 1, 2, 4)] == pytest.approx([0, 1 / 4, 2 / 4, 3 / 4])
    assert result.share_due(50) == pytest.approx(7 / 8)  # some hold longer than all that are known
    assert (result.due().low, result.due().middle, result.due().high) == (1, 2, 8)
    assert (result.due(1).middle, result.due(3).middle, result.due(50).middle) == (4, 4, 50)


def test_due_times_are_quantiles_of_those_that_still_hold() -> None:
    result = survival_curve([float(time) for time in range(1, 18)], [], VehicleScope())
    new, used = result.due(), result.due(8.5)

    assert (new.low, new.middle, new.high) == (2, 9, 16)
    assert (used.low, used.middle, used.high) == (9, 13, 17)


def test_half_of_the_repairs_of_a_make_are_due_by_its_middle() -> None:
    past = [HoldTime(20, HONDA)] * 60 + [HoldTime(60, FORD)] * 60
    result = survival_curve(BOOK, past, HONDA)
    middle = result.due().middle

    assert result.factor < 0.9
    assert result.share_due(middle - 0.01) < 0.5 <= result.share_due(middle + 0.01)


def test_levels_below_an_unknown_one_are_unknown() -> None:
    assert VehicleScope(model="accord", car=7).path() == (None, None, 7)
    assert VehicleScope(make="honda", car=7).path() == ("honda", None, 7)
    assert HONDA.path() == ("honda", ("honda", "accord"), None)


def test_survival_curve_with_a_long_history_outvotes_the_book() -> None:
    result = survival_curve(BOOK, [HoldTime(12, HONDA)] * 5000, HONDA)

    assert result.due().middle == pytest.approx(12, rel=0.02)
    assert result.own == (5000, 5000, 0)


def test_survival_curve_counts_repairs_that_still_hold() -> None:
    """Two years of data show no longer interval, but most repairs still hold."""
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
    # One in a hundred is due within 20 months, but nearly half of the few that ended.
    assert survival_curve(BOOK, ended, VehicleScope()).share_due(20) > 0.25
    assert survival_curve(BOOK, seen, VehicleScope()).share_due(20) < 0.05


def test_survival_curve_of_a_make_does_not_change_others() -> None:
    past = [HoldTime(20, HONDA)] * 60 + [HoldTime(60, FORD)] * 60
    honda, ford, other = (
        survival_curve(BOOK, past, kin).due().middle for kin in (HONDA, FORD, VehicleScope(make="bmw"))
    )

    assert honda < other < ford
    assert honda == pytest.approx(20, rel=0.25)
    assert ford == pytest.approx(60, rel=0.25)


def test_survival_curve_of_a_car_follows_its_own_times() -> None:
    past = [HoldTime(40, evolve(HONDA, car=car)) for car in range(100)] + [
        HoldTime(10, evolve(HONDA, car="taxi"))
    ] * 4
    taxi, others = survival_curve(BOOK, past, evolve(HONDA, car="taxi")), survival_curve(BOOK, past, HONDA)

    assert taxi.due().middle < others.due().middle * 0.6
    assert taxi.own == (104, 104, 4)


@given(PAST, st.floats(0, 500))
def test_survival_curve_due_times_are_ordered_and_not_before_today(
    past: list[HoldTime], elapsed: float
) -> None:
    due = survival_curve(BOOK, past, HONDA).due(elapsed)

    assert elapsed <= due.low <= due.middle <= due.high
    assert math.isfinite(due.high)


@given(PAST)
def test_survival_curve_left_only_falls(past: list[HoldTime]) -> None:
    result = survival_curve(BOOK, past, HONDA)

    assert list(result.times) == sorted(set(result.times))
    assert all(
        0 <= after <= before <= 1 for before, after in zip((1.0, *result.left), result.left, strict=False)
    )


@given(PAST, st.floats(0, 300), st.floats(0, 300))
def test_survival_curve_share_due_only_rises(past: list[HoldTime], first: float, then: float) -> None:
    result = survival_curve(BOOK, past, HONDA)
    early, late = sorted((first, then))

    assert 0 <= result.share_due(early) <= result.share_due(late) <= 1


@given(PAST, st.floats(0, 300), st.floats(0, 300))
def test_survival_curve_due_never_moves_closer_with_elapsed_time(
    past: list[HoldTime], first: float, then: float
) -> None:
    result = survival_curve(BOOK, past, HONDA)
    early, late = sorted((first, then))

    assert result.due(early).middle <= result.due(late).middle + 1e-9
    assert result.due(early).high <= result.due(late).high + 1e-9


@given(PAST, st.floats(1.1, 9))
def test_survival_curve_scales_with_its_unit(past: list[HoldTime], unit: float) -> None:
    result = survival_curve(BOOK, past, HONDA).due()
    scaled = survival_curve(
        [time * unit for time in BOOK], [one._replace(time=one.time * unit) for one in past], HONDA
    ).due()
    for name in ("low", "middle", "high"):
        assert getattr(scaled, name) == pytest.approx(getattr(result, name) * unit)


@given(PAST, st.randoms())
def test_survival_curve_ignores_the_order_of_the_past(past: list[HoldTime], rnd: random.Random) -> None:
    shuffled = list(past)
    rnd.shuffle(shuffled)
    result, again = survival_curve(BOOK, past, HONDA).due(), survival_curve(BOOK, shuffled, HONDA).due()

    assert again.middle == pytest.approx(result.middle)


@given(PAST, TIMES)
def test_survival_curve_never_shortens_with_one_more_that_still_holds(
    past: list[HoldTime], time: float
) -> None:
    result = survival_curve(BOOK, past, VehicleScope())
    more = survival_curve(BOOK, [*past, HoldTime(time, VehicleScope(), ended=False)], VehicleScope())

    assert more.share_due(100) <= result.share_due(100) + 1e-9


@given(PAST, st.sampled_from([HONDA, FORD, evolve(HONDA, car=1), VehicleScope()]))
def test_survival_curve_steps_make_up_the_factor(past: list[HoldTime], kin: VehicleScope) -> None:
    result = survival_curve(BOOK, past, kin)
    assert math.prod(step.factor for step in result.steps) == pytest.approx(result.factor)
    assert all(0 < step.weight < 1 for step in result.steps)
    seen = dict(zip(("make", "model", "car"), result.own, strict=True))

    assert {step.level: step.count for step in result.steps} == {name: n for name, n in seen.items() if n}
