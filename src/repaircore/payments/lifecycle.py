"""What may become of a payment, and the payment that comes of it."""

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
    """What is done with a payment, by us or by its gateway."""

    APPROVE = "approve"
    DECLINE = "decline"
    ABANDON = "abandon"
    """Nothing was ever held, and nothing is wanted any more."""
    CAPTURE = "capture"
    SETTLE = "settle"
    LAPSE = "lapse"
    """The gateway no longer holds what was to be captured."""
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
"""A refund may be followed by another as long as something of what was captured is left."""


def steps_between(
    old: PaymentState, new: PaymentState
) -> Sequence[tuple[PaymentState, PaymentAction, PaymentState]]:
    """Give the one action, or the two, that lead from a state to another; none when there are none."""
    for action, after in LIFECYCLE.table[old].items():
        if after is new:
            return [(old, action, new)]
    for action, after in LIFECYCLE.table[old].items():
        for second, end in LIFECYCLE.table[after].items():
            if end is new:
                return [(old, action, after), (after, second, new)]
    return []


def step_key(payment: Payment) -> str:
    """Give the gateway's idempotency key of the step that is under way: the same however often it is asked for.

    A payment is authorized, captured and voided once; refunds are told apart by what was given back before them.
    """
    step = payment.step
    if step is None:
        raise ValueError("No step is under way.")
    again = f"/{payment.refunded}" if payment.state is _S.REFUNDING else ""
    return f"{payment.id}/{step}{again}"


def order_of(payment: Payment) -> PaymentOrder:
    """Give what the gateway is asked to hold; it follows from what is kept alone."""
    told: Mapping[str, str | None] = {
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
        metadata={name: value for name, value in told.items() if value is not None},
        payment_method=payment.payment_method,
    )


def approved(payment: Payment, gateway_ref: str, *, at: datetime) -> Payment:
    """Give it as the gateway holds the money.

    Raises:
        Conflict: its state does not allow it; the same of every function here.
    """
    return evolve(_after(payment, _A.APPROVE, at), gateway_ref=gateway_ref)


def declined(payment: Payment, reason: str, *, at: datetime) -> Payment:
    """Give it as the gateway refused it."""
    return evolve(_after(payment, _A.DECLINE, at), reason=reason)


def abandoned(payment: Payment, reason: str, *, at: datetime) -> Payment:
    """Give it as nothing was ever held, nor shall be."""
    return evolve(_after(payment, _A.ABANDON, at), reason=reason)


def to_capture(payment: Payment, cents: Cents, *, at: datetime) -> Payment:
    """Give it as some of what is held is to be taken; the gateway releases the rest.

    Raises:
        Invalid: on ``cents``: nothing, or more than is held.
    """
    _demand(cents, most=payment.amount, state=_after(payment, _A.CAPTURE, at))
    return evolve(_after(payment, _A.CAPTURE, at), moving=cents)


def captured(payment: Payment, cents: Cents, *, at: datetime) -> Payment:
    """Give it as the money was taken."""
    return evolve(_after(payment, _A.SETTLE, at), captured=cents, moving=None)


def lapsed(payment: Payment, reason: str, *, at: datetime) -> Payment:
    """Give it as there was nothing left to take."""
    return evolve(_after(payment, _A.LAPSE, at), moving=None, reason=reason)


def to_void(payment: Payment, reason: str, *, at: datetime) -> Payment:
    """Give it as all that is held is to be released."""
    return evolve(_after(payment, _A.VOID, at), reason=reason)


def released(payment: Payment, *, at: datetime) -> Payment:
    """Give it as nothing is held any more."""
    return _after(payment, _A.RELEASE, at)


def to_refund(payment: Payment, cents: Cents, reason: str | None = None, *, at: datetime) -> Payment:
    """Give it as some of what was taken is to be given back.

    Raises:
        Invalid: on ``cents``: nothing, or more than is left.
    """
    after = _after(payment, _A.REFUND, at)
    _demand(cents, most=payment.captured - payment.refunded, state=after)
    return evolve(after, moving=cents, reason=reason)


def refunded(payment: Payment, *, at: datetime) -> Payment:
    """Give it as the money was given back."""
    back = payment.refunded + (payment.moving or 0)
    return evolve(_after(payment, _A.RETURN, at), refunded=back, moving=None)


def _after(payment: Payment, action: PaymentAction, at: datetime) -> Payment:
    return evolve(payment, state=LIFECYCLE.after(payment.state, action), updated_at=at)


def _demand(cents: Cents, *, most: Cents, state: Payment) -> None:
    if not 1 <= cents <= most:
        raise Invalid({"cents": [f"What is {state.state} must be from 1 to {most} cents."]})
