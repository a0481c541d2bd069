"""What follows for a payment from what its gateway holds."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final, TypeAlias

from repaircore.payments.errors import Contradiction
from repaircore.payments.lifecycle import abandoned, approved, captured, declined, lapsed, refunded, released
from repaircore.payments.model import LAPSED, GatewayPayment, HeldState, Payment, PaymentState

_Finding: TypeAlias = Callable[[Payment, GatewayPayment, datetime], Payment | None]

_DECLINED: Final = "declined"
_CANCELED: Final = "canceled_at_gateway"


def concluded(payment: Payment, held: GatewayPayment | None, *, at: datetime) -> Payment | None:
    """Give the payment as the step under way has turned out; None when the gateway has not done it.

    Raises:
        Contradiction: the gateway holds something that the payment's record excludes.
    """
    if held is None:
        if payment.state is PaymentState.AUTHORIZING:
            return None
        raise _contradiction(payment, "unknown")
    finding = _FINDINGS.get((payment.state, held.state))
    if finding is None:
        raise _contradiction(payment, held.state)
    return finding(payment, held, at)


def _held(payment: Payment, held: GatewayPayment, at: datetime) -> Payment:
    if held.authorized != payment.amount:
        raise _contradiction(payment, f"{held.authorized} cents are held")
    return approved(payment, held.gateway_ref, at=at)


def _taken(payment: Payment, held: GatewayPayment, at: datetime) -> Payment:
    # It may be another sum than was asked for, when somebody did it at the gateway itself: the books tell what is.
    if not 0 < held.captured <= payment.amount:
        raise _contradiction(payment, f"{held.captured} cents are captured")
    return captured(payment, held.captured, at=at)


def _given_back(payment: Payment, held: GatewayPayment, at: datetime) -> Payment | None:
    is_back = held.refunded >= payment.refunded + (payment.moving or 0)
    return refunded(payment, at=at) if is_back else None


def _not_yet(_payment: Payment, _held: GatewayPayment, _at: datetime) -> None:
    return None


_FINDINGS: Final[Mapping[tuple[PaymentState, HeldState], _Finding]] = {
    (PaymentState.AUTHORIZING, HeldState.AUTHORIZED): _held,
    (PaymentState.AUTHORIZING, HeldState.DECLINED): lambda payment, _, at: declined(
        payment, _DECLINED, at=at
    ),
    (PaymentState.AUTHORIZING, HeldState.CANCELED): lambda payment, _, at: abandoned(
        payment, _CANCELED, at=at
    ),
    (PaymentState.CAPTURING, HeldState.AUTHORIZED): _not_yet,
    (PaymentState.CAPTURING, HeldState.CAPTURED): _taken,
    (PaymentState.CAPTURING, HeldState.CANCELED): lambda payment, _, at: lapsed(payment, LAPSED, at=at),
    (PaymentState.VOIDING, HeldState.AUTHORIZED): _not_yet,
    (PaymentState.VOIDING, HeldState.CANCELED): lambda payment, _, at: released(payment, at=at),
    (PaymentState.REFUNDING, HeldState.CAPTURED): _given_back,
}


def _contradiction(payment: Payment, told: str) -> Contradiction:
    return Contradiction(
        f"Payment {payment.id} for {payment.subject} is {payment.state}, and its gateway says: {told}."
    )
