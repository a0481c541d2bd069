"""Payments as they are told outside; what a gateway calls a card is not."""

from typing import Any

from repaircore.kernel.money import dollars, dollars_or_none
from repaircore.kernel.views import iso_utc
from repaircore.payments.lifecycle import LIFECYCLE
from repaircore.payments.model import Entry, Payment


def payment_told(payment: Payment) -> dict[str, Any]:
    """Tell a payment in JSON's terms."""
    return {
        "id": payment.id,
        "state": payment.state,
        "subject": payment.subject,
        "offer_ref": payment.offer_ref,
        "partner_id": payment.partner_id,
        "environment": payment.environment,
        "currency": payment.currency,
        "amount": dollars(payment.amount),
        "captured": dollars(payment.captured),
        "refunded": dollars(payment.refunded),
        "under_way": dollars_or_none(payment.moving),
        "gateway": payment.gateway,
        "gateway_ref": payment.gateway_ref,
        "reason": payment.reason,
        "allowed_actions": list(LIFECYCLE.allowed(payment.state)),
        "created_at": iso_utc(payment.created_at),
        "updated_at": iso_utc(payment.updated_at),
    }


def entry_told(entry: Entry) -> dict[str, Any]:
    """Tell a line of the books in JSON's terms."""
    return {
        "at": iso_utc(entry.at),
        "kind": entry.kind,
        "account": entry.account,
        "amount": dollars(entry.cents),
    }
