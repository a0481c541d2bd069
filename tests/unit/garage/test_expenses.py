"""Unplanned costs of vehicles, costs by month, and costs per mile."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.garage.driving import Reading
from repaircore.garage.expenses import (
    PastCost,
    cost_by_month,
    cost_per_mile,
    merge_costs,
    months_from,
    unplanned_cost,
)
from repaircore.kernel.traits import Powertrain
from repaircore.pricing.sums import CostSum

TODAY = date(2026, 11, 27)


def past_cost(on: date, amount: int, label: str = "x") -> PastCost:
    return PastCost(on=on, amount=amount, label=label)


def test_unplanned_cost_is_the_upkeep_beyond_services() -> None:
    found = unplanned_cost(upkeep=100_000, planned=60_000, pace=1_000, powertrain=None, labor_level=1)

    assert found.mean == pytest.approx(40_000)


def test_unplanned_cost_has_a_minimum() -> None:
    found = unplanned_cost(upkeep=100_000, planned=90_000, pace=1_000, powertrain=None, labor_level=1)

    assert found.mean == pytest.approx(25_000)


def test_unplanned_cost_has_its_doubt_and_follows_use_and_labor() -> None:
    def found(pace: float = 1_000, *, level: float = 1) -> CostSum:
        return unplanned_cost(upkeep=100_000, planned=0, pace=pace, powertrain=None, labor_level=level)

    assert (found().mean, found().common, found().own) == (100_000, 25_000, 100_000 * 2 * 450_00)
    assert found(level=1.5).mean == 150_000
    assert [found(pace).mean for pace in (100, 500, 2_000, 3_000, 9_000)] == [
        50_000,
        50_000,
        200_000,
        300_000,
        300_000,
    ]


def test_electric_vehicles_need_fewer_repairs() -> None:
    electric, gas = (
        unplanned_cost(upkeep=100_000, planned=0, pace=1_000, powertrain=one, labor_level=1).mean
        for one in (Powertrain.ELECTRIC, Powertrain.GAS)
    )

    assert electric == pytest.approx(0.6 * gas)


@given(st.dates(date(1990, 1, 1), date(2200, 1, 1)))
def test_months_cover_a_whole_year(today: date) -> None:
    months = list(months_from(today))

    assert sum(share for _, share in months) == pytest.approx(1)
    assert [month for month, _ in months] == sorted({month for month, _ in months})
    assert months[0][0] == f"{today:%Y-%m}"
    assert len(months) in {12, 13}


def test_transaction_of_a_visit_counts_once() -> None:
    visits = [past_cost(date(2026, 5, 1), 50_000)]
    others = [past_cost(date(2026, 5, 1), 20_000), past_cost(date(2026, 4, 1), 10_000)]

    assert [cost.amount for cost in merge_costs(visits, others)] == [10_000, 50_000]


def test_costs_are_summed_by_month() -> None:
    costs = [
        past_cost(date(2025, 1, 1), 1),
        past_cost(date(2026, 4, 1), 10),
        past_cost(date(2026, 4, 30), 20),
    ]

    assert cost_by_month(costs, since=date(2026, 1, 1)) == {"2026-04": 30}


def test_costs_count_from_their_first_day_on() -> None:
    costs = [past_cost(date(2026, 1, 1), 10), past_cost(date(2025, 12, 31), 20)]

    assert cost_by_month(costs, since=date(2026, 1, 1)) == {"2026-01": 10}


LOG = [Reading(day=date(2026, 1, 1), miles=50_000), Reading(day=date(2026, 11, 1), miles=60_000)]


def test_cost_per_mile_covers_the_odometer_log() -> None:
    costs = [
        past_cost(date(2025, 12, 31), 99_999),
        past_cost(date(2026, 2, 1), 60_000),
        past_cost(date(2026, 10, 1), 40_000),
    ]

    found = cost_per_mile(costs, LOG, today=TODAY)

    assert found is not None
    assert (found.cents, found.miles, found.amount) == (10.0, 10_000, 100_000)
    assert (found.since, found.until) == (LOG[0].day, LOG[1].day)


@pytest.mark.parametrize(
    ("first", "days", "miles", "is_known"),
    [
        (date(2026, 1, 1), 60, 1_000, True),
        (date(2026, 1, 1), 59, 1_000, False),
        (date(2026, 1, 1), 60, 999, False),
        (date(2024, 11, 27), 90, 5_000, True),  # two years ago
        (date(2024, 11, 26), 90, 5_000, False),
    ],
)
def test_cost_per_mile_takes_sixty_days_and_a_thousand_miles(
    first: date, days: int, miles: int, *, is_known: bool
) -> None:
    last = first + timedelta(days=days)
    log = [Reading(day=first, miles=50_000), Reading(day=last, miles=50_000 + miles)]
    costs = [past_cost(first, 10), past_cost(last, 20)]

    found = cost_per_mile(costs, log, today=TODAY)

    assert (found is not None) is is_known
    assert found is None or found.amount == 30


@pytest.mark.parametrize(
    ("costs", "log"),
    [
        ([], LOG),
        ([past_cost(date(2026, 2, 1), 1)], LOG[:1]),
        ([past_cost(date(2026, 2, 1), 1)], []),
        ([past_cost(date(2026, 1, 1), 1)], [LOG[0], Reading(day=date(2026, 1, 20), miles=60_000)]),
        ([past_cost(date(2026, 2, 1), 1)], [LOG[0], Reading(day=date(2026, 11, 1), miles=50_500)]),
    ],
)
def test_cost_per_mile_is_unknown_without_a_long_log(costs: list[PastCost], log: list[Reading]) -> None:
    assert cost_per_mile(costs, log, today=TODAY) is None
