"""Invoices as the audit log tells of them.

Notes are free text that may name people, and the log is kept for good: it tells only how long they are.
"""

from repaircore.kernel.audit import Shown
from repaircore.kernel.money import dollars
from repaircore.transactions.model import Transaction

__all__ = ["changes", "shown", "subject"]


def subject(one: Transaction) -> str:
    """Name an invoice in the log."""
    return f"transactions/{one.id}"


def shown(one: Transaction) -> Shown:
    """Tell what an invoice says, in dollars."""
    return {
        "vehicle_id": str(one.vehicle_id),
        "facility_id": one.facility_id,
        "problem_id": one.problem_id,
        "session_id": None if one.session_id is None else str(one.session_id),
        "performed_on": one.performed_on.isoformat(),
        "mileage": one.mileage,
        "parts": [
            {"name": part.name, "unit_price": dollars(part.unit_price), "quantity": part.quantity}
            for part in one.parts
        ],
        "labor_hours": one.labor_hours,
        "labor_rate": dollars(one.labor_rate),
        "parts_total": dollars(one.parts_total),
        "labor_total": dollars(one.labor_total),
        "total": dollars(one.total),
        "notes": None if one.notes is None else f"{len(one.notes)} characters",
    }


def changes(old: Transaction, new: Transaction) -> tuple[Shown, Shown]:
    """Tell what was and what is, of what differs."""
    before, after = shown(old), shown(new)
    differ = [name for name in after if before[name] != after[name]]
    return {name: before[name] for name in differ}, {name: after[name] for name in differ}
