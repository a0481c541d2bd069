from datetime import timedelta
from typing import Any

import pytest
from tests.unit.payments.payments import make_payment
from tests.unit.rides.examples import AT, FARE, make_ride

from repaircore.kernel.errors import Conflict
from repaircore.kernel.timeline import Step
from repaircore.payments.model import PaymentState
from repaircore.rides.fare_views import ReceiptView
from repaircore.rides.model import Ride, RideDetail, RideOutcome, Status
from repaircore.rides.settlement import Settlement

_ENDED = make_ride(
    status=Status.COMPLETED,
    outcome=RideOutcome.COMPLETED,
    accepted_at=AT,
    ended_at=AT + timedelta(hours=1),
    price=10_000,
    fee=10_000,
)
_CAPTURED = make_payment(PaymentState.CAPTURED, amount=10_000, captured=10_000)


def _step(action: str, **detail: Any) -> Step:
    return Step.within("accepted", action, at=AT, actor="partner", detail=detail)


def _receipt(ride: Ride = _ENDED, *payments: Any, steps: tuple[Step, ...] = ()) -> ReceiptView:
    return ReceiptView.of(RideDetail(ride=ride, payments=payments or (_CAPTURED,), steps=steps))


def test_receipt_of_a_completed_ride_owes_nothing() -> None:
    view = _receipt()

    assert (view.price, view.fee, view.captured, view.owed) == (100.0, 100.0, 100.0, 0.0)
    assert (view.refunded, view.paid, view.fee_reason, view.prices) == (0.0, 100.0, None, [])


def test_receipt_adds_up_payments_and_leaves_out_those_without_a_capture() -> None:
    first = make_payment(PaymentState.REFUNDED, amount=6_000, captured=5_000, refunded=1_000)
    second = make_payment(PaymentState.CAPTURED, part=1, amount=3_000, captured=3_000)
    view = _receipt(_ENDED, first, second, make_payment(PaymentState.VOIDED, part=2))

    assert (view.captured, view.owed, view.refunded, view.paid) == (80.0, 20.0, 10.0, 70.0)
    assert [(each.authorized, each.captured, each.released) for each in view.payments] == [
        (60.0, 50.0, 10.0),
        (30.0, 30.0, 0.0),
    ]


def test_receipt_owes_nothing_if_more_was_captured_at_the_gateway() -> None:
    ride = make_ride(status=Status.CANCELLED, accepted_at=AT, ended_at=AT, price=10_000, fee=2_000)

    assert _receipt(ride).owed == 0.0


@pytest.mark.parametrize(
    ("ride", "state", "reason"),
    [
        (make_ride(accepted_at=AT), PaymentState.CAPTURED, "the ride has not ended"),
        (_ENDED, PaymentState.VOIDED, "no payment was captured for this ride"),
    ],
)
def test_there_is_no_receipt_before_the_end_or_without_a_capture(
    ride: Ride, state: PaymentState, reason: str
) -> None:
    with pytest.raises(Conflict, match=f"There is no receipt: {reason}."):
        _receipt(ride, make_payment(state))


def test_prices_begin_with_the_last_accepted_offer() -> None:
    changed = {"previous_total": 80.0, "previous_latitude": 34.0, "previous_longitude": -118.0}
    steps = (
        _step("accept_offer"),
        _step("change_destination", total=70.0, previous_total=60.0),
        _step("accept_offer"),
        _step("change_destination", total=95.0, **changed),
        _step("change_destination", total=90.0, previous_total=95.0),
        _step("complete", **Settlement(fee=9_000, refund=0, reason="First.").detail()),
        _step("complete", **Settlement(fee=9_000, refund=0, reason="The ride was completed.").detail()),
        _step("rate", rating=5),
    )
    view = _receipt(steps=steps)

    assert [(price.action, price.price, price.difference) for price in view.prices] == [
        ("accept_offer", 80.0, 80.0),
        ("change_destination", 95.0, 15.0),
        ("change_destination", 90.0, -5.0),
    ]
    assert view.fee_reason == "The ride was completed."


def test_only_price_is_that_of_the_accepted_offer() -> None:
    (price,) = _receipt(steps=(_step("create"), _step("accept_offer"))).prices

    assert (price.action, price.price, price.difference) == ("accept_offer", 100.0, FARE.total / 100)
