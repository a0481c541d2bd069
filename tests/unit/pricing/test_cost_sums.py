"""Properties of sums of uncertain costs."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.money import PriceRange
from repaircore.pricing.sums import (
    NO_COST,
    CostSum,
    cost_of_lines,
    cost_of_price,
    deviation_of,
    total,
)

_PRICES = st.builds(
    lambda low, up, over: PriceRange(low=low, average=round(low * up), high=round(low * up * over)),
    st.integers(1_000, 500_000),
    st.floats(1.01, 2.0),
    st.floats(1.01, 2.0),
)
_SUMS = st.builds(CostSum, mean=st.floats(0, 1e9), common=st.floats(0, 1e8), own=st.floats(0, 1e16))


@given(_SUMS)
def test_range_contains_its_mean(cost: CostSum) -> None:
    found = cost.range()

    assert 0 <= found.low <= found.average <= found.high
    assert found.average == pytest.approx(cost.mean, abs=1)


@given(_SUMS, _SUMS, _SUMS)
def test_order_of_a_sum_does_not_matter(a: CostSum, b: CostSum, c: CostSum) -> None:
    first, second = (a + b) + c, c + (b + a)

    assert first.mean == pytest.approx(second.mean)
    assert first.deviation == pytest.approx(second.deviation)


@given(_SUMS)
def test_adding_nothing_changes_nothing(cost: CostSum) -> None:
    assert cost + NO_COST == cost


@given(st.lists(_PRICES, min_size=2, max_size=20))
def test_range_of_a_sum_lies_between_independent_and_correlated_lines(prices: list[PriceRange]) -> None:
    deviations = [deviation_of(price) for price in prices]

    found = total(map(cost_of_price, prices)).deviation

    assert found <= sum(deviations) * (1 + 1e-9)
    assert found >= math.sqrt(sum(deviation**2 for deviation in deviations)) * (1 - 1e-9)


@given(st.lists(_PRICES, min_size=1, max_size=20))
def test_sums_in_a_database_equal_the_sums_of_the_lines(prices: list[PriceRange]) -> None:
    deviations = [deviation_of(price) for price in prices]

    found = cost_of_lines(
        average=sum(price.average for price in prices),
        deviation=sum(deviations),
        squares=sum(deviation**2 for deviation in deviations),
    )

    expected = total(map(cost_of_price, prices))
    assert found.mean == pytest.approx(expected.mean)
    assert found.deviation == pytest.approx(expected.deviation)


@given(_SUMS, st.floats(0.01, 1))
def test_parts_of_a_year_add_up_to_the_year(cost: CostSum, share: float) -> None:
    both = cost.part(share) + cost.part(1 - share)

    assert both.mean == pytest.approx(cost.mean)
    assert both.deviation == pytest.approx(cost.deviation, rel=1e-6)


def test_price_without_a_range_is_certain() -> None:
    assert deviation_of(PriceRange(low=5, average=5, high=5)) == 0
    assert cost_of_price(PriceRange(low=500, average=500, high=500)).range() == PriceRange(
        low=500, average=500, high=500
    )


def test_sum_of_one_price_keeps_about_its_range() -> None:
    price = PriceRange(low=20_000, average=30_000, high=44_000)

    found = cost_of_price(price).range()

    assert found.low == pytest.approx(price.low, rel=0.1)
    assert found.high == pytest.approx(price.high, rel=0.1)
