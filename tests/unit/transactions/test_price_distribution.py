import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.transactions.price_distribution import (
    LEAST_INVOICES,
    LEAST_SHOPS,
    PriceDistribution,
    ShopPayment,
    distribution_of,
)

PAYMENTS = st.lists(st.tuples(st.integers(1, 6), st.integers(1, 3_000_00)), max_size=120)


def spread(invoices: int = 60, shops: int = 5) -> list[ShopPayment]:
    return [(number % shops, 200_00 + 5_00 * number) for number in range(invoices)]


def within(payments: list[ShopPayment], low: int | None, high: int | None) -> list[ShopPayment]:
    return [
        payment
        for payment in payments
        if (low is None or payment[1] >= low) and (high is None or payment[1] < high)
    ]


def distribution(payments: list[ShopPayment]) -> PriceDistribution:
    result = distribution_of(payments)

    assert result is not None
    return result


def test_distribution_of_many_shops_has_round_bounds_and_every_invoice() -> None:
    result = distribution(spread())

    assert (result.invoices, result.shops) == (60, 5)
    assert (result.low, result.middle, result.high) == (230_00, 350_00, 460_00)
    assert round(sum(column.share for column in result.columns), 6) == 1
    assert result.columns[0].low is result.columns[-1].high is None


def test_distribution_needs_enough_invoices() -> None:
    assert distribution_of(spread(LEAST_INVOICES - 1)) is None
    assert distribution_of(spread(LEAST_INVOICES)) is not None


def test_distribution_needs_enough_shops() -> None:
    assert distribution_of(spread(shops=LEAST_SHOPS - 1)) is None
    assert distribution_of(spread(shops=LEAST_SHOPS)) is not None


def test_distribution_of_mostly_one_shop_is_not_shown() -> None:
    mostly = [(1, total) for _, total in spread(100)]

    assert distribution_of([*mostly, (2, 300_00), (3, 300_00), (4, 300_00)]) is None


def test_distribution_takes_three_columns() -> None:
    few, enough = ([(at % 5, 200_00 + step * at) for at in range(60)] for step in (20, 40))

    assert distribution_of(few) is None
    assert len(distribution(enough).columns) == 3


def test_distribution_of_half_one_shop_is_shown() -> None:
    half = [(0 if at % 2 else 1 + at % 3, 200_00 + 5_00 * at) for at in range(60)]

    assert distribution_of(half) is not None
    assert distribution_of([*half, (0, 300_00)]) is None


def test_single_expensive_invoice_does_not_show() -> None:
    result = distribution([*spread(), (1, 90_000_00)])

    assert all(column.high is None or column.high < 1_000_00 for column in result.columns)


@given(PAYMENTS)
def test_each_column_stands_for_several_invoices_of_several_shops(payments: list[ShopPayment]) -> None:
    result = distribution_of(payments)
    if result is None:
        return

    for column in result.columns:
        inside = within(payments, column.low, column.high)
        if column.share:
            assert len(inside) >= 3
            assert len({shop for shop, _ in inside}) >= 2
            assert column.share == len(inside) / len(payments)
    assert sum(column.share for column in result.columns) <= 1.000_001
    bounds = [column.high for column in result.columns[:-1]]
    assert bounds == [column.low for column in result.columns[1:]] == sorted(filter(None, bounds))


@given(PAYMENTS)
def test_distribution_does_not_depend_on_the_order(payments: list[ShopPayment]) -> None:
    assert distribution_of(payments) == distribution_of(payments[::-1])


def bounds(result: PriceDistribution) -> list[tuple[int | None, int | None]]:
    return [(column.low, column.high) for column in result.columns]


def evenly(step: int, count: int = 60) -> list[ShopPayment]:
    return [(at % 5, 200_00 + step * at) for at in range(count)]


def test_columns_have_round_bounds_and_an_open_end_each() -> None:
    result = distribution(evenly(40_00))

    assert bounds(result) == [
        (None, 500_00),
        (500_00, 1_000_00),
        (1_000_00, 1_500_00),
        (1_500_00, 2_000_00),
        (2_000_00, None),
    ]
    assert [column.share for column in result.columns] == [8 / 60, 12 / 60, 13 / 60, 12 / 60, 15 / 60]


@pytest.mark.parametrize(
    ("step", "width"),
    [(1_00, 10_00), (2_00, 20_00), (4_00, 50_00), (8_00, 50_00), (16_00, 100_00), (20_00, 200_00)],
)
def test_columns_are_as_wide_as_eight_of_them_need(step: int, width: int) -> None:
    inner = bounds(distribution(evenly(step)))[1:-1]

    assert {(high or 0) - (low or 0) for low, high in inner} == {width}


def test_inner_column_with_few_invoices_shows_no_share() -> None:
    low, high = ([(at % 5, total + 10 * at) for at in range(30)] for total in (200_00, 1_000_00))
    inner = [(1, 600_00), (2, 600_00)]

    two, three = distribution([*low, *inner, *high]), distribution([*low, *inner, (3, 600_00), *high])

    def share(result: PriceDistribution) -> float:
        return next(
            column.share
            for column in result.columns
            if column.low is not None and column.low <= 600_00 < (column.high or 0)
        )

    assert (share(two), share(three)) == (0, 3 / 63)
