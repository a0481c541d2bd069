"""What vehicles cost beyond their services, by month, and by the mile."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.garage.driving import Reading
from repaircore.garage.expenses import (
    PastCost,
    cost_by_month,
    cost_per_mile,
    costs_by_month,
    merge_costs,
    months_from,
    unplanned_cost,
    year_from,
)
from repaircore.kernel.traits import Powertrain
from repaircore.pricing.sums import CostSum, total

TODAY = date(2026, 11, 27)


def paid(on: date, amount: int, label: str = "x") -> PastCost:
    return PastCost(on=on, amount=amount, label=label)


def test_what_services_do_not_cost_is_unplanned() -> None:
    found = unplanned_cost(upkeep=100_000, planned=60_000, pace=1_000, powertrain=None, labor_level=1)

    assert found.mean == pytest.approx(40_000)


def test_some_repairs_are_never_planned() -> None:
    found = unplanned_cost(upkeep=100_000, planned=90_000, pace=1_000, powertrain=None, labor_level=1)

    assert found.mean == pytest.approx(25_000)


def test_electric_vehicles_need_fewer_repairs() -> None:
    electric, gas = (
        unplanned_cost(upkeep=100_000, planned=0, pace=1_000, powertrain=one, labor_level=1).mean
        for one in (Powertrain.ELECTRIC, Powertrain.GAS)
    )

    assert electric == pytest.approx(0.6 * gas)


@given(st.dates(date(1990, 1, 1), date(2200, 1, 1)))
def test_months_are_the_whole_year(today: date) -> None:
    months = list(months_from(today))

    assert sum(share for _, share in months) == pytest.approx(1)
    assert [month for month, _ in months] == sorted({month for month, _ in months})
    assert months[0][0] == f"{today:%Y-%m}"
    assert len(months) in {12, 13}


def test_overdue_service_costs_now_and_a_later_one_does_not_count() -> None:
    cost, nothing = CostSum(mean=100), CostSum()
    services = [(TODAY - timedelta(days=90), cost), (date(2027, 3, 1), cost), (year_from(TODAY), cost)]

    months = costs_by_month(services, nothing, TODAY)

    assert {month: found.mean for month, found in months.items() if found.mean} == {
        "2026-11": 100,
        "2027-03": 100,
    }


@given(
    days=st.lists(st.integers(-400, 364), max_size=20),
    unplanned=st.floats(0, 1e7),
)
def test_months_add_up_to_the_year(days: list[int], unplanned: float) -> None:
    services = [(TODAY + timedelta(days=days_), CostSum(mean=1_000)) for days_ in days]

    months = costs_by_month(services, CostSum(mean=unplanned), TODAY)

    assert total(months.values()).mean == pytest.approx(unplanned + 1_000 * len(days))


def test_transaction_of_a_visit_counts_once() -> None:
    visits = [paid(date(2026, 5, 1), 50_000)]
    others = [paid(date(2026, 5, 1), 20_000), paid(date(2026, 4, 1), 10_000)]

    assert [cost.amount for cost in merge_costs(visits, others)] == [10_000, 50_000]


def test_costs_are_added_by_month() -> None:
    costs = [paid(date(2025, 1, 1), 1), paid(date(2026, 4, 1), 10), paid(date(2026, 4, 30), 20)]

    assert cost_by_month(costs, since=date(2026, 1, 1)) == {"2026-04": 30}


LOG = [Reading(day=date(2026, 1, 1), miles=50_000), Reading(day=date(2026, 11, 1), miles=60_000)]


def test_cost_of_a_mile_is_that_of_the_log() -> None:
    costs = [
        paid(date(2025, 12, 31), 99_999),
        paid(date(2026, 2, 1), 60_000),
        paid(date(2026, 10, 1), 40_000),
    ]

    found = cost_per_mile(costs, LOG, today=TODAY)

    assert found is not None
    assert (found.cents, found.miles, found.amount) == (10.0, 10_000, 100_000)


@pytest.mark.parametrize(
    ("costs", "log"),
    [
        ([], LOG),
        ([paid(date(2026, 2, 1), 1)], LOG[:1]),
        ([paid(date(2026, 2, 1), 1)], []),
        ([paid(date(2026, 1, 1), 1)], [LOG[0], Reading(day=date(2026, 1, 20), miles=60_000)]),
        ([paid(date(2026, 2, 1), 1)], [LOG[0], Reading(day=date(2026, 11, 1), miles=50_500)]),
    ],
)
def test_cost_of_a_mile_is_unknown_without_a_log(costs: list[PastCost], log: list[Reading]) -> None:
    assert cost_per_mile(costs, log, today=TODAY) is None
