"""What may become of a payment: every pair of a state and an action, legal or refused."""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

import pytest
from tests.unit.payments.payments import a_payment

from repaircore.kernel.errors import Conflict, Invalid
from repaircore.payments import lifecycle
from repaircore.payments.lifecycle import LIFECYCLE, PaymentAction
from repaircore.payments.model import Payment, PaymentState
from repaircore.testing.clock import EPOCH

LATER = EPOCH + timedelta(minutes=1)
S, A = PaymentState, PaymentAction

LEGAL: Final = {
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
"""Written out once more: a table that is changed by mistake is noticed here."""

DOING: Final[dict[PaymentAction, Callable[[Payment], Payment]]] = {
    A.APPROVE: lambda one: lifecycle.approved(one, "sbx_1", at=LATER),
    A.DECLINE: lambda one: lifecycle.declined(one, "card_declined", at=LATER),
    A.ABANDON: lambda one: lifecycle.abandoned(one, "unused", at=LATER),
    A.CAPTURE: lambda one: lifecycle.to_capture(one, 1000, at=LATER),
    A.SETTLE: lambda one: lifecycle.captured(one, 1000, at=LATER),
    A.LAPSE: lambda one: lifecycle.lapsed(one, "gone", at=LATER),
    A.VOID: lambda one: lifecycle.to_void(one, "canceled", at=LATER),
    A.RELEASE: lambda one: lifecycle.released(one, at=LATER),
    A.REFUND: lambda one: lifecycle.to_refund(one, 1000, at=LATER),
    A.RETURN: lambda one: lifecycle.refunded(one, at=LATER),
}


@pytest.mark.parametrize("action", A)
@pytest.mark.parametrize("state", S)
def test_every_pair_of_state_and_action_is_legal_or_refused(
    state: PaymentState, action: PaymentAction
) -> None:
    payment = a_payment(state)
    led_to = LEGAL.get((state, action))
    if led_to is None:
        with pytest.raises(Conflict, match=f"Cannot {action} an? {state} payment"):
            DOING[action](payment)
        return
    after = DOING[action](payment)
    assert (after.state, after.updated_at, after.created_at) == (led_to, LATER, EPOCH)
    assert after.version == payment.version


def test_the_table_knows_every_state() -> None:
    assert set(LIFECYCLE.table) == set(S)


def test_amounts_go_along() -> None:
    held = lifecycle.approved(a_payment(), "sbx_9", at=LATER)
    assert (held.gateway_ref, held.moving) == ("sbx_9", None)
    asked = lifecycle.to_capture(held, 2000, at=LATER)
    assert (asked.moving, asked.captured) == (2000, 0)
    taken = lifecycle.captured(asked, 2000, at=LATER)
    assert (taken.moving, taken.captured) == (None, 2000)
    back = lifecycle.refunded(lifecycle.to_refund(taken, 500, at=LATER), at=LATER)
    assert (back.moving, back.captured, back.refunded) == (None, 2000, 500)
    rest = lifecycle.refunded(lifecycle.to_refund(back, 1500, at=LATER), at=LATER)
    assert (rest.captured, rest.refunded) == (2000, 2000)


@pytest.mark.parametrize("cents", [-1, 0, 2501])
def test_no_more_is_captured_than_is_held(cents: int) -> None:
    with pytest.raises(Invalid) as told:
        lifecycle.to_capture(a_payment(S.AUTHORIZED), cents, at=LATER)
    assert set(told.value.fields) == {"cents"}


@pytest.mark.parametrize(("state", "cents"), [(S.CAPTURED, 0), (S.CAPTURED, 2001), (S.REFUNDED, 1501)])
def test_no_more_is_given_back_than_is_left(state: PaymentState, cents: int) -> None:
    with pytest.raises(Invalid) as told:
        lifecycle.to_refund(a_payment(state), cents, at=LATER)
    assert set(told.value.fields) == {"cents"}


def test_each_step_has_a_key_of_its_own_that_stays_the_same() -> None:
    steps = [
        a_payment(S.AUTHORIZING),
        a_payment(S.CAPTURING),
        a_payment(S.VOIDING),
        a_payment(S.REFUNDING),
        a_payment(S.REFUNDING, refunded=500),
        a_payment(S.AUTHORIZING, id="00000000-0000-7000-8000-000000000002"),
    ]
    keys = [lifecycle.step_key(one) for one in steps]
    assert len(set(keys)) == len(keys)
    assert keys == [lifecycle.step_key(one) for one in steps]
    with pytest.raises(ValueError, match="No step"):
        lifecycle.step_key(a_payment(S.CAPTURED))


def test_an_order_follows_from_what_is_kept() -> None:
    payment = a_payment(payment_method="pm_1", sandbox="payment_declined")
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
