"""Routes of rides: the handlers that mobile rides and tow rides share."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeAlias

from attrs import frozen
from flask import Response

from repaircore.core import Core
from repaircore.kernel.errors import Conflict
from repaircore.rides.model import Ride
from repaircore.rides.progress import CancelRide
from repaircore.rides.requests import RideDetail
from repaircore.rides.service import Rides
from repaircore.rides.settlement import Settlement
from repaircore.rides.views import CancelPreviewView, cancel_preview_view, offer_view, ride_view, status_view
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData
from repaircore_http.guards import Auth, partner_caller
from repaircore_http.json_io import read_body, read_query
from repaircore_http.partner.dialect import PREFIX, partner, reply_data
from repaircore_http.partner.invoices import to_job_invoice
from repaircore_http.partner.rides import CompleteRide, PreviewCancellation
from repaircore_http.routes import Routes

Handler: TypeAlias = Callable[[Rides, str], Response]
"""Answer a request about a ride, given the service of its kind and the ride's reference."""


@frozen(kw_only=True)
class KindOfRide:
    """The differences of a kind's routes: the name of the reference in paths, the responses, a summary for each handler."""

    ref: str
    ride: Any
    ended: Any
    summaries: Mapping[Handler, str]


class RideRoutes(Routes):
    """The routes of mobile rides or of tow rides. ``rides`` returns their service."""

    def __init__(self, name: str, rides: Callable[[Core], Rides]) -> None:
        super().__init__(
            f"partner_{name}_rides",
            url_prefix=f"{PREFIX}/{name}-rides",
            auth=Auth.PARTNER,
            dialect=partner,
            tag=f"partner {name} rides",
        )
        self._rides = rides

    def preload(self, **_path: str) -> None:
        """Load what creating and updating a ride need, before their unit of work begins."""
        self._rides(core()).preload()

    def add(self, path: str, handler: Handler, summary: str, *, method: str = "GET", **options: Any) -> None:
        """Register a handler of both kinds."""

        @wraps(handler)
        def view(**path_values: str) -> Response:
            (ref,) = path_values.values()
            return handler(self._rides(core()), ref)

        view.__doc__ = summary
        self.add_url_rule(path, view_func=view, methods=[method], safe=method == "GET", **options)

    def add_shared(self, kind: KindOfRide) -> None:
        """Register what both kinds have under the same paths."""

        def add(path: str, handler: Handler, returns: Any, **options: Any) -> None:
            summary = kind.summaries[handler]
            self.add(path, handler, summary, returns=PartnerData[returns], raises=(Conflict,), **options)

        change = {"method": "POST", "idempotent": True}
        ref = f"/<{kind.ref}>"
        add(f"{ref}/cancel-preview", cancel_preview, CancelPreviewView, query=PreviewCancellation)
        add(f"{ref}/cancel", cancel, kind.ride, accepts=CancelRide, **change)
        add(
            f"{ref}/cancel-accepted",
            cancel_accepted,
            kind.ended,
            accepts=CancelRide,
            **{**change, "method": "PATCH"},
        )
        add(f"{ref}/driver-arrived", driver_arrived, kind.ride, **change)
        add(f"{ref}/start", start, kind.ride, **change)
        add(f"{ref}/complete", complete, kind.ended, accepts=CompleteRide, **change)


def show(rides: Rides, ref: str) -> Response:
    """Return a ride."""
    return reply_detail(rides.get(ref, partner_caller()))


def status(rides: Rides, ref: str) -> Response:
    """Return the status of a ride."""
    return reply_data(status_view(rides.get(ref, partner_caller()).ride))


def offers(rides: Rides, ref: str) -> Response:
    """List the open offers, the soonest arrival first."""
    acceptable = rides.list_acceptable_offers(ref, partner_caller())
    return reply_data([offer_view(offer, rides.kind) for offer in acceptable])


def cancel(rides: Rides, ref: str) -> Response:
    """Cancel a pending ride."""
    return reply_ride(rides, rides.cancel(ref, partner_caller(), read_body(CancelRide)))


def cancel_accepted(rides: Rides, ref: str) -> Response:
    """Cancel a ride that has a provider."""
    ride, settlement = rides.cancel_accepted(ref, partner_caller(), read_body(CancelRide))
    return reply_ride(rides, ride, settlement=settlement)


def cancel_preview(rides: Rides, ref: str) -> Response:
    """Preview what canceling a ride would cost now."""
    reason = read_query(PreviewCancellation).reason
    action, settlement = rides.preview_cancellation(ref, partner_caller(), reason=reason)
    return reply_data(cancel_preview_view(ref, action, settlement))


def driver_arrived(rides: Rides, ref: str) -> Response:
    """Mark the provider as arrived."""
    return reply_ride(rides, rides.arrive(ref, partner_caller()))


def start(rides: Rides, ref: str) -> Response:
    """Mark the work as started."""
    return reply_ride(rides, rides.start(ref, partner_caller()))


def complete(rides: Rides, ref: str) -> Response:
    """Complete a ride that its provider came for."""
    data = read_body(CompleteRide)
    ride, settlement = rides.complete(
        ref, partner_caller(), outcome=data.outcome, invoice=to_job_invoice(data.invoice)
    )
    return reply_ride(rides, ride, settlement=settlement)


def reply_ride(
    rides: Rides, ride: Ride, *, settlement: Settlement | None = None, status: int = 200
) -> Response:
    """Answer with a ride that was just changed, with its payment and timeline."""
    return reply_detail(rides.get(ride.ref, partner_caller()), settlement=settlement, status=status)


def reply_detail(detail: RideDetail, *, settlement: Settlement | None = None, status: int = 200) -> Response:
    """Answer with a ride, its payment and timeline."""
    view = ride_view(detail.ride, detail.payments, steps=detail.steps, settlement=settlement)
    return reply_data(view, status)
