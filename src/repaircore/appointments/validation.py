"""Appointment requests of partners, with their rules."""

from collections.abc import Mapping
from typing import Annotated, Any, Final
from uuid import UUID

from attrs import frozen

from repaircore.appointments.lifecycle import Pickup, Status
from repaircore.appointments.times import parse_date, parse_time
from repaircore.kernel.references import Kind, is_reference
from repaircore.kernel.rules import Described, FieldErrors, Length, NoNul, sentence

_ENDED: Final = (Status.COMPLETED, Status.NO_SHOW)
_PREDICATES: Final = {
    Kind.MECHANIC: "must be the reference of a mechanic",
    Kind.CUSTOMER: "must be the reference of one of your customers",
}


@frozen
class IsDate:
    """Requires a date."""

    def broken_by(self, value: str) -> str | None:
        """Return the predicate that a value breaks, or None."""
        return "must be a date such as 2026-01-31" if parse_date(value) is None else None


@frozen
class IsTime:
    """Requires a time of day."""

    def broken_by(self, value: str) -> str | None:
        """Return the predicate that a value breaks, or None."""
        return "must be a time such as 14:30" if parse_time(value) is None else None


@frozen
class ReferenceTo:
    """Requires a reference; whether the record exists is checked later, with the same predicate."""

    kind: Kind

    def broken_by(self, value: str) -> str | None:
        """Return the predicate that a value breaks, or None."""
        return None if is_reference(self.kind, value) else _PREDICATES[self.kind]


DateText = Annotated[str, IsDate(), Described("A date by the mechanic's clock.", format="date")]
TimeText = Annotated[str, IsTime(), Described("A time by the mechanic's clock, such as 14:30.")]
_Description = Annotated[str | None, Length(0, 2000), NoNul()]
_PartnerReference = Annotated[str | None, Length(0, 255), NoNul()]


@frozen(kw_only=True)
class CreateAppointment:
    """The mechanic, the customer, and the date and time by the mechanic's clock."""

    mechanic_ref: Annotated[str, ReferenceTo(Kind.MECHANIC)]
    customer_ref: Annotated[str, ReferenceTo(Kind.CUSTOMER)]
    date: DateText
    time: TimeText
    description: _Description = None
    partner_reference: _PartnerReference = None
    session_id: UUID | None = None


@frozen(kw_only=True)
class UpdateAppointment:
    """The fields to change; null or empty text deletes one.

    ``status`` ends the appointment, ``pickup_progress`` is the next step of the pickup.
    """

    description: _Description = None
    partner_reference: _PartnerReference = None
    pickup_progress: Pickup | None = None
    status: Status | None = None


@frozen(kw_only=True)
class CancelAppointment:
    """The reason."""

    reason: Annotated[str | None, Length(0, 500), NoNul()] = None


@frozen(kw_only=True)
class RescheduleAppointment:
    """The new date and time, by the mechanic's clock."""

    date: DateText
    time: TimeText


def validate_end(fields: Mapping[str, Any]) -> FieldErrors:
    """Return what is wrong with the status and the invoice of an update."""
    errors: FieldErrors = {}
    status = fields.get("status")
    if fields.get("invoice") is not None and status is not Status.COMPLETED:
        errors["invoice"] = [sentence("invoice", "requires the status completed")]
    if status not in {None, *_ENDED}:
        errors["status"] = [sentence("status", f"must be one of: {', '.join(_ENDED)}")]
    return errors


def unknown_reference(kind: Kind, name: str) -> FieldErrors:
    """Return the error of a field that refers to no record."""
    return {name: [sentence(name, _PREDICATES[kind])]}
