"""Invoices as the audit log records them.

Notes are free text that may name people, and a car's number leads to its VIN. The log is never erased, so it records only the
length of the notes and whether the car is known.
"""

from repaircore.kernel.audit import AuditState
from repaircore.kernel.money import dollars
from repaircore.transactions.model import Transaction


def subject(transaction: Transaction) -> str:
    """Return the subject of an entry."""
    return f"transactions/{transaction.id}"


def audit_state(transaction: Transaction) -> AuditState:
    """Return the state of an invoice, in dollars."""
    return {
        "vehicle_id": str(transaction.vehicle_id),
        "facility_id": transaction.facility_id,
        "problem_id": transaction.problem_id,
        "car": None if transaction.car is None else "told",
        "session_id": None if transaction.session_id is None else str(transaction.session_id),
        "performed_on": transaction.performed_on.isoformat(),
        "mileage": transaction.mileage,
        "parts": [
            {"name": part.name, "unit_price": dollars(part.unit_price), "quantity": part.quantity}
            for part in transaction.parts
        ],
        "labor_hours": transaction.labor_hours,
        "labor_rate": dollars(transaction.labor_rate),
        "parts_total": dollars(transaction.parts_total),
        "labor_total": dollars(transaction.labor_total),
        "total": dollars(transaction.total),
        "notes": None if transaction.notes is None else f"{len(transaction.notes)} characters",
    }
