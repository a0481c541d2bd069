"""Payments for tests."""

from typing import Any

from attrs import evolve

from repaircore.kernel.callers import Environment
from repaircore.payments.model import GatewayName, NewPayment, Payment, PaymentState
from repaircore.testing.clock import EPOCH

_PAYMENT = Payment(
    id="00000000-0000-7000-8000-000000000001",
    partner_id=1,
    environment=Environment.TEST,
    subject="ride_1",
    offer_ref="off_1",
    amount=2500,
    state=PaymentState.AUTHORIZING,
    gateway=GatewayName.SANDBOX,
    created_at=EPOCH,
    updated_at=EPOCH,
)


def make_payment(state: PaymentState = PaymentState.AUTHORIZING, **changes: Any) -> Payment:
    """Return a payment in a state, with the fields that the state implies."""
    fields: dict[str, Any] = {"state": state}
    if state not in {PaymentState.AUTHORIZING, PaymentState.DECLINED}:
        fields["gateway_ref"] = "sbx_1"
    if state in {PaymentState.CAPTURED, PaymentState.REFUNDING, PaymentState.REFUNDED}:
        fields["captured"] = 2000
    if state is PaymentState.REFUNDED:
        fields["refunded"] = 500
    if state in {PaymentState.CAPTURING, PaymentState.REFUNDING}:
        fields["moving"] = 1500
    return evolve(_PAYMENT, **{**fields, **changes})


def new_payment(subject: str = "ride_1", **changes: Any) -> NewPayment:
    """Return the input of a new payment."""
    payment = NewPayment(
        partner_id=1,
        environment=Environment.TEST,
        subject=subject,
        offer_ref="off_1",
        amount=2500,
        claim="claim-1",
    )
    return evolve(payment, **changes)
