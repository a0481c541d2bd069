from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from repaircore.transactions.price_history import Payment, paid_of

PAYMENTS = st.lists(
    st.tuples(st.dates(date(2020, 1, 1), date(2025, 12, 31)), st.integers(1, 10_000_00)),
    min_size=1,
    max_size=60,
)


def test_nothing_paid_tells_nothing() -> None:
    assert paid_of([]) is None


def test_one_invoice_is_low_average_and_high() -> None:
    told = paid_of([(date(2025, 3, 9), 250_00)])
    assert told is not None
    assert (told.low, told.middle, told.average, told.high) == (250_00,) * 4
    assert [(one.month, one.invoices) for one in told.months] == [(date(2025, 3, 1), 1)]


def test_eight_in_ten_invoices_lie_between_low_and_high() -> None:
    told = paid_of([(date(2025, 1, 1), dollars * 100) for dollars in range(101)])
    assert told is not None
    assert (told.low, told.middle, told.high) == (10_00, 50_00, 90_00)


@given(PAYMENTS)
def test_every_invoice_is_in_one_month_and_the_order_does_not_matter(payments: list[Payment]) -> None:
    told = paid_of(payments)
    assert told is not None
    assert told == paid_of(reversed(payments))
    assert sum(one.invoices for one in told.months) == len(payments) == len(told.totals)
    assert [one.month for one in told.months] == sorted({day.replace(day=1) for day, _ in payments})
    assert told.low <= told.middle <= told.high
    assert all(one.low <= one.middle <= one.high for one in told.months)
    assert told.totals[0] <= told.average <= told.totals[-1]


@given(PAYMENTS, st.integers(2, 9))
def test_dearer_times_scale_everything(payments: list[Payment], factor: int) -> None:
    told, dearer = paid_of(payments), paid_of((day, total * factor) for day, total in payments)
    assert told is not None
    assert dearer is not None
    for name in ("low", "middle", "average", "high"):
        assert abs(getattr(dearer, name) - factor * getattr(told, name)) <= factor
