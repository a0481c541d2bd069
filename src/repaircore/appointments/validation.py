"""What partners ask of appointments, and what can be wrong with it by itself."""

from collections.abc import Mapping
from typing import Final, TypedDict
from uuid import UUID

from attrs import frozen

from repaircore.appointments.lifecycle import Pickup, Status
from repaircore.appointments.times import validate_time
from repaircore.kernel.references import Kind, is_reference
from repaircore.transactions.job_invoice import JobInvoice

_LONGEST: Final = {"description": 2000, "partner_reference": 255, "reason": 500}
_KINDS: Final = {"mechanic_ref": Kind.MECHANIC, "customer_ref": Kind.CUSTOMER}


@frozen(kw_only=True)
class CreateAppointment:
    """An appointment that is wanted: date and time are by the mechanic's clock."""

    mechanic_ref: str
    customer_ref: str
    date: str
    time: str
    description: str | None = None
    partner_reference: str | None = None
    session_id: UUID | None = None


class AppointmentChange(TypedDict, total=False):
    """What is to change; what is not told stays. None, and an empty text, takes a text away.

    ``status`` ends the appointment (completed or no_show), ``pickup_progress`` is the next step of the pickup;
    ``invoice`` is what the work came to, told with the status completed.
    """

    description: str | None
    partner_reference: str | None
    pickup_progress: Pickup | None
    status: Status | None
    invoice: JobInvoice | None


def text_told(text: str | None) -> str | None:
    """Give a text without the spaces around it; None when nothing is left of it."""
    return None if text is None else text.strip() or None


def invalid(name: str) -> str:
    """Say that what a field names is not there."""
    return f"The selected {name.replace('_', ' ')} is invalid."


def faults_of(fields: Mapping[str, object]) -> dict[str, list[str]]:
    """Say what is wrong with the fields that are given, by name."""
    told: dict[str, list[str]] = {}
    day, time = fields.get("date"), fields.get("time")
    forms = validate_time(
        date=day if isinstance(day, str) else None, time=time if isinstance(time, str) else None
    )
    for name, value in fields.items():
        words = name.replace("_", " ")
        if name in forms:
            told[name] = forms[name]
        elif isinstance(value, str) and "\0" in value:
            told[name] = [f"The {words} field must not hold a NUL character."]
        elif isinstance(value, str) and name in _KINDS and not is_reference(_KINDS[name], value):
            told[name] = [invalid(name)]
        elif isinstance(value, str) and len(value) > _LONGEST.get(name, len(value)):
            told[name] = [f"The {words} field must not be longer than {_LONGEST[name]} characters."]
    if fields.get("invoice") is not None and fields.get("status") is not Status.COMPLETED:
        told["invoice"] = ["The invoice field counts with the status completed alone."]
    if fields.get("status") not in {None, Status.COMPLETED, Status.NO_SHOW}:
        told["status"] = ["The status field must be one of: completed, no_show."]
    return told
