"""The lifecycle of payments: every pair of a state and an action, allowed or refused."""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

import pytest
from tests.unit.payments.payments import make_payment

from repaircore.kernel.errors import Conflict, Invalid
from repaircore.payments import lifecycle
from repaircore.payments.lifecycle import LIFECYCLE, PaymentAction
from repaircore.payments.model import Payment, PaymentState
from repaircore.testing.clock import EPOCH

LATER = EPOCH + timedelta(minutes=1)
S, A = PaymentState, PaymentAction

TRANSITIONS: Final = {
    (S.AUTHORIZING, A.APPROVE): S.AUTHORIZED,
    (S.AUTHORIZING, A.DECLINE): S.DECLINED,
    (S.AUTHORIZING, A.ABANDON): S.VOIDED,
    (S.AUTHORIZED, A.CAPTURE): S.CAPTURING,
    (S.AUTHORIZED, A.VOID): S.VOIDING,
    (S.CAPTURING, A.SETTLE): S.CAPTURED,
    (S.CAPTURING, A.LAPSE): S.VOIDED,
    (S.VOIDING, A.RELEASE): S.VOIDED,
    (S.CAPTURED, A.REFUND): S.REFUNDING,
    (S.REFUNDING, A.RETURN): S.REFUNDED,
    (S.REFUNDED, A.REFUND): S.REFUNDING,
}
"""A second copy of the table, to notice accidental changes."""

FUNCTIONS: Final[dict[PaymentAction, Callable[[Payment], Payment]]] = {
    A.APPROVE: lambda payment: lifecycle.approved(payment, "sbx_1", at=LATER),
    A.DECLINE: lambda payment: lifecycle.declined(payment, "card_declined", at=LATER),
    A.ABANDON: lambda payment: lifecycle.abandoned(payment, "unused", at=LATER),
    A.CAPTURE: lambda payment: lifecycle.to_capture(payment, 1000, at=LATER),
    A.SETTLE: lambda payment: lifecycle.captured(payment, 1000, at=LATER),
    A.LAPSE: lambda payment: lifecycle.lapsed(payment, "gone", at=LATER),
    A.VOID: lambda payment: lifecycle.to_void(payment, "canceled", at=LATER),
    A.RELEASE: lambda payment: lifecycle.released(payment, at=LATER),
    A.REFUND: lambda payment: lifecycle.to_refund(payment, 1000, at=LATER),
    A.RETURN: lambda payment: lifecycle.refunded(payment, at=LATER),
}


@pytest.mark.parametrize("action", A)
@pytest.mark.parametrize("state", S)
def test_lifecycle_allows_or_refuses_every_pair_of_state_and_action(
    state: PaymentState, action: PaymentAction
) -> None:
    payment = make_payment(state)
    next_state = TRANSITIONS.get((state, action))
    if next_state is None:
        with pytest.raises(Conflict, match=f"Cannot {action} an? {state} payment"):
            FUNCTIONS[action](payment)
        return
    after = FUNCTIONS[action](payment)

    assert (after.state, after.updated_at, after.created_at) == (next_state, LATER, EPOCH)
    assert after.version == payment.version


def test_lifecycle_has_every_state() -> None:
    assert set(LIFECYCLE.table) == set(S)


def test_lifecycle_functions_set_the_amounts() -> None:
    authorized = lifecycle.approved(make_payment(), "sbx_9", at=LATER)

    assert (authorized.gateway_ref, authorized.moving) == ("sbx_9", None)

    capturing = lifecycle.to_capture(authorized, 2000, at=LATER)

    assert (capturing.moving, capturing.captured) == (2000, 0)

    captured = lifecycle.captured(capturing, 2000, at=LATER)

    assert (captured.moving, captured.captured) == (None, 2000)

    refunded = lifecycle.refunded(lifecycle.to_refund(captured, 500, at=LATER), at=LATER)

    assert (refunded.moving, refunded.captured, refunded.refunded) == (None, 2000, 500)

    refunded_in_full = lifecycle.refunded(lifecycle.to_refund(refunded, 1500, at=LATER), at=LATER)

    assert (refunded_in_full.captured, refunded_in_full.refunded) == (2000, 2000)


@pytest.mark.parametrize("cents", [-1, 0, 2501])
def test_to_capture_refuses_more_than_is_authorized(cents: int) -> None:
    with pytest.raises(Invalid) as caught:
        lifecycle.to_capture(make_payment(S.AUTHORIZED), cents, at=LATER)

    assert set(caught.value.fields) == {"cents"}


@pytest.mark.parametrize(("state", "cents"), [(S.CAPTURED, 0), (S.CAPTURED, 2001), (S.REFUNDED, 1501)])
def test_to_refund_refuses_more_than_is_left(state: PaymentState, cents: int) -> None:
    with pytest.raises(Invalid) as caught:
        lifecycle.to_refund(make_payment(state), cents, at=LATER)

    assert set(caught.value.fields) == {"cents"}


def test_step_key_is_unique_and_stable() -> None:
    steps = [
        make_payment(S.AUTHORIZING),
        make_payment(S.CAPTURING),
        make_payment(S.VOIDING),
        make_payment(S.REFUNDING),
        make_payment(S.REFUNDING, refunded=500),
        make_payment(S.AUTHORIZING, id="00000000-0000-7000-8000-000000000002"),
    ]
    keys = [*map(lifecycle.step_key, steps)]

    assert len(set(keys)) == len(keys)
    assert keys == [*map(lifecycle.step_key, steps)]

    with pytest.raises(ValueError, match="No step"):
        lifecycle.step_key(make_payment(S.CAPTURED))


def test_order_of_depends_on_the_stored_payment_only() -> None:
    payment = make_payment(payment_method="pm_1", sandbox="payment_declined")
    order = lifecycle.order_of(payment)

    assert order == lifecycle.order_of(payment)
    assert (order.amount, order.currency, order.payment_method) == (2500, "USD", "pm_1")
    assert order.metadata == {
        "payment_id": payment.id,
        "subject": "ride_1",
        "offer_ref": "off_1",
        "sandbox": "payment_declined",
    }
    assert "pm_1" not in repr(order)
    assert "pm_1" not in repr(payment)
