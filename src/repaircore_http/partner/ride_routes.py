"""Routes of rides: the handlers that mobile rides and tow rides share."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeAlias

from attrs import frozen
from flask import Response, g

from repaircore.core import Core
from repaircore.destinations.service import DestinationChanges
from repaircore.destinations.views import DestinationQuoteView
from repaircore.json_text import encode
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Conflict, Unavailable
from repaircore.kernel.geo import Point
from repaircore.kernel.money import cents
from repaircore.proofs.views import ProofView
from repaircore.rides.fare_views import ReceiptView
from repaircore.rides.model import Ride, RideDetail, RideKind
from repaircore.rides.progress import CancelRide, RefundRide
from repaircore.rides.service import Rides
from repaircore.rides.settlement import CancelPreviewView, Settlement, cancel_preview_view
from repaircore.rides.views import AnyStatusView, RideView, offer_view, ride_view, status_view
from repaircore.sandbox.service import ActAsProvider
from repaircore.tracking.views import RevokedLinkView, TrackingLinkView
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData
from repaircore_http.fast_path.lane import fast_get
from repaircore_http.guards import Auth, partner_caller
from repaircore_http.idempotency import current_claim
from repaircore_http.json_io import read_body, read_query
from repaircore_http.partner.dialect import PREFIX, partner, reply_data
from repaircore_http.partner.invoices import to_job_invoice
from repaircore_http.partner.rides import (
    ChangeDestination,
    CompleteRide,
    PreviewCancellation,
    PreviewDestination,
    RefundInput,
)
from repaircore_http.routes import RawResponse, Routes

Handler: TypeAlias = Callable[[Rides, str], Response]
"""Return the response to a request about a ride, given the service of its kind and the ride's reference."""

Read: TypeAlias = Callable[[Rides, str, PartnerCaller], object]
"""Return the view of a caller's ride, given the service of its kind and the ride's reference."""


@frozen(kw_only=True)
class KindOfRide:
    """What is specific to the routes of a kind: the reference's name in paths, the responses, and the summaries."""

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
        """Load what creating or updating a ride needs, before its unit of work begins."""
        self._rides(core()).preload()

    def authorize_destination(self, **path: str) -> None:
        """Authorize the price difference of a new destination, before the unit of work that changes it begins."""
        (ref,) = path.values()
        changes, data = _changes(self._rides(core())), read_body(ChangeDestination)
        g.authorized_difference = changes.authorize(
            ref,
            data.estimate_id,
            partner_caller(),
            payment_method=data.payment_method,
            claim=current_claim(),
        )

    def add(self, path: str, handler: Handler, summary: str, *, method: str = "GET", **options: Any) -> None:
        """Register a handler that both kinds share."""

        @wraps(handler)
        def view(**path_values: str) -> Response:
            (ref,) = path_values.values()
            return handler(self._rides(core()), ref)

        view.__doc__ = summary
        self.add_url_rule(path, view_func=view, methods=[method], safe=method == "GET", **options)

    def add_read(self, path: str, read: Read, summary: str, **options: Any) -> None:
        """Register a route that partners poll, which the fast lane handles."""

        def answer(served: Core, caller: PartnerCaller, ref: str) -> bytes:
            return encode(PartnerData(data=read(self._rides(served), ref, caller)))

        answer.__name__, answer.__doc__ = read.__name__, summary
        fast_get(self, path, **options)(answer)

    def add_picture(self, kind: KindOfRide) -> None:
        """Register the picture of a proof, whose path has two references."""

        def picture(**path: str) -> Response:
            ref, proof = path.values()
            found = core().proofs.picture(self._rides(core()).kind, ref, proof, partner_caller())
            answer = Response(found.content, content_type=found.media_type)
            answer.headers["X-Content-Type-Options"] = "nosniff"
            return answer

        picture.__doc__ = "Fetch a photo or a signature."
        self.add_url_rule(
            f"/<{kind.ref}>/proofs/<proof>",
            view_func=picture,
            methods=["GET"],
            safe=True,
            returns=RawResponse(media_type="image/jpeg, image/png", description="The picture."),
        )

    def add_shared(self, kind: KindOfRide) -> None:
        """Register the routes that both kinds have under the same paths."""

        def add(path: str, handler: Handler, returns: Any, **options: Any) -> None:
            summary = kind.summaries[handler]
            self.add(path, handler, summary, returns=PartnerData[returns], raises=(Conflict,), **options)

        change = {"method": "POST", "idempotent": True}
        ref = f"/<{kind.ref}>"
        add(f"{ref}/receipt", receipt, ReceiptView)
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
        add(
            f"{ref}/destination-preview",
            preview_destination,
            DestinationQuoteView,
            accepts=PreviewDestination,
            method="POST",
        )
        add(f"{ref}/proofs", list_proofs, list[ProofView])
        add(f"{ref}/tracking-link", share_link, TrackingLinkView, **change)
        self.add(
            f"{ref}/tracking-link",
            revoke_link,
            kind.summaries[revoke_link],
            method="DELETE",
            idempotent=True,
            returns=PartnerData[RevokedLinkView],
        )
        self.add_picture(kind)
        priced: Any = {**change, "prepare": self.authorize_destination, "accepts": ChangeDestination}
        ride: Any = kind.ride
        priced |= {"returns": PartnerData[ride], "raises": (Conflict, Unavailable)}
        summary = kind.summaries[change_destination]
        self.add(f"{ref}/change-destination", change_destination, summary, **priced)
        add(f"{ref}/refund", refund, kind.ride, accepts=RefundInput, **change)
        add(f"{ref}/sandbox", sandbox, kind.ride, accepts=ActAsProvider, **change)


def show(rides: Rides, ref: str, caller: PartnerCaller) -> RideView:
    """Return a ride."""
    detail = rides.get(ref, caller)
    return ride_view(detail.ride, detail.payments, steps=detail.steps)


def status(rides: Rides, ref: str, caller: PartnerCaller) -> AnyStatusView:
    """Return the status of a ride."""
    return status_view(rides.get(ref, caller).ride)


def receipt(rides: Rides, ref: str) -> Response:
    """Return what a ride cost."""
    return reply_data(ReceiptView.of(rides.get(ref, partner_caller())))


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


def preview_destination(rides: Rides, ref: str) -> Response:
    """Preview what another destination would cost."""
    data = read_body(PreviewDestination)
    dropoff = Point(data.dropoff_latitude, data.dropoff_longitude)
    token, quote = _changes(rides).preview(ref, dropoff, partner_caller())
    return reply_data(DestinationQuoteView.of(quote, token))


def change_destination(rides: Rides, ref: str) -> Response:
    """Change the destination at the price that was previewed."""
    changed = _changes(rides).assign(
        ref,
        g.authorized_difference,
        partner_caller(),
        dropoff_address=read_body(ChangeDestination).dropoff_address,
    )
    return reply_ride(rides, changed)


def list_proofs(rides: Rides, ref: str) -> Response:
    """List the proofs of a ride."""
    return reply_data(
        [ProofView.of(proof) for proof in core().proofs.list_for(rides.kind, ref, partner_caller())]
    )


def share_link(rides: Rides, ref: str) -> Response:
    """Return the link to follow a ride."""
    return reply_data(TrackingLinkView.of(core().tracking.share(rides.kind, ref, partner_caller())))


def revoke_link(rides: Rides, ref: str) -> Response:
    """Revoke the link to follow a ride."""
    return reply_data(RevokedLinkView(revoked=core().tracking.revoke(rides.kind, ref, partner_caller())))


def refund(rides: Rides, ref: str) -> Response:
    """Refund what a ride cost, in full or in part."""
    data = read_body(RefundInput)
    amount = None if data.amount is None else cents(data.amount)
    refunded = rides.refund(ref, RefundRide(amount=amount, reason=data.reason), partner_caller())
    return reply_ride(rides, refunded)


def sandbox(rides: Rides, ref: str) -> Response:
    """Make a provider of the test environment act."""
    acted = core().sandbox.act(rides.kind, ref, read_body(ActAsProvider), partner_caller())
    return reply_ride(rides, acted)


def complete(rides: Rides, ref: str) -> Response:
    """Complete a ride that its provider came for."""
    data = read_body(CompleteRide)
    ride, settlement = rides.complete(
        ref, partner_caller(), outcome=data.outcome, invoice=to_job_invoice(data.invoice)
    )
    return reply_ride(rides, ride, settlement=settlement)


def _changes(rides: Rides) -> DestinationChanges:
    return core().tow_destinations if rides.kind is RideKind.TOW else core().ride_destinations


def reply_ride(
    rides: Rides, ride: Ride, *, settlement: Settlement | None = None, status: int = 200
) -> Response:
    """Return a response with a ride that was just changed, its payment and its timeline."""
    return reply_detail(rides.get(ride.ref, partner_caller()), settlement=settlement, status=status)


def reply_detail(detail: RideDetail, *, settlement: Settlement | None = None, status: int = 200) -> Response:
    """Return a response with a ride, its payment and its timeline."""
    view = ride_view(detail.ride, detail.payments, steps=detail.steps, settlement=settlement)
    return reply_data(view, status)
