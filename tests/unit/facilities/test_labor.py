"""A shop's labor rate from its invoices."""

import statistics
import tracemalloc
from collections.abc import Iterable
from datetime import date
from itertools import repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.facilities.labor import LaborBill, ShopLabor, labor_of, three_years_before

SINCE, RECENT, LONG_AGO = date(2023, 1, 2), date(2025, 12, 1), date(2019, 12, 1)


def bill(rate: int, *, day: date = RECENT, hours: float = 1.0) -> LaborBill:
    return LaborBill(performed_on=day, hours=hours, total=round(rate * hours))


def rate_of_bills(*rates: int) -> ShopLabor | None:
    return labor_of(map(bill, rates), since=SINCE)


@given(st.lists(st.integers(10_00, 1_000_00), min_size=5, max_size=60))
def test_rate_is_the_median(rates: list[int]) -> None:
    found = rate_of_bills(*rates)

    assert found is not None
    assert found.rate == pytest.approx(statistics.median(rates), abs=0.5)
    assert found.sample_size == len(rates)


def test_fewer_than_five_bills_give_no_rate() -> None:
    assert rate_of_bills(100_00, 100_00, 100_00, 100_00) is None
    assert rate_of_bills() is None


def test_two_outliers_of_five_stay_within_the_other_rates() -> None:
    assert rate_of_bills(118_00, 120_00, 122_00, 999_00, 998_00) == ShopLabor(rate=122_00, sample_size=5)
    assert rate_of_bills(118_00, 120_00, 122_00, 11_00, 12_00) == ShopLabor(rate=118_00, sample_size=5)


def test_impossible_rates_do_not_count() -> None:
    good = [bill(120_00)] * 5
    odd = [bill(0), bill(9_99), bill(1_000_01), bill(120_00, hours=0), bill(500_00, hours=0.05)]

    assert labor_of([*odd, *good], since=SINCE) == ShopLabor(rate=120_00, sample_size=5)
    assert labor_of([*odd, *good[:4]], since=SINCE) is None


@pytest.mark.parametrize(
    ("hours", "total", "rate"),
    [
        (0.1, 12_00, 120_00),
        (0.09, 12_00, None),
        (1.0, 10_00, 10_00),
        (1.0, 9_99, None),
        (1.0, 1_000_00, 1_000_00),
        (1.0, 1_000_01, None),
        (3.0, 100_00, 33_33),
    ],
)
def test_rate_of_an_invoice_is_plausible_or_none(hours: float, total: int, rate: int | None) -> None:
    assert LaborBill(performed_on=RECENT, hours=hours, total=total).rate == rate


def test_invoices_of_the_first_day_are_recent() -> None:
    old, recent = bill(60_00, day=date(2023, 1, 1)), bill(120_00, day=SINCE)

    assert labor_of([*[old] * 50, *[recent] * 5], since=SINCE) == ShopLabor(rate=120_00, sample_size=5)


def test_median_of_an_even_number_lies_between_the_middle_ones() -> None:
    assert rate_of_bills(100_00, 100_00, 110_00, 121_00, 130_00, 130_00) == ShopLabor(
        rate=115_50, sample_size=6
    )


def test_old_invoices_count_only_if_new_ones_are_too_few() -> None:
    old = [bill(60_00, day=LONG_AGO)] * 50

    assert labor_of([*old, *[bill(120_00)] * 5], since=SINCE) == ShopLabor(rate=120_00, sample_size=5)
    assert labor_of([*old, *[bill(120_00)] * 4], since=SINCE) == ShopLabor(rate=60_00, sample_size=54)


@pytest.mark.parametrize("day", [date(2028, 2, 29), date(2026, 1, 2), date(2026, 12, 31)])
def test_three_years_before_is_about_three_years(day: date) -> None:
    assert 3 * 365 - 2 < (day - three_years_before(day)).days < 3 * 365 + 5


def test_memory_does_not_grow_with_the_bills() -> None:
    def bills() -> Iterable[LaborBill]:
        return (bill(90_00 + at % 5000) for at, _ in enumerate(repeat(None, 40_000)))

    def peak_memory(count: int) -> int:
        tracemalloc.start()
        labor_of((one for _ in range(count) for one in bills()), since=SINCE)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak

    assert peak_memory(2) < peak_memory(1) + 100_000
