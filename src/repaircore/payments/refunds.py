"""Refunds, by operators and by partners."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Annotated, Protocol, TypeAlias

from attrs import frozen

from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Caller, Environment
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.money import Cents, dollars
from repaircore.kernel.rules import Length, require_valid
from repaircore.kernel.timeline import OPERATOR, Actor
from repaircore.payments.errors import NoPayment
from repaircore.payments.lifecycle import PaymentAction
from repaircore.payments.model import Payment, PaymentState
from repaircore.payments.ports import PaymentsWork
from repaircore.payments.service import Payments, timeline_of


@frozen(kw_only=True)
class _RefundInput:
    reason: Annotated[str | None, Length(0, 255)]


class RefundsWork(PaymentsWork, Protocol):
    """The part of a unit of work that refunds need."""

    @property
    def audit(self) -> AuditLog:
        """The audit log."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[RefundsWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""


@frozen(kw_only=True)
class Refunds:
    """Refunds payments. The amount is the total to refund, so a repeated request changes nothing."""

    transaction: OpenWork
    payments: Payments

    def refund(
        self,
        payment_id: str,
        operator: Caller,
        *,
        environment: Environment,
        amount: Cents | None = None,
        reason: str | None = None,
    ) -> Payment:
        """Refund a payment up to ``amount`` in total, including earlier refunds; by default, all that was captured.

        A repeated request for the same total finishes an unfinished refund, or else changes nothing.

        Raises:
            NoPayment: the environment has no such payment.
            Invalid: on ``amount``: more than was captured, or not more than was already refunded; on ``reason``.
            Conflict: nothing was captured, all of it was refunded, or another refund is pending.
            GatewayUnavailable: the outcome is unknown; the reconciler finishes the refund.
            Contradiction: the gateway rejected the refund; a person has to find out why.
        """
        require_valid(_RefundInput(reason=reason))
        with self.transaction() as work:
            payment = work.payments.find(payment_id)
            if payment is None or payment.environment is not environment:
                raise NoPayment
            refunding = start_total_refund(
                self.payments, work, payment, amount, reason=reason, actor=OPERATOR
            )
            if refunding != payment:
                self._audit(work, payment, refunding, reason, operator)
        return self.payments.finish(refunding)

    def _audit(
        self,
        work: RefundsWork,
        payment: Payment,
        refunding: Payment,
        reason: str | None,
        operator: Caller,
    ) -> None:
        total = refunding.refunded + (refunding.moving or 0)
        before, after = ({"refunded": dollars(cents)} for cents in (payment.refunded, total))
        facts = after if reason is None else {**after, "reason": reason}
        work.audit.add(
            operator,
            "payment.refund",
            f"payments/{payment.id}",
            before=before,
            after=facts,
            at=refunding.updated_at,
        )


def start_total_refund(
    payments: Payments,
    work: PaymentsWork,
    payment: Payment,
    amount: Cents | None,
    *,
    reason: str | None,
    actor: Actor,
) -> Payment:
    """Save a pending refund that brings the total to ``amount``; by default, to all that was captured.

    A payment is returned unchanged if its refunds, including a pending one, already come to ``amount``.

    Raises:
        Invalid: on ``amount``: more than was captured, or not more than was already refunded.
        Conflict: nothing was captured, all of it was refunded, or another refund is pending.
    """
    (refunding,) = start_total_refunds(payments, work, [payment], amount, reason=reason, actor=actor)
    return refunding


def start_total_refunds(
    payments: Payments,
    work: PaymentsWork,
    captured: Sequence[Payment],
    amount: Cents | None,
    *,
    reason: str | None,
    actor: Actor,
) -> list[Payment]:
    """Save pending refunds that bring the total of a subject's payments to ``amount``; see ``start_total_refund``.

    The first payment is refunded first. Payments that need no refund now are returned unchanged.
    """
    paid = sum(payment.captured for payment in captured)
    refunded = sum(payment.refunded for payment in captured)
    pending = sum(payment.moving or 0 for payment in captured if payment.state is PaymentState.REFUNDING)
    total = paid if amount is None else amount
    if paid and refunded + pending == total:
        return [*captured]
    if pending:
        raise Conflict("Another refund of this payment is pending. Retry once it is complete.", retry_after=1)
    if paid and refunded == paid:
        raise Conflict("The payment has already been refunded in full.")
    if paid and not refunded < total <= paid:
        least, most = dollars(refunded + 1), dollars(paid)
        raise Invalid({"amount": [f"The total refund must be between ${least:,.2f} and ${most:,.2f}."]})
    left, refunding = total - refunded, []
    for payment in captured:
        share = left if len(captured) == 1 else min(left, payment.captured - payment.refunded)
        left -= share
        if share or len(captured) == 1:
            payment = payments.start_refund(work, payment, share, reason=reason, actor=actor)  # noqa: PLW2901
        refunding.append(payment)
    return refunding


def refunded_by(work: PaymentsWork, payment: Payment) -> Actor:
    """Return who made the last refund of a payment; "system" if none is recorded."""
    steps = work.timelines.list_for(timeline_of(payment.id))
    return next((step.actor for step in reversed(steps) if step.action == PaymentAction.REFUND), "system")
