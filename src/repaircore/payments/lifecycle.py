"""A payment's lifecycle: the table of states, and the payment after each action."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final

from attrs import evolve

from repaircore.kernel.errors import Invalid
from repaircore.kernel.lifecycle import Lifecycle
from repaircore.kernel.money import Cents
from repaircore.payments.model import Payment, PaymentOrder, PaymentState


class PaymentAction(StrEnum):
    """An action on a payment, by us or by its gateway."""

    APPROVE = "approve"
    DECLINE = "decline"
    ABANDON = "abandon"
    """Nothing was authorized, and nothing more is needed."""
    CAPTURE = "capture"
    SETTLE = "settle"
    LAPSE = "lapse"
    """The authorization expired before the capture."""
    VOID = "void"
    RELEASE = "release"
    REFUND = "refund"
    RETURN = "return"


_S, _A = PaymentState, PaymentAction

LIFECYCLE: Final = Lifecycle[PaymentState, PaymentAction](
    {
        _S.AUTHORIZING: {
            _A.APPROVE: _S.AUTHORIZED,
            _A.DECLINE: _S.DECLINED,
            _A.ABANDON: _S.VOIDED,
        },
        _S.AUTHORIZED: {_A.CAPTURE: _S.CAPTURING, _A.VOID: _S.VOIDING},
        _S.DECLINED: {},
        _S.CAPTURING: {_A.SETTLE: _S.CAPTURED, _A.LAPSE: _S.VOIDED},
        _S.CAPTURED: {_A.REFUND: _S.REFUNDING},
        _S.VOIDING: {_A.RELEASE: _S.VOIDED},
        _S.VOIDED: {},
        _S.REFUNDING: {_A.RETURN: _S.REFUNDED},
        _S.REFUNDED: {_A.REFUND: _S.REFUNDING},
    },
    noun="payment",
)
"""A refund may be followed by another one until all that was captured is refunded."""


def steps_between(
    old: PaymentState, new: PaymentState
) -> Sequence[tuple[PaymentState, PaymentAction, PaymentState]]:
    """Return the one or two actions that lead from one state to another, or an empty list if none do."""
    for action, after in LIFECYCLE.table[old].items():
        if after is new:
            return [(old, action, new)]
    for action, after in LIFECYCLE.table[old].items():
        for second, end in LIFECYCLE.table[after].items():
            if end is new:
                return [(old, action, after), (after, second, new)]
    return []


def step_key(payment: Payment) -> str:
    """Return the idempotency key of the pending step at the gateway, the same for each attempt.

    A payment is authorized, captured and voided once; refunds differ in the amount refunded before them.

    Raises:
        ValueError: no step is pending.
    """
    step = payment.step
    if step is None:
        raise ValueError("No step is pending.")
    suffix = f"/{payment.refunded}" if payment.state is _S.REFUNDING else ""
    return f"{payment.id}/{step}{suffix}"


def order_of(payment: Payment) -> PaymentOrder:
    """Return the order to authorize a payment; it depends only on the stored payment."""
    metadata: Mapping[str, str | None] = {
        "payment_id": payment.id,
        "subject": payment.subject,
        "offer_ref": payment.offer_ref,
        "sandbox": payment.sandbox,
    }
    return PaymentOrder(
        key=step_key(payment),
        amount=payment.amount,
        currency=payment.currency,
        description=f"Payment for {payment.subject}",
        metadata={name: value for name, value in metadata.items() if value is not None},
        payment_method=payment.payment_method,
    )


def approved(payment: Payment, gateway_ref: str, *, at: datetime) -> Payment:
    """Return the payment after its authorization was approved.

    Raises:
        Conflict: the state does not allow it; all functions below raise this.
    """
    return evolve(_after(payment, _A.APPROVE, at), gateway_ref=gateway_ref)


def declined(payment: Payment, reason: str, *, at: datetime) -> Payment:
    """Return the payment after it was declined."""
    return evolve(_after(payment, _A.DECLINE, at), reason=reason)


def abandoned(payment: Payment, reason: str, *, at: datetime) -> Payment:
    """Return the payment after it was abandoned without an authorization."""
    return evolve(_after(payment, _A.ABANDON, at), reason=reason)


def to_capture(payment: Payment, cents: Cents, *, at: datetime) -> Payment:
    """Return the payment with a pending capture of ``cents``; the gateway releases the rest.

    Raises:
        Invalid: on ``cents``: not positive, or more than is authorized.
    """
    after = _after(payment, _A.CAPTURE, at)
    _require_cents(cents, most=payment.amount, verb="capture")
    return evolve(after, moving=cents)


def captured(payment: Payment, cents: Cents, *, at: datetime) -> Payment:
    """Return the payment after ``cents`` were captured."""
    return evolve(_after(payment, _A.SETTLE, at), captured=cents, moving=None)


def lapsed(payment: Payment, reason: str, *, at: datetime) -> Payment:
    """Return the payment after its authorization expired."""
    return evolve(_after(payment, _A.LAPSE, at), moving=None, reason=reason)


def to_void(payment: Payment, reason: str, *, at: datetime) -> Payment:
    """Return the payment with a pending void."""
    return evolve(_after(payment, _A.VOID, at), reason=reason)


def released(payment: Payment, *, at: datetime) -> Payment:
    """Return the payment after its authorization was released."""
    return _after(payment, _A.RELEASE, at)


def to_refund(payment: Payment, cents: Cents, reason: str | None = None, *, at: datetime) -> Payment:
    """Return the payment with a pending refund of ``cents``.

    Raises:
        Invalid: on ``cents``: not positive, or more than is left to refund.
    """
    after = _after(payment, _A.REFUND, at)
    _require_cents(cents, most=payment.captured - payment.refunded, verb="refund")
    return evolve(after, moving=cents, reason=reason)


def refunded(payment: Payment, *, at: datetime) -> Payment:
    """Return the payment after its pending refund was made."""
    total = payment.refunded + (payment.moving or 0)
    return evolve(_after(payment, _A.RETURN, at), refunded=total, moving=None)


def _after(payment: Payment, action: PaymentAction, at: datetime) -> Payment:
    return evolve(payment, state=LIFECYCLE.after(payment.state, action), updated_at=at)


def _require_cents(cents: Cents, *, most: Cents, verb: str) -> None:
    if not 1 <= cents <= most:
        raise Invalid({"cents": [f"The amount to {verb} must be between 1 and {most} cents."]})
