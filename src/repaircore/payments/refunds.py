"""Refunds by operators."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Annotated, Protocol, TypeAlias

from attrs import frozen

from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Caller, Environment
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.money import Cents, dollars
from repaircore.kernel.rules import Length, require_valid
from repaircore.kernel.timeline import OPERATOR
from repaircore.payments.errors import NoPayment
from repaircore.payments.model import Payment, PaymentState
from repaircore.payments.ports import PaymentsWork
from repaircore.payments.service import Payments


@frozen(kw_only=True)
class _RefundInput:
    reason: Annotated[str | None, Length(0, 255)]


class RefundsWork(PaymentsWork, Protocol):
    """The part of a unit of work that refunds need."""

    @property
    def audit(self) -> AuditLog:
        """The changes made by operators."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[RefundsWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""


@frozen(kw_only=True)
class Refunds:
    """The use case. The amount is the total refund, not an addition: a repeated request changes nothing."""

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
        """Refund a payment up to ``amount`` in total, earlier refunds included; by default all that was captured.

        An unfinished refund of the same request is finished; a finished one is returned unchanged.

        Raises:
            NoPayment: the environment has no such payment.
            Invalid: on ``amount``: more than was captured, or not more than was refunded before; on ``reason``.
            Conflict: nothing was captured, all of it was refunded, or another refund is pending.
            GatewayUnavailable: the outcome is unknown; the reconciler finishes the refund.
            Contradiction: the gateway refuses; a person has to look why.
        """
        require_valid(_RefundInput(reason=reason))
        with self.transaction() as work:
            payment = work.payments.find(payment_id)
            if payment is None or payment.environment is not environment:
                raise NoPayment
            total = payment.captured if amount is None else amount
            pending = payment.moving or 0 if payment.state is PaymentState.REFUNDING else 0
            if payment.captured and payment.refunded + pending == total:
                refunding = payment
            elif pending:
                raise Conflict("Another refund of this payment is pending.")
            else:
                refunding = self._start(work, payment, total, reason, operator)
        return self.payments.finish(refunding)

    def _start(
        self, work: RefundsWork, payment: Payment, total: Cents, reason: str | None, operator: Caller
    ) -> Payment:
        if payment.captured and payment.refunded == payment.captured:
            raise Conflict("The payment has been refunded in full already.")
        if payment.captured and not payment.refunded < total <= payment.captured:
            least, most = dollars(payment.refunded + 1), dollars(payment.captured)
            raise Invalid({"amount": [f"The total refund must be from {least:,.2f} to {most:,.2f}."]})
        refunding = self.payments.start_refund(
            work, payment, total - payment.refunded, reason=reason, actor=OPERATOR
        )
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
        return refunding
