import pytest
from tests.unit.payments.payments import make_payment
from tests.unit.rides.examples import make_ride

from repaircore.payments.model import LAPSED, Payment, PaymentState
from repaircore.rides.unpaid import UnpaidRide, UnpaidRideView


def _lapsed(part: int, amount: int) -> Payment:
    return make_payment(PaymentState.VOIDED, part=part, amount=amount, reason=LAPSED)


@pytest.mark.parametrize(
    ("fee", "owed"), [(None, 0), (0, 0), (2_999, 2_999), (3_000, 3_000), (3_001, 3_000), (9_000, 3_000)]
)
def test_lapsed_payment_owes_the_fee_up_to_its_amount(fee: int | None, owed: int) -> None:
    lapsed = _lapsed(0, 3_000)

    assert UnpaidRide.of(make_ride(fee=fee), lapsed, [lapsed]).owed == owed


@pytest.mark.parametrize(
    ("first", "fee", "owed"),
    [
        (make_payment(PaymentState.CAPTURED, amount=2_500), 2_500, 0),
        (make_payment(PaymentState.CAPTURED, amount=2_500), 2_600, 100),
        (make_payment(PaymentState.CAPTURED, amount=2_500), 9_000, 1_000),
        (_lapsed(0, 2_500), 2_600, 100),
        (make_payment(PaymentState.VOIDED, amount=2_500, reason="unused"), 600, 600),
        (make_payment(PaymentState.DECLINED, amount=2_500), 600, 600),
        (make_payment(PaymentState.CAPTURED, amount=2_500, part=2), 600, 600),
    ],
    ids=["covered", "rest", "all of it", "both lapsed", "first released", "first declined", "first is later"],
)
def test_lapsed_payment_owes_what_earlier_ones_do_not_cover(first: Payment, fee: int, owed: int) -> None:
    added = _lapsed(1, 1_000)

    assert UnpaidRide.of(make_ride(fee=fee), added, [first, added]).owed == owed


def test_captured_part_of_a_payment_is_not_owed() -> None:
    lapsed = make_payment(PaymentState.VOIDED, amount=3_000, captured=1_200, reason=LAPSED)
    unpaid = UnpaidRide.of(make_ride(fee=3_000), lapsed, [lapsed])

    assert (unpaid.owed, UnpaidRideView.of(unpaid).owed) == (1_800, 18.0)
