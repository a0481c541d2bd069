"""The outcome inferred from every pair of our state and the gateway's."""

from typing import Final

import pytest
from attrs import evolve
from tests.unit.payments.payments import make_payment

from repaircore.payments.errors import Contradiction
from repaircore.payments.findings import infer_outcome
from repaircore.payments.model import GatewayPayment, GatewayState, PaymentState
from repaircore.testing.clock import EPOCH

S, G = PaymentState, GatewayState

GATEWAY_PAYMENTS: Final = {
    G.AUTHORIZED: GatewayPayment(gateway_ref="sbx_1", state=G.AUTHORIZED, authorized=2500),
    G.CAPTURED: GatewayPayment(
        gateway_ref="sbx_1", state=G.CAPTURED, authorized=2500, captured=2000, refunded=1500
    ),
    G.CANCELED: GatewayPayment(gateway_ref="sbx_1", state=G.CANCELED, authorized=2500),
    G.DECLINED: GatewayPayment(gateway_ref="sbx_1", state=G.DECLINED, authorized=2500),
}
OUTCOMES: Final = {
    (S.AUTHORIZING, None): None,
    (S.AUTHORIZING, G.AUTHORIZED): S.AUTHORIZED,
    (S.AUTHORIZING, G.CANCELED): S.VOIDED,
    (S.AUTHORIZING, G.DECLINED): S.DECLINED,
    (S.CAPTURING, G.AUTHORIZED): None,
    (S.CAPTURING, G.CAPTURED): S.CAPTURED,
    (S.CAPTURING, G.CANCELED): S.VOIDED,
    (S.VOIDING, G.AUTHORIZED): None,
    (S.VOIDING, G.CANCELED): S.VOIDED,
    (S.REFUNDING, G.CAPTURED): S.REFUNDED,
}


@pytest.mark.parametrize("theirs", [None, *G])
@pytest.mark.parametrize("ours", S)
def test_infer_outcome_of_every_pair_of_states(ours: PaymentState, theirs: GatewayState | None) -> None:
    payment, found = make_payment(ours), None if theirs is None else GATEWAY_PAYMENTS[theirs]
    if (ours, theirs) not in OUTCOMES:
        with pytest.raises(Contradiction, match=payment.id):
            infer_outcome(payment, found, at=EPOCH)
        return
    outcome = infer_outcome(payment, found, at=EPOCH)

    assert (outcome and outcome.state) == OUTCOMES[ours, theirs]


def test_infer_outcome_of_another_authorized_amount_is_a_contradiction() -> None:
    with pytest.raises(Contradiction):
        infer_outcome(make_payment(), evolve(GATEWAY_PAYMENTS[G.AUTHORIZED], authorized=2501), at=EPOCH)


@pytest.mark.parametrize("cents", [0, 2501])
def test_infer_outcome_of_an_impossible_capture_is_a_contradiction(cents: int) -> None:
    with pytest.raises(Contradiction):
        infer_outcome(
            make_payment(S.CAPTURING), evolve(GATEWAY_PAYMENTS[G.CAPTURED], captured=cents), at=EPOCH
        )


def test_infer_outcome_takes_the_captured_amount_of_the_gateway() -> None:
    outcome = infer_outcome(make_payment(S.CAPTURING, moving=1500), GATEWAY_PAYMENTS[G.CAPTURED], at=EPOCH)

    assert outcome is not None
    assert (outcome.captured, outcome.moving) == (2000, None)


def test_infer_outcome_of_a_smaller_refund_is_pending() -> None:
    assert (
        infer_outcome(
            make_payment(S.REFUNDING), evolve(GATEWAY_PAYMENTS[G.CAPTURED], refunded=1499), at=EPOCH
        )
        is None
    )

    second = make_payment(S.REFUNDING, refunded=200, moving=1500)

    assert infer_outcome(second, GATEWAY_PAYMENTS[G.CAPTURED], at=EPOCH) is None
