"""Payments, as clients see them, without the payment method."""

from datetime import datetime
from typing import Self

from repaircore.kernel.callers import Environment
from repaircore.kernel.money import dollars, dollars_or_none
from repaircore.kernel.views import Dollars, Month, view
from repaircore.payments.lifecycle import LIFECYCLE, PaymentAction
from repaircore.payments.model import Account, Entry, EntryKind, GatewayName, Payment, PaymentState
from repaircore.payments.statements import Statement, StatementLine


@view
class PaymentView:
    """A payment for a ride or a tow; ``under_way`` is the amount of a pending capture or refund."""

    id: str
    state: PaymentState
    subject: str
    offer_ref: str
    partner_id: int
    environment: Environment
    currency: str
    amount: Dollars
    captured: Dollars
    refunded: Dollars
    under_way: Dollars | None
    gateway: GatewayName
    gateway_ref: str | None
    reason: str | None
    allowed_actions: list[PaymentAction]
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, payment: Payment) -> Self:
        """Return the view of a payment."""
        return cls(
            id=payment.id,
            state=payment.state,
            subject=payment.subject,
            offer_ref=payment.offer_ref,
            partner_id=payment.partner_id,
            environment=payment.environment,
            currency=payment.currency,
            amount=dollars(payment.amount),
            captured=dollars(payment.captured),
            refunded=dollars(payment.refunded),
            under_way=dollars_or_none(payment.moving),
            gateway=payment.gateway,
            gateway_ref=payment.gateway_ref,
            reason=payment.reason,
            allowed_actions=list(LIFECYCLE.allowed(payment.state)),
            created_at=payment.created_at,
            updated_at=payment.updated_at,
        )


@view
class EntryView:
    """An entry in the books."""

    at: datetime
    kind: EntryKind
    account: Account
    amount: Dollars

    @classmethod
    def of(cls, entry: Entry) -> Self:
        """Return the view of an entry."""
        return cls(at=entry.at, kind=entry.kind, account=entry.account, amount=dollars(entry.cents))


@view
class StatementLineView:
    """Money that was captured (positive) or refunded (negative) for a ride or a tow."""

    at: datetime
    kind: EntryKind
    ref: str
    partner_reference: str | None
    payment_id: str
    currency: str
    amount: Dollars

    @classmethod
    def of(cls, line: StatementLine) -> Self:
        """Return the view of a line."""
        return cls(
            at=line.at,
            kind=line.kind,
            ref=line.subject,
            partner_reference=line.partner_reference,
            payment_id=line.payment_id,
            currency=line.currency,
            amount=dollars(line.amount),
        )


@view
class StatementView:
    """The statement for a month, in UTC: its lines, oldest first, and their totals."""

    month: Month
    currency: str
    captured: Dollars
    refunded: Dollars
    net: Dollars
    lines: list[StatementLineView]

    @classmethod
    def of(cls, statement: Statement) -> Self:
        """Return the view of a statement."""
        return cls(
            month=statement.month,
            currency="USD",
            captured=dollars(statement.captured),
            refunded=dollars(statement.refunded),
            net=dollars(statement.captured - statement.refunded),
            lines=[StatementLineView.of(line) for line in statement.lines],
        )
