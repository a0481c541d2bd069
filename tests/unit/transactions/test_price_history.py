from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from repaircore.transactions.price_history import Payment, paid_of

PAYMENTS = st.lists(
    st.tuples(st.dates(date(2020, 1, 1), date(2025, 12, 31)), st.integers(1, 10_000_00)),
    min_size=1,
    max_size=60,
)


def test_no_payments_give_no_history() -> None:
    assert paid_of([]) is None


def test_single_invoice_is_low_average_and_high() -> None:
    result = paid_of([(date(2025, 3, 9), 250_00)])

    assert result is not None
    assert (result.low, result.middle, result.average, result.high) == (250_00,) * 4
    assert [(one.month, one.invoices) for one in result.months] == [(date(2025, 3, 1), 1)]


def test_eight_in_ten_invoices_lie_between_low_and_high() -> None:
    result = paid_of([(date(2025, 1, 1), dollars * 100) for dollars in range(101)])

    assert result is not None
    assert (result.low, result.middle, result.high) == (10_00, 50_00, 90_00)


@given(PAYMENTS)
def test_every_invoice_is_in_one_month_and_the_order_does_not_matter(payments: list[Payment]) -> None:
    result = paid_of(payments)

    assert result is not None
    assert result == paid_of(reversed(payments))
    assert sum(one.invoices for one in result.months) == len(payments) == len(result.totals)
    assert [one.month for one in result.months] == sorted({day.replace(day=1) for day, _ in payments})
    assert result.low <= result.middle <= result.high
    assert all(one.low <= one.middle <= one.high for one in result.months)
    assert result.totals[0] <= result.average <= result.totals[-1]


@given(PAYMENTS, st.integers(2, 9))
def test_history_scales_with_prices(payments: list[Payment], factor: int) -> None:
    result, scaled = paid_of(payments), paid_of((day, total * factor) for day, total in payments)

    assert result is not None
    assert scaled is not None
    for name in ("low", "middle", "average", "high"):
        assert abs(getattr(scaled, name) - factor * getattr(result, name)) <= factor


def test_quantile_lies_between_two_invoices() -> None:
    day = date(2025, 1, 1)
    result = paid_of([(day, 100_00), (day, 200_00), (day, 400_00), (day, 800_00)])

    assert result is not None
    assert (result.low, result.middle, result.average, result.high) == (130_00, 300_00, 375_00, 680_00)
