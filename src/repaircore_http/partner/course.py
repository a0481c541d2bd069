"""What mobile rides and tow rides have in common at the door: the shapes, and the course that both take."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any

from attrs import asdict, frozen
from flask import Response, g

from repaircore.kernel.errors import Conflict
from repaircore.kernel.geo import Point
from repaircore.kernel.money import dollars
from repaircore.kernel.rules import Length, Range
from repaircore.rides.lifecycles import Action
from repaircore.rides.model import CancelReason, Ride, RideOutcome, Scenario, Vehicle
from repaircore.rides.requests import CreateRide, RideDetail, Trip
from repaircore.rides.service import Rides
from repaircore.rides.settlement import Settlement
from repaircore.rides.views import CancelPreviewView, RideView, ride_view, status_view
from repaircore_http.envelopes import PartnerData
from repaircore_http.guards import partner_caller
from repaircore_http.idempotency import current_claim
from repaircore_http.json_io import parse_input, read_body, read_json, read_query
from repaircore_http.partner.billing import InvoiceInput, invoice_of
from repaircore_http.partner.dialect import replied
from repaircore_http.routes import Routes

Latitude = Annotated[float, Range(-90, 90)]
Longitude = Annotated[float, Range(-180, 180)]
Note = Annotated[str | None, Length(0, 1000)]
Address = Annotated[str | None, Length(0, 500)]
Short = Annotated[str | None, Length(0, 255)]
Year = Annotated[str | None, Length(0, 10)]

Served = Callable[[], Rides]


@frozen(kw_only=True)
class TripInput:
    """From where to where."""

    pickup_latitude: Latitude
    pickup_longitude: Longitude
    dropoff_latitude: Latitude
    dropoff_longitude: Longitude


@frozen(kw_only=True)
class RideInput(TripInput):
    """At which price, for which vehicle, and what else whoever comes should know."""

    estimate_id: Annotated[str | None, Length(1, 2000)] = None
    pickup_address: Address = None
    dropoff_address: Address = None
    vehicle_make: Short = None
    vehicle_model: Short = None
    vehicle_year: Year = None
    notes: Note = None
    partner_reference: Short = None
    session_id: Short = None
    payment_method: Short = None
    sandbox: Scenario = Scenario.NORMAL


@frozen(kw_only=True)
class UpdateRide:
    """What is to change; the trip and how the customer pays while nobody was accepted."""

    pickup_latitude: Latitude | None = None
    pickup_longitude: Longitude | None = None
    dropoff_latitude: Latitude | None = None
    dropoff_longitude: Longitude | None = None
    pickup_address: Address = None
    dropoff_address: Address = None
    vehicle_make: Short = None
    vehicle_model: Short = None
    vehicle_year: Year = None
    notes: Note = None
    partner_reference: Short = None
    payment_method: Short = None


@frozen(kw_only=True)
class CancelRide:
    """Why it is cancelled; the reason decides what that costs."""

    reason: CancelReason | None = None
    note: Note = None


@frozen(kw_only=True)
class PreviewCancellation:
    """For which reason it would be cancelled."""

    reason: CancelReason | None = None


@frozen(kw_only=True)
class CompleteRide:
    """How it came out, and what the work on the vehicle came to."""

    outcome: RideOutcome = RideOutcome.COMPLETED
    invoice: InvoiceInput | None = None


def trip_of(asked: TripInput, service: str) -> Trip:
    """Give the trip of a body."""
    return Trip(
        service=service,
        pickup=Point(asked.pickup_latitude, asked.pickup_longitude),
        dropoff=Point(asked.dropoff_latitude, asked.dropoff_longitude),
    )


def ordered(asked: RideInput, service: str) -> CreateRide:
    """Give what a body orders; for whom is the kind's own."""
    return CreateRide(
        trip=trip_of(asked, service),
        vehicle=Vehicle(make=asked.vehicle_make, model=asked.vehicle_model, year=asked.vehicle_year),
        estimate_id=asked.estimate_id,
        pickup_address=asked.pickup_address,
        dropoff_address=asked.dropoff_address,
        notes=asked.notes,
        partner_reference=asked.partner_reference,
        session_id=asked.session_id,
        payment_method=asked.payment_method,
        sandbox=asked.sandbox,
    )


def read_changes(shape: type[Any]) -> dict[str, Any]:
    """Read the fields of a shape that stand in the body; those left out are not to change.

    Raises:
        Invalid: with every bad field.
    """
    sent = read_json()
    return {name: value for name, value in asdict(parse_input(shape, sent)).items() if name in sent}


def changes_of(given: dict[str, Any], service: str, kept: Ride) -> dict[str, Any]:
    """Give what of a ride the told fields change, in the words of the core.

    ``service`` is the name under which the body has the service; a place keeps the coordinate that is not told.
    """
    changes = {name: given[name] for name in _AS_THEY_ARE if name in given}
    if given.get(service) is not None:
        changes["service"] = given[service]
    if "reason_for_tow" in given:
        changes["reason"] = given["reason_for_tow"]
    for place in ("pickup", "dropoff"):
        was: Point = getattr(kept, place)
        latitude, longitude = (given.get(f"{place}_{name}") for name in ("latitude", "longitude"))
        now = Point(
            was.latitude if latitude is None else latitude, was.longitude if longitude is None else longitude
        )
        if now != was:
            changes[place] = now
    vehicle = {
        part: given[f"vehicle_{part}"] for part in ("make", "model", "year") if f"vehicle_{part}" in given
    }
    if vehicle:
        changes["vehicle"] = Vehicle(**{**asdict(kept.vehicle), **vehicle})
    return changes


_AS_THEY_ARE = ("notes", "partner_reference", "payment_method", "pickup_address", "dropoff_address")


def current(served: Rides, ride: Ride, settlement: Settlement | None = None) -> RideView:
    """Return a ride that was just changed, with its payment and timeline."""
    return whole(served.show(ride.ref, partner_caller()), settlement)


def whole(detail: RideDetail, settlement: Settlement | None = None) -> RideView:
    """Return the whole of a ride."""
    return ride_view(detail.ride, detail.payments, steps=detail.steps, settlement=settlement)


def reading_up(served: Served) -> Callable[..., None]:
    """Give what runs ahead of a change that is priced: what prices follow from is read by then."""

    def read_up(**_: str) -> None:
        served().read_up()

    return read_up


def acceptance(served: Served) -> tuple[Callable[..., None], Callable[[str], Response]]:
    """Give the two halves of an acceptance: holding the money (ahead of the unit of work), and assigning."""

    def hold(ref: str, provider_ref: str) -> None:
        g.authorized = served().authorize(ref, provider_ref, partner_caller(), claim=current_claim())

    def assign(ref: str) -> Response:
        return replied(current(served(), served().assign(ref, g.authorized, partner_caller())))

    return hold, assign


@frozen(kw_only=True)
class RideSchemas:
    """The answers about a kind: the whole of one, one that was just ended, and how one stands."""

    whole: Any
    ended: Any
    status: Any


def take_their_course(
    routes: Routes, served: Served, name: str, shapes: RideSchemas, *, status_name: str | None = None
) -> None:
    """Add the routes that both kinds have, below ``/<name>``.

    ``status_name`` is what the reference is called where it is told how a ride stands, if not ``name``.
    """
    status_by = status_name or name

    def show(**path: str) -> Response:
        """Show a ride."""
        return replied(whole(served().show(path[name], partner_caller())))

    def status(**path: str) -> Response:
        """Tell how a ride stands."""
        return replied(status_view(served().show(path[status_by], partner_caller()).ride))

    def cancel(**path: str) -> Response:
        """Cancel a ride that nobody is on the way for."""
        asked = read_body(CancelRide)
        ride = served().cancel(path[name], partner_caller(), reason=asked.reason, note=asked.note)
        return replied(current(served(), ride))

    def cancel_accepted(**path: str) -> Response:
        """Cancel a ride that somebody is on the way for."""
        asked = read_body(CancelRide)
        ride, settled = served().cancel_accepted(
            path[name], partner_caller(), reason=asked.reason, note=asked.note
        )
        return replied(current(served(), ride, settled))

    def cancel_preview(**path: str) -> Response:
        """Tell what canceling a ride would cost now."""
        asked = read_query(PreviewCancellation)
        action, settled = served().cancel_preview(path[name], partner_caller(), reason=asked.reason)
        return replied(
            CancelPreviewView(
                ref=path[name],
                action="cancel" if action is Action.CANCEL else "cancel_accepted",
                fee=dollars(settled.fee),
                refund=dollars(settled.refund),
                reason=settled.why,
            )
        )

    def driver_arrived(**path: str) -> Response:
        """Mark that whoever was accepted is there."""
        return replied(current(served(), served().arrive(path[name], partner_caller())))

    def start(**path: str) -> Response:
        """Mark that the work, or the drive, has begun."""
        return replied(current(served(), served().start(path[name], partner_caller())))

    def complete(**path: str) -> Response:
        """End a ride that somebody came for."""
        asked = read_body(CompleteRide)
        ride, settled = served().complete(
            path[name], partner_caller(), outcome=asked.outcome, invoice=invoice_of(asked.invoice)
        )
        return replied(current(served(), ride, settled))

    one = f"/<{name}>"
    whole_shape, ended, status_shape = shapes.whole, shapes.ended, shapes.status
    for path, view, shape, query, refuses in (
        (f"/<named:{name}>", show, whole_shape, None, ()),
        (f"/<{status_by}>/status", status, status_shape, None, ()),
        (
            f"{one}/cancel-preview",
            cancel_preview,
            PartnerData[CancelPreviewView],
            PreviewCancellation,
            (Conflict,),
        ),
    ):
        routes.add_url_rule(
            path,
            view.__name__,
            view,
            methods=["GET"],
            safe=True,
            query=query,
            returns=shape,
            raises=refuses,
        )
    _add_steps(
        routes,
        one,
        (
            (cancel, "POST", CancelRide, whole_shape),
            (cancel_accepted, "PATCH", CancelRide, ended),
            (driver_arrived, "POST", None, whole_shape),
            (start, "POST", None, whole_shape),
            (complete, "POST", CompleteRide, ended),
        ),
    )


def _add_steps(
    routes: Routes,
    one: str,
    steps: Iterable[tuple[Callable[..., Response], str, type[Any] | None, Any]],
) -> None:
    """Add what is done with one ride, below its address, under the names of the views."""
    for view, method, asks, shape in steps:
        name = view.__name__
        routes.add_url_rule(
            f"{one}/{name.replace('_', '-')}",
            name,
            view,
            methods=[method],
            idempotent=True,
            accepts=asks,
            returns=shape,
            raises=(Conflict,),
        )
