"""What follows from what a gateway holds: every pair of a state of ours and one of theirs."""

from typing import Final

import pytest
from attrs import evolve
from tests.unit.payments.payments import a_payment

from repaircore.payments.errors import Contradiction
from repaircore.payments.findings import concluded
from repaircore.payments.model import GatewayPayment, HeldState, PaymentState
from repaircore.testing.clock import EPOCH

S, H = PaymentState, HeldState

HELD: Final = {
    H.AUTHORIZED: GatewayPayment(gateway_ref="sbx_1", state=H.AUTHORIZED, authorized=2500),
    H.CAPTURED: GatewayPayment(
        gateway_ref="sbx_1", state=H.CAPTURED, authorized=2500, captured=2000, refunded=1500
    ),
    H.CANCELED: GatewayPayment(gateway_ref="sbx_1", state=H.CANCELED, authorized=2500),
    H.DECLINED: GatewayPayment(gateway_ref="sbx_1", state=H.DECLINED, authorized=2500),
}
FOLLOWS: Final = {
    (S.AUTHORIZING, None): None,
    (S.AUTHORIZING, H.AUTHORIZED): S.AUTHORIZED,
    (S.AUTHORIZING, H.CANCELED): S.VOIDED,
    (S.AUTHORIZING, H.DECLINED): S.DECLINED,
    (S.CAPTURING, H.AUTHORIZED): None,
    (S.CAPTURING, H.CAPTURED): S.CAPTURED,
    (S.CAPTURING, H.CANCELED): S.VOIDED,
    (S.VOIDING, H.AUTHORIZED): None,
    (S.VOIDING, H.CANCELED): S.VOIDED,
    (S.REFUNDING, H.CAPTURED): S.REFUNDED,
}


@pytest.mark.parametrize("theirs", [None, *H])
@pytest.mark.parametrize("ours", S)
def test_every_pair_of_states_is_concluded_from_or_contradicts(
    ours: PaymentState, theirs: HeldState | None
) -> None:
    payment, held = a_payment(ours), None if theirs is None else HELD[theirs]
    if (ours, theirs) not in FOLLOWS:
        with pytest.raises(Contradiction, match=payment.id):
            concluded(payment, held, at=EPOCH)
        return
    outcome = concluded(payment, held, at=EPOCH)
    assert (outcome and outcome.state) == FOLLOWS[ours, theirs]


def test_another_sum_than_was_ordered_contradicts() -> None:
    with pytest.raises(Contradiction):
        concluded(a_payment(), evolve(HELD[H.AUTHORIZED], authorized=2501), at=EPOCH)


@pytest.mark.parametrize("cents", [0, 2501])
def test_an_impossible_capture_contradicts(cents: int) -> None:
    with pytest.raises(Contradiction):
        concluded(a_payment(S.CAPTURING), evolve(HELD[H.CAPTURED], captured=cents), at=EPOCH)


def test_what_was_really_captured_counts() -> None:
    outcome = concluded(a_payment(S.CAPTURING, moving=1500), HELD[H.CAPTURED], at=EPOCH)
    assert outcome is not None
    assert (outcome.captured, outcome.moving) == (2000, None)


def test_a_refund_of_less_than_was_asked_for_is_not_done_yet() -> None:
    assert concluded(a_payment(S.REFUNDING), evolve(HELD[H.CAPTURED], refunded=1499), at=EPOCH) is None
    second = a_payment(S.REFUNDING, refunded=200, moving=1500)
    assert concluded(second, HELD[H.CAPTURED], at=EPOCH) is None
