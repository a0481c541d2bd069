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


@pytest.mark.parametrize(
    ("cost", "deviation", "expected"),
    [
        (CostSum(mean=0.49, own=1e9), 31_622.7766, (0, 0, 0)),
        (CostSum(mean=0.5), 0, (1, 1, 1)),
        (CostSum(mean=1_000, common=300, own=40_000), 360.555128, (601, 1_000, 1_472)),
        (CostSum(mean=100, common=1e6), 1_000_000, (0, 100, 100)),
        (CostSum(mean=1_000, common=-300), 300, (658, 1_000, 1_395)),
    ],
)
def test_range_of_a_sum_holds_eight_of_ten_values(
    cost: CostSum, deviation: float, expected: tuple[int, int, int]
) -> None:
    found = cost.range()

    assert cost.deviation == pytest.approx(deviation)
    assert (found.low, found.average, found.high) == expected


@pytest.mark.parametrize(
    ("low", "average", "high", "deviation"),
    [(0, 100, 500, 0), (1, 100, 500, 1_888), (100, 100, 100, 0), (1_000, 1_000, 1_001, 0), (500, 500, 510, 4), (100_00, 200_00, 350_00, 103_89)],
)  # fmt: skip
def test_deviation_of_a_price_follows_from_its_range(
    low: int, average: int, high: int, deviation: int
) -> None:
    assert deviation_of(PriceRange(low=low, average=average, high=high)) == deviation


def test_cost_of_a_price_is_half_shared() -> None:
    found = cost_of_price(PriceRange(low=100_00, average=200_00, high=350_00))

    assert (found.mean, found.common, found.own) == pytest.approx(
        (200_00, math.sqrt(0.5) * 103_89, 0.5 * 103_89**2)
    )
