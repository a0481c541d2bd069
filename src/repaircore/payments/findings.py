"""Infer the outcome of a pending step from the payment's state at its gateway."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final, TypeAlias

from repaircore.payments.errors import Contradiction
from repaircore.payments.lifecycle import abandoned, approved, captured, declined, lapsed, refunded, released
from repaircore.payments.model import LAPSED, GatewayPayment, GatewayState, Payment, PaymentState

_Infer: TypeAlias = Callable[[Payment, GatewayPayment, datetime], Payment | None]

_DECLINED: Final = "declined"
_CANCELED: Final = "canceled_at_gateway"


def infer_outcome(payment: Payment, found: GatewayPayment | None, *, at: datetime) -> Payment | None:
    """Return the payment after its pending step, or None if the gateway has not performed it.

    Raises:
        Contradiction: the state at the gateway contradicts the payment's record.
    """
    if found is None:
        if payment.state is PaymentState.AUTHORIZING:
            return None
        raise _contradiction(payment, "unknown")
    infer = _OUTCOMES.get((payment.state, found.state))
    if infer is None:
        raise _contradiction(payment, found.state)
    return infer(payment, found, at)


def _approved(payment: Payment, found: GatewayPayment, at: datetime) -> Payment:
    if found.authorized != payment.amount:
        raise _contradiction(payment, f"{found.authorized} cents are authorized")
    return approved(payment, found.gateway_ref, at=at)


def _captured(payment: Payment, found: GatewayPayment, at: datetime) -> Payment:
    # A person may have captured a different amount at the gateway itself: the books record the real one.
    if not 0 < found.captured <= payment.amount:
        raise _contradiction(payment, f"{found.captured} cents are captured")
    return captured(payment, found.captured, at=at)


def _refunded(payment: Payment, found: GatewayPayment, at: datetime) -> Payment | None:
    is_done = found.refunded >= payment.refunded + (payment.moving or 0)
    return refunded(payment, at=at) if is_done else None


def _not_yet(_payment: Payment, _found: GatewayPayment, _at: datetime) -> None:
    return None


_OUTCOMES: Final[Mapping[tuple[PaymentState, GatewayState], _Infer]] = {
    (PaymentState.AUTHORIZING, GatewayState.AUTHORIZED): _approved,
    (PaymentState.AUTHORIZING, GatewayState.DECLINED): lambda payment, _, at: declined(
        payment, _DECLINED, at=at
    ),
    (PaymentState.AUTHORIZING, GatewayState.CANCELED): lambda payment, _, at: abandoned(
        payment, _CANCELED, at=at
    ),
    (PaymentState.CAPTURING, GatewayState.AUTHORIZED): _not_yet,
    (PaymentState.CAPTURING, GatewayState.CAPTURED): _captured,
    (PaymentState.CAPTURING, GatewayState.CANCELED): lambda payment, _, at: lapsed(payment, LAPSED, at=at),
    (PaymentState.VOIDING, GatewayState.AUTHORIZED): _not_yet,
    (PaymentState.VOIDING, GatewayState.CANCELED): lambda payment, _, at: released(payment, at=at),
    (PaymentState.REFUNDING, GatewayState.CAPTURED): _refunded,
}


def _contradiction(payment: Payment, state: str) -> Contradiction:
    return Contradiction(
        f"Payment {payment.id} for {payment.subject} is {payment.state}, but its gateway reports: {state}."
    )
