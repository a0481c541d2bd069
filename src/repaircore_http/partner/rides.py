"""Request shapes that mobile rides and tow rides share, and what they become."""

from datetime import datetime
from typing import Annotated, Any, ClassVar, Final

from attrs import asdict, frozen

from repaircore.kernel.geo import Point
from repaircore.kernel.metadata import Metadata
from repaircore.kernel.rules import Length, Range, WholeCents
from repaircore.rides.model import CancelReason, Ride, RideFilter, RideOutcome, Scenario, Status, Vehicle
from repaircore.rides.requests import CreateRide, Trip
from repaircore_http.json_io import parse_input, read_json
from repaircore_http.listing import DaysQuery
from repaircore_http.partner.invoices import InvoiceInput

Latitude = Annotated[float, Range(-90, 90)]
Longitude = Annotated[float, Range(-180, 180)]
Note = Annotated[str | None, Length(0, 1000)]
ShortText = Annotated[str | None, Length(0, 255)]
_Address = Annotated[str | None, Length(0, 500)]
_Year = Annotated[str | None, Length(0, 10)]
_Vin = Annotated[str | None, Length(11, 17)]
_Plate = Annotated[str | None, Length(0, 20)]
_Color = Annotated[str | None, Length(0, 40)]

_SAME_NAMES: Final = (
    "notes",
    "partner_reference",
    "metadata",
    "payment_method",
    "scheduled_for",
    "pickup_address",
    "dropoff_address",
)


@frozen(kw_only=True)
class TripInput:
    """The pickup and the dropoff, and the time unless it is now."""

    pickup_latitude: Latitude
    pickup_longitude: Longitude
    dropoff_latitude: Latitude
    dropoff_longitude: Longitude
    scheduled_for: datetime | None = None


@frozen(kw_only=True)
class RideInput(TripInput):
    """The trip, the estimate, the vehicle, and what else the provider should know."""

    takes_nulls: ClassVar[bool] = True

    estimate_id: Annotated[str | None, Length(1, 2000)] = None
    pickup_address: _Address = None
    dropoff_address: _Address = None
    vehicle_make: ShortText = None
    vehicle_model: ShortText = None
    vehicle_year: _Year = None
    vehicle_vin: _Vin = None
    vehicle_plate: _Plate = None
    vehicle_color: _Color = None
    notes: Note = None
    partner_reference: ShortText = None
    metadata: Metadata | None = None
    session_id: ShortText = None
    payment_method: ShortText = None
    sandbox: Scenario = Scenario.NORMAL
    scenarios: Annotated[tuple[Scenario, ...], Length(0, len(Scenario))] = ()


@frozen(kw_only=True)
class UpdateRide:
    """The fields to change.

    The trip and the payment method can only be changed while the ride is pending, and the time only until providers are
    asked.
    """

    pickup_latitude: Latitude | None = None
    pickup_longitude: Longitude | None = None
    dropoff_latitude: Latitude | None = None
    dropoff_longitude: Longitude | None = None
    scheduled_for: datetime | None = None
    pickup_address: _Address = None
    dropoff_address: _Address = None
    vehicle_make: ShortText = None
    vehicle_model: ShortText = None
    vehicle_year: _Year = None
    vehicle_vin: _Vin = None
    vehicle_plate: _Plate = None
    vehicle_color: _Color = None
    notes: Note = None
    partner_reference: ShortText = None
    metadata: Metadata | None = None
    payment_method: ShortText = None


@frozen(kw_only=True)
class PreviewDestination:
    """Where the ride goes instead."""

    dropoff_latitude: Latitude
    dropoff_longitude: Longitude


@frozen(kw_only=True)
class ChangeDestination:
    """The estimate from destination-preview, the new address in words, and the payment method for the difference.

    By default, the payment method is that of the ride.
    """

    estimate_id: Annotated[str, Length(1, 2000)]
    dropoff_address: _Address = None
    payment_method: ShortText = None


@frozen(kw_only=True)
class ListRides(DaysQuery):
    """Filters (status, your reference, customer, scheduled or not) and page for the list of rides."""

    status: Status | None = None
    partner_reference: Annotated[str, Length(1, 255)] | None = None
    passenger_ref: Annotated[str, Length(1, 64)] | None = None
    scheduled: bool | None = None

    def filter(self) -> RideFilter:
        """Return the filters without the sort order and the page."""
        return RideFilter(
            status=self.status,
            partner_reference=self.partner_reference,
            customer_ref=self.passenger_ref,
            date_from=self.date_from,
            date_to=self.date_to,
            is_scheduled=self.scheduled,
        )


@frozen(kw_only=True)
class PreviewCancellation:
    """The reason for the cancellation."""

    reason: CancelReason | None = None


@frozen(kw_only=True)
class CompleteRide:
    """The outcome, and the invoice for work on the vehicle."""

    takes_nulls: ClassVar[bool] = True

    outcome: RideOutcome = RideOutcome.COMPLETED
    invoice: InvoiceInput | None = None


@frozen(kw_only=True)
class RefundInput:
    """The total refund in dollars, including earlier refunds; by default, everything that was captured."""

    amount: Annotated[float, Range(0.01, 999_999.99), WholeCents()] | None = None
    reason: ShortText = None


def to_trip(data: TripInput, service: str) -> Trip:
    """Return the trip of a request."""
    return Trip(
        service=service,
        pickup=Point(data.pickup_latitude, data.pickup_longitude),
        dropoff=Point(data.dropoff_latitude, data.dropoff_longitude),
        scheduled_for=data.scheduled_for,
    )


def to_create_ride(data: RideInput, service: str, **fields: Any) -> CreateRide:
    """Return the input for a new ride; ``fields`` are those that only its kind has."""
    return CreateRide(
        trip=to_trip(data, service),
        vehicle=Vehicle(
            make=data.vehicle_make,
            model=data.vehicle_model,
            year=data.vehicle_year,
            vin=data.vehicle_vin,
            plate=data.vehicle_plate,
            color=data.vehicle_color,
        ),
        estimate_id=data.estimate_id,
        pickup_address=data.pickup_address,
        dropoff_address=data.dropoff_address,
        notes=data.notes,
        partner_reference=data.partner_reference,
        metadata=data.metadata,
        session_id=data.session_id,
        payment_method=data.payment_method,
        sandbox=data.sandbox,
        scenarios=data.scenarios,
        **fields,
    )


def read_sent_fields(shape: type[Any]) -> dict[str, Any]:
    """Return the fields of the body that change something; empty strings become None, which clears a field.

    Fields that are left out or null are not included, but null for the time is, since it means now.

    Raises:
        Invalid: with every bad field.
    """
    body = read_json()
    sent = asdict(parse_input(shape, body))
    return {
        name: None if value == "" else value
        for name, value in sent.items()
        if value is not None or (name == "scheduled_for" and name in body)
    }


def to_changes(fields: dict[str, Any], ride: Ride) -> dict[str, Any]:
    """Return how the sent fields change a ride; a coordinate that was not sent is unchanged."""
    changes: dict[str, Any] = {name: fields[name] for name in _SAME_NAMES if name in fields}
    service = fields.get("service_type") or fields.get("ride_type")
    if service is not None:
        changes["service"] = service
    if "reason_for_tow" in fields:
        changes["reason"] = fields["reason_for_tow"]
    for place in ("pickup", "dropoff"):
        point = _moved(getattr(ride, place), fields, place)
        if point != getattr(ride, place):
            changes[place] = point
    vehicle = {
        name: fields[f"vehicle_{name}"] for name in asdict(ride.vehicle) if f"vehicle_{name}" in fields
    }
    if vehicle:
        changes["vehicle"] = Vehicle(**{**asdict(ride.vehicle), **vehicle})
    return changes


def _moved(point: Point, fields: dict[str, Any], place: str) -> Point:
    latitude, longitude = fields.get(f"{place}_latitude"), fields.get(f"{place}_longitude")
    return Point(
        point.latitude if latitude is None else latitude, point.longitude if longitude is None else longitude
    )
