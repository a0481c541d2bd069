"""Requests as providers see them."""

from datetime import datetime
from typing import Any, Literal, Self

from repaircore.dispatch.jobs import ProviderJob
from repaircore.dispatch.model import ProviderKey, RequestStatus
from repaircore.kernel.callers import Environment
from repaircore.kernel.money import dollars
from repaircore.kernel.views import Count, Dollars, view
from repaircore.rides.model import OfferStatus, RideKind, RideOutcome, Status, Vehicle
from repaircore.rides.views import RidePlaceView, RidePositionView, RideVehicleView


@view
class RequestedVehicleView:
    """The vehicle, as shown before the provider is chosen."""

    make: str | None
    model: str | None
    year: str | None
    color: str | None

    @classmethod
    def of(cls, vehicle: Vehicle) -> Self:
        """Return the view of a vehicle."""
        return cls(make=vehicle.make, model=vehicle.model, year=vehicle.year, color=vehicle.color)


@view
class ProviderOfferView:
    """The provider's own offer."""

    price: Dollars
    currency: Literal["USD"] = "USD"
    eta_minutes: Count
    status: OfferStatus
    offered_at: datetime
    expires_at: datetime


@view
class ProviderCustomerView:
    """The customer, as the chosen provider sees them."""

    first_name: str
    phone: str | None


@view
class ProviderRideView:
    """The ride, as shown to the chosen provider: with exact places and the customer."""

    ref: str
    status: Status
    outcome: RideOutcome | None
    customer: ProviderCustomerView | None
    pickup: RidePlaceView
    dropoff: RidePlaceView
    vehicle: RideVehicleView
    notes: str | None
    reason_for_tow: str | None
    destination_changed_at: datetime | None
    eta: datetime | None
    position: RidePositionView | None
    outcomes: list[RideOutcome]

    @classmethod
    def of(cls, job: ProviderJob) -> Self | None:
        """Return the view of a job's ride, or None if the provider does not have the job."""
        if not job.is_chosen:
            return None
        ride, customer = job.ride, job.customer
        return cls(
            ref=ride.ref,
            status=ride.status,
            outcome=ride.outcome,
            customer=None
            if customer is None
            else ProviderCustomerView(first_name=customer.first_name, phone=job.customer_phone),
            pickup=RidePlaceView(
                latitude=ride.pickup.latitude, longitude=ride.pickup.longitude, address=ride.pickup_address
            ),
            dropoff=RidePlaceView(
                latitude=ride.dropoff.latitude,
                longitude=ride.dropoff.longitude,
                address=ride.dropoff_address,
            ),
            vehicle=RideVehicleView.of(ride.vehicle),
            notes=ride.notes,
            reason_for_tow=ride.reason,
            destination_changed_at=ride.destination_changed_at,
            eta=ride.eta_at,
            position=RidePositionView.of(ride.position),
            outcomes=[*job.outcomes],
        )


@view
class ProviderRequestView:
    """A request to a provider. ``ride`` is null unless the provider is chosen: until then only the area is known."""

    ref: str
    environment: Environment
    kind: RideKind
    service: str
    status: RequestStatus
    area: str | None
    distance_miles: float
    trip_miles: float
    vehicle: RequestedVehicleView
    pays: Dollars
    currency: Literal["USD"] = "USD"
    reason: str | None
    offer: ProviderOfferView | None
    ride: ProviderRideView | None
    allowed_actions: list[str]
    scheduled_for: datetime | None
    sent_at: datetime
    expires_at: datetime
    answered_at: datetime | None

    @classmethod
    def of(cls, job: ProviderJob) -> Self:
        """Return the view of a job."""
        request, ride = job.request, job.ride
        return cls(
            ref=request.ref,
            environment=request.environment,
            kind=ride.kind,
            service=ride.service,
            status=request.status,
            area=job.area,
            distance_miles=request.distance_miles,
            trip_miles=ride.fare.distance_miles,
            vehicle=RequestedVehicleView.of(ride.vehicle),
            pays=dollars(job.pays),
            reason=request.reason,
            offer=_offer(job),
            ride=ProviderRideView.of(job),
            allowed_actions=job.allowed_actions,
            scheduled_for=ride.scheduled_for,
            sent_at=request.sent_at,
            expires_at=request.expires_at,
            answered_at=request.answered_at,
        )


@view
class ProviderKeyView:
    """A key of a provider; the key itself is shown only when it is created."""

    provider_ref: str
    environment: Environment
    last4: str
    created_at: datetime
    revoked_at: datetime | None

    @classmethod
    def of(cls, key: ProviderKey) -> Self:
        """Return the view of a key."""
        return cls(**_key_fields(key))


@view
class CreatedProviderKeyView(ProviderKeyView):
    """A new key of a provider, with the key itself and the secret that signs webhooks to the provider."""

    key: str
    webhook_secret: str

    @classmethod
    def created(cls, key: ProviderKey, text: str, *, webhook_secret: str) -> Self:
        """Return the view of a new key."""
        return cls(**_key_fields(key), key=text, webhook_secret=webhook_secret)


def _key_fields(key: ProviderKey) -> dict[str, Any]:
    return {
        "provider_ref": key.provider_ref,
        "environment": key.environment,
        "last4": key.last4,
        "created_at": key.created_at,
        "revoked_at": key.revoked_at,
    }


def _offer(job: ProviderJob) -> ProviderOfferView | None:
    offer = job.offer
    if offer is None:
        return None
    return ProviderOfferView(
        price=dollars(offer.price),
        eta_minutes=offer.eta_minutes,
        status=offer.status,
        offered_at=offer.offered_at,
        expires_at=offer.expires_at,
    )
