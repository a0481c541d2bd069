import math

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from repaircore.pricing.sums import sum_range


@frozen(kw_only=True)
class Price:
    """A price with its range."""

    low: int
    average: int
    high: int
    center: float
    spread: float


def priced(average: int, spread: float) -> Price:
    reach = math.exp(1.2815515655446004 * spread)
    return Price(
        low=max(1, round(average / reach)),
        average=average,
        high=round(average * reach),
        center=float(average),
        spread=spread,
    )


PRICES = st.lists(
    st.builds(priced, st.integers(20_00, 5_000_00), st.floats(0.05, 0.8)), min_size=1, max_size=20
)


def test_sum_of_one_price_is_that_price() -> None:
    price = priced(300_00, 0.3)

    result = sum_range([price])

    assert (result.low, result.average, result.high) == (price.low, price.average, price.high)


def test_sum_of_cents_is_at_least_one_and_around_its_average() -> None:
    cheap = Price(low=1, average=3, high=9, center=3.0, spread=0.8)
    skewed = Price(low=250, average=100, high=80, center=100.0, spread=0.8)

    assert (sum_range([cheap]).low, sum_range([cheap]).high) == (1, 9)
    assert (sum_range([skewed]).low, sum_range([skewed]).high) == (100, 100)


@given(prices=PRICES)
def test_range_is_narrower_than_the_sum_of_ranges_and_wider_than_of_independent_ones(
    prices: list[Price],
) -> None:
    result = sum_range(prices)

    slack = len(prices) + 1
    assert result.average == sum(price.average for price in prices)
    assert result.low <= result.average <= result.high
    assert result.high <= sum(price.high for price in prices) + slack
    shares = [(price.average / result.average) * price.spread for price in prices]
    independent = math.sqrt(sum(share * share for share in shares))
    together = sum(shares)
    assert independent - 1e-9 <= result.spread <= together + 1e-9


@given(prices=PRICES)
def test_order_does_not_matter(prices: list[Price]) -> None:
    one, other = sum_range(prices), sum_range(prices[::-1])

    assert (one.average, abs(one.low - other.low) <= 1, abs(one.high - other.high) <= 1) == (
        other.average,
        True,
        True,
    )


def test_sum_of_three_prices_is_the_recorded_one() -> None:
    skewed = Price(low=40_00, average=90_00, high=140_00, center=80_00.0, spread=0.4)

    found = sum_range([priced(200_00, 0.3), priced(350_00, 0.2), skewed])

    assert (found.low, found.average, found.high, found.center) == (474_15, 640_00, 829_58, 630_00)
    assert found.spread == pytest.approx(0.2122715)
    assert found.weights == pytest.approx((20 / 63, 35 / 63, 8 / 63))
