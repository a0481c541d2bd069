"""Operators give money back that was taken."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from attrs import frozen

from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Caller, Environment
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.money import Cents, dollars
from repaircore.kernel.timeline import OPERATOR
from repaircore.payments.errors import NoPayment
from repaircore.payments.model import Payment, PaymentState
from repaircore.payments.ports import PaymentsWork
from repaircore.payments.service import Payments

_LONGEST_REASON = 255


class RefundsWork(PaymentsWork, Protocol):
    """The part of a unit of work that refunds need."""

    @property
    def audit(self) -> AuditLog:
        """The kept changes."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[RefundsWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""


@frozen(kw_only=True)
class Refunds:
    """The use case. How much is given back is told in all, not once more: whoever asks again changes nothing."""

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
        """Give so much of a payment back, what was given back before included; without ``amount`` all that was taken.

        What the same request began and did not end is gone on with; what is done already comes back as it is.

        Raises:
            NoPayment: there is none in the environment.
            Invalid: on ``amount``: more than was taken, or less than was given back before; on ``reason``.
            Conflict: nothing was taken, all of it was given back, or another refund is under way.
            GatewayUnavailable: nobody knows yet whether it was given back; the reconciler finds out, and finishes it.
            Contradiction: the gateway refuses, and somebody has to look why.
        """
        if reason is not None and len(reason) > _LONGEST_REASON:
            raise Invalid({"reason": [f"The reason must not be greater than {_LONGEST_REASON} characters."]})
        with self.transaction() as work:
            payment = work.payments.by_id(payment_id)
            if payment is None or payment.environment is not environment:
                raise NoPayment
            total = payment.captured if amount is None else amount
            under_way = payment.moving or 0 if payment.state is PaymentState.REFUNDING else 0
            if payment.captured and payment.refunded + under_way == total:
                started = payment
            elif under_way:
                raise Conflict("Another refund of this payment is under way.")
            else:
                started = self._started(work, payment, total, reason, operator)
        return self.payments.finish(started)

    def _started(
        self, work: RefundsWork, payment: Payment, total: Cents, reason: str | None, operator: Caller
    ) -> Payment:
        if payment.captured and payment.refunded == payment.captured:
            raise Conflict("All that was taken was given back already.")
        if payment.captured and not payment.refunded < total <= payment.captured:
            least, most = dollars(payment.refunded + 1), dollars(payment.captured)
            raise Invalid(
                {"amount": [f"The amount given back in all must be from {least:,.2f} to {most:,.2f}."]}
            )
        started = self.payments.start_refund(
            work, payment, total - payment.refunded, reason=reason, actor=OPERATOR
        )
        before, after = ({"refunded": dollars(cents)} for cents in (payment.refunded, total))
        told = after if reason is None else {**after, "reason": reason}
        work.audit.add(
            operator,
            "payment.refund",
            f"payments/{payment.id}",
            before=before,
            after=told,
            at=started.updated_at,
        )
        return started
