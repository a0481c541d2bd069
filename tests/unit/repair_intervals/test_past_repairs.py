from collections.abc import Sequence
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.repair_intervals.intervals import HoldTime, VehicleScope
from repaircore.repair_intervals.past_repairs import DAYS_A_MONTH, USUAL_PACE, PastRepair, hold_times

TODAY = date(2026, 7, 1)
KIN = VehicleScope("honda", "accord", 1)


def done(day: date, miles: int | None = None, car: int = 1) -> PastRepair:
    return PastRepair(car, day, miles, "honda", "accord")


def months(days: int) -> float:
    return days / DAYS_A_MONTH


def test_hold_times_end_with_the_next_repair_and_the_last_still_holds() -> None:
    result = hold_times([done(date(2024, 1, 1)), done(date(2025, 1, 1))], {}, today=TODAY)

    assert result.months == [HoldTime(months(366), KIN), HoldTime(months(546), KIN, ended=False)]
    assert result.miles == []


def test_hold_times_count_one_repair_a_day() -> None:
    day = date(2025, 1, 1)

    assert len(hold_times([done(day), done(day), done(day)], {}, today=TODAY).months) == 1


def test_hold_times_of_a_car_without_recent_invoices_end_with_its_last() -> None:
    result = hold_times([done(date(2020, 1, 1))], {1: date(2020, 3, 1)}, today=TODAY)

    assert result.months == [HoldTime(months(60), KIN, ended=False)]


def test_hold_times_count_miles_only_with_every_reading() -> None:
    start, again = date(2024, 7, 1), date(2025, 7, 1)
    result = hold_times([done(start, 10_000), done(again, 28_000)], {}, today=TODAY)

    assert result.miles[0] == HoldTime(18_000, KIN)
    assert not result.miles[1].ended
    assert result.miles[1].time == pytest.approx(18_000)
    assert hold_times([done(start, 10_000), done(again)], {}, today=TODAY).miles == []


def test_hold_times_of_a_car_with_one_reading_use_the_usual_pace() -> None:
    result = hold_times([done(date(2025, 7, 1), 10_000)], {}, today=TODAY)

    assert result.miles == [HoldTime(months(365) * USUAL_PACE, KIN, ended=False)]


@pytest.mark.parametrize("second", [10_000, 9_000, 900_000])
def test_hold_times_ignore_an_impossible_odometer(second: int) -> None:
    result = hold_times([done(date(2025, 1, 1), 10_000), done(date(2025, 3, 1), second)], {}, today=TODAY)

    assert result.miles == []
    assert len(result.months) == 2


HISTORY = st.lists(
    st.tuples(st.integers(1, 4), st.integers(0, 3000), st.none() | st.integers(0, 200_000)), max_size=40
)


@given(HISTORY)
def test_hold_times_have_one_open_repair_per_car_and_no_negative_time(
    history: Sequence[tuple[int, int, int | None]],
) -> None:
    first = date(2018, 1, 1)
    repairs = sorted(
        (done(first + timedelta(days=day), miles, car) for car, day, miles in history),
        key=lambda one: one[:2],
    )
    result = hold_times(repairs, {}, today=TODAY)
    cars = {car for car, _, _ in history}

    assert {hold.scope.car for hold in result.months if not hold.ended} == cars
    assert len(result.months) == len({(car, day) for car, day, _ in history})
    assert sum(not hold.ended for hold in result.months) == len(cars)
    assert all(hold.time >= 0 for hold in (*result.months, *result.miles))
    assert sum(not hold.ended for hold in result.miles) == len({hold.scope.car for hold in result.miles})
