"""Partners' requests about appointments, with their validation rules."""

import datetime as dt
import re
from collections.abc import Mapping
from typing import Annotated, Any, Final
from uuid import UUID

from attrs import frozen

from repaircore.appointments.lifecycle import Pickup, Status
from repaircore.appointments.model import BookedVehicle
from repaircore.kernel.expected_fees import ExpectedFee
from repaircore.kernel.hours import parse_minute
from repaircore.kernel.references import Kind, is_reference
from repaircore.kernel.rules import Described, FieldErrors, Length, NoNul, Range, YearRange, sentence
from repaircore.kernel.texts import stripped
from repaircore.vehicles import vin

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_MIDNIGHT: Final = 1440
_ENDED: Final = (Status.COMPLETED, Status.NO_SHOW)
_VIN_LENGTH: Final = 17
_PREDICATES: Final = {
    Kind.MECHANIC: "must be the reference of a mechanic",
    Kind.CUSTOMER: "must be the reference of one of your customers",
    Kind.HOLD: "must be the reference of one of your holds that has not expired",
}


def parse_date(text: str) -> dt.date | None:
    """Parse a date such as ``2026-12-24``; return None for anything else."""
    try:
        return dt.date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        return None


def parse_time(text: str) -> int | None:
    """Parse a time such as ``14:30`` as a minute of the day; return None for anything else, including ``24:00``."""
    minute = parse_minute(text)
    return None if minute is None or minute >= _MIDNIGHT else minute


@frozen
class IsDate:
    """Requires a date such as ``2026-01-31``."""

    def broken_by(self, value: str) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        return "must be a date such as 2026-01-31" if parse_date(value) is None else None


@frozen
class IsTime:
    """Requires a time of day such as ``14:30``."""

    def broken_by(self, value: str) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        return "must be a time such as 14:30" if parse_time(value) is None else None


@frozen
class ReferenceTo:
    """Requires a reference; whether the record exists is checked later, with the same predicate."""

    kind: Kind

    def broken_by(self, value: str) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        return None if is_reference(self.kind, value) else _PREDICATES[self.kind]


DateText = Annotated[str, IsDate(), Described("A date on the mechanic's clock.", format="date")]
TimeText = Annotated[str, IsTime(), Described("A time on the mechanic's clock, such as 14:30.")]
_Description = Annotated[str | None, Length(0, 2000), NoNul()]
CustomerRef = Annotated[str | None, ReferenceTo(Kind.CUSTOMER)]
MechanicRef = Annotated[str | None, ReferenceTo(Kind.MECHANIC)]
OwnReference = Annotated[str | None, Length(1, 255), NoNul()]
_Service = Annotated[str | None, Length(1, 100), NoNul()]
_Address = Annotated[str | None, Length(0, 500), NoNul()]
_Word = Annotated[str | None, Length(1, 100), NoNul()]
_PartnerReference = Annotated[str | None, Length(0, 255), NoNul()]


@frozen
class IsVin:
    """Requires a VIN of 17 characters."""

    def broken_by(self, value: str) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        is_vin = len(vin.normalize(value)) == _VIN_LENGTH and not vin.validate(value)
        return None if is_vin else "must be a VIN of 17 characters"


@frozen(kw_only=True)
class VehicleInput:
    """The vehicle: its VIN, or its year, make and model."""

    vin: Annotated[str | None, IsVin()] = None
    year: Annotated[int | None, YearRange(1900, 2100)] = None
    make: _Word = None
    model: _Word = None

    def booked(self) -> BookedVehicle:
        """Return the stored form of the vehicle."""
        return BookedVehicle(
            vin=None if self.vin is None else vin.normalize(self.vin),
            year=self.year,
            make=stripped(self.make),
            model=stripped(self.model),
        )


@frozen
class NamesVehicle:
    """Requires a vehicle with a VIN, or with year, make and model."""

    def broken_by(self, value: VehicleInput) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        is_named = value.vin or (value.year and value.make and value.model)
        return None if is_named else "must have a vin, or a year, make and model"


_Vehicle = Annotated[VehicleInput | None, NamesVehicle()]


@frozen(kw_only=True)
class CreateHold:
    """The mechanic, the date and time on the mechanic's clock, and the service."""

    mechanic_ref: Annotated[str, ReferenceTo(Kind.MECHANIC)]
    date: DateText
    time: TimeText
    service: _Service = None


@frozen(kw_only=True)
class CreateAppointment:
    """The mechanic, the customer, the date and time on the mechanic's clock, the service and the vehicle.

    ``service`` is one that the mechanic offers, which determines the length of the appointment. ``address`` is where
    the vehicle is. ``hold`` is a hold for the same time.
    """

    mechanic_ref: Annotated[str, ReferenceTo(Kind.MECHANIC)]
    customer_ref: Annotated[str, ReferenceTo(Kind.CUSTOMER)]
    date: DateText
    time: TimeText
    description: _Description = None
    partner_reference: _PartnerReference = None
    session_id: UUID | None = None
    service: _Service = None
    vehicle: _Vehicle = None
    address: _Address = None
    hold: Annotated[str | None, ReferenceTo(Kind.HOLD)] = None


@frozen(kw_only=True)
class UpdateAppointment:
    """The fields to change; null or an empty string deletes a field, and a vehicle replaces the former vehicle.

    ``status`` ends the appointment, and ``pickup_progress`` is the next step of the pickup.
    """

    description: _Description = None
    partner_reference: _PartnerReference = None
    vehicle: _Vehicle = None
    address: _Address = None
    pickup_progress: Pickup | None = None
    status: Status | None = None


@frozen(kw_only=True)
class CancelAppointment:
    """The reason for canceling, and the previewed fee in dollars."""

    reason: Annotated[str | None, Length(0, 500), NoNul()] = None
    expected_fee: ExpectedFee = None


@frozen(kw_only=True)
class RescheduleAppointment:
    """The new date and time, on the mechanic's clock; ``hold`` is a hold for that time."""

    date: DateText
    time: TimeText
    hold: Annotated[str | None, ReferenceTo(Kind.HOLD)] = None


@frozen(kw_only=True)
class RateMechanic:
    """The number of stars, 1 to 5."""

    rating: Annotated[int, Range(1, 5)]


@frozen(kw_only=True, slots=False)  # so that a list's query can inherit from it and from its page
class AppointmentFilter:
    """Selects appointments; None matches any. Dates are on the mechanic's clock."""

    customer_ref: CustomerRef = None
    mechanic_ref: MechanicRef = None
    date_from: dt.date | None = None
    date_to: dt.date | None = None
    status: Status | None = None
    partner_reference: OwnReference = None


def validate_end(fields: Mapping[str, Any]) -> FieldErrors:
    """Return the errors in the status and the invoice of an update."""
    errors: FieldErrors = {}
    status = fields.get("status")
    if fields.get("invoice") is not None and status is not Status.COMPLETED:
        errors["invoice"] = [sentence("invoice", "requires the status completed")]
    if status not in {None, *_ENDED}:
        errors["status"] = [sentence("status", f"must be one of: {', '.join(_ENDED)}")]
    return errors


def unknown_reference(kind: Kind, name: str) -> FieldErrors:
    """Return the error for a field that refers to no record."""
    return {name: [sentence(name, _PREDICATES[kind])]}
