"""Invoices as the audit log tells of them.

Notes are free text that may name people, and a car's number leads to its VIN. The log is kept for good: it tells only how long
the notes are, and whether the car was told.
"""

from repaircore.kernel.audit import AuditState
from repaircore.kernel.money import dollars
from repaircore.transactions.model import Transaction


def subject(one: Transaction) -> str:
    """Name an invoice in the log."""
    return f"transactions/{one.id}"


def shown(one: Transaction) -> AuditState:
    """Tell what an invoice says, in dollars."""
    return {
        "vehicle_id": str(one.vehicle_id),
        "facility_id": one.facility_id,
        "problem_id": one.problem_id,
        "car": None if one.car is None else "told",
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
