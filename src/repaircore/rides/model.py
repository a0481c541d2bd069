"""Mobile rides and tow rides, and the offers to do them."""

from datetime import datetime
from enum import StrEnum
from typing import Final

from attrs import evolve, field, frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.geo import Point
from repaircore.kernel.money import Cents
from repaircore.transactions.job_invoice import JobBill


class RideKind(StrEnum):
    """The two kinds: mobile rides, which drivers come to, and tow rides, which towing businesses do.

    A kind's word is also how its references and its events begin.
    """

    MOBILE = "ride"
    TOW = "tow"


class Status(StrEnum):
    """Where a ride stands. Mobile rides have ``driver_arrived``, tow rides ``provider_arrived``."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    DRIVER_ARRIVED = "driver_arrived"
    PROVIDER_ARRIVED = "provider_arrived"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


UNDER_WAY: Final = frozenset(
    {Status.ACCEPTED, Status.DRIVER_ARRIVED, Status.PROVIDER_ARRIVED, Status.IN_PROGRESS}
)
"""Somebody was accepted, who is on this ride until it ends."""


class OfferStatus(StrEnum):
    """Where an offer stands."""

    OFFERED = "offered"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


class RideOutcome(StrEnum):
    """How a ride that a provider came for came out."""

    COMPLETED = "completed"
    GONE_ON_ARRIVAL = "gone_on_arrival"
    """Neither driver nor vehicle were there any more."""
    UNSUCCESSFUL = "unsuccessful"
    """The service was tried, and did not help."""
    CONVERTED_TO_TOW = "converted_to_tow"
    """The vehicle has to be towed; a tow is linked."""


class CancelReason(StrEnum):
    """Why a ride was cancelled, which decides what that costs."""

    CUSTOMER_CHANGED_MIND = "customer_changed_mind"
    CUSTOMER_NOT_REACHABLE = "customer_not_reachable"
    PROBLEM_SOLVED = "problem_solved"
    WRONG_DETAILS = "wrong_details"
    PROVIDER_LATE = "provider_late"
    PROVIDER_REFUSED = "provider_refused"
    SAFETY = "safety"
    OTHER = "other"


class Scenario(StrEnum):
    """What a partner wants to see happen to a ride of the test environment."""

    NORMAL = "normal"
    NO_DRIVER = "no_driver"
    """Nobody offers."""
    DRIVER_CANCELS = "driver_cancels"
    """Whoever is accepted first drops out; others offer then."""
    OFFERS_EXPIRE = "offers_expire"
    """The offers that come in with the ride end after one second; those of others, later, stand as usual."""
    PAYMENT_DECLINED = "payment_declined"
    """The payment method that is tried first is declined, as often as it is tried; another one is good."""
    PAYMENT_TIMEOUT = "payment_timeout"
    """The gateway's answer to the first authorization is lost."""


@frozen(kw_only=True)
class Fare:
    """What a ride costs. ``total`` is base, distance and surcharge, or the minimum where that is more."""

    distance_miles: float
    base_fare: Cents
    distance_fare: Cents
    surcharge: Cents
    minimum: Cents
    total: Cents
    surcharge_reason: str | None = None


@frozen(kw_only=True)
class Vehicle:
    """The vehicle that it is about, as it was told."""

    make: str | None = None
    model: str | None = None
    year: str | None = None


@frozen(kw_only=True)
class Offer:
    """A provider's offer to do a ride: arrives ``eta_minutes`` after being accepted, for ``price``."""

    id: int = 0
    ride_ref: str
    provider_ref: str
    provider_id: int
    provider_name: str
    rating: float | None
    price: Cents
    distance_miles: float
    eta_minutes: int
    status: OfferStatus
    offered_at: datetime
    expires_at: datetime
    closed_at: datetime | None = None

    def is_open(self, at: datetime) -> bool:
        """Tell whether nobody has decided on it, and its time is not over."""
        return self.status is OfferStatus.OFFERED and at < self.expires_at

    def seen(self, at: datetime) -> "Offer":
        """Give the offer as it stands at a moment: one that nobody decided on in time has expired."""
        is_lapsed = self.status is OfferStatus.OFFERED and at >= self.expires_at
        return self.closed(OfferStatus.EXPIRED, at=self.expires_at) if is_lapsed else self

    def closed(self, status: OfferStatus, *, at: datetime) -> "Offer":
        """Give the offer once it is decided."""
        return evolve(self, status=status, closed_at=at)


@frozen(kw_only=True)
class Ride:
    """A mobile ride or a tow ride.

    ``service`` is a service type or a ride type, in wire words. ``fare`` is the price that holds, whoever does it.
    ``payment_method`` is the gateway's name for how the customer pays. ``session_id`` is the prediction that led
    here, ``linked_ref`` the ride that this one became, or came from. ``offer_id`` and ``provider_…`` are the accepted
    offer's, and gone when the provider has dropped out. ``bill`` is what the work on the vehicle came to, where the
    partner told it. Each change counts ``version`` up.
    """

    id: int = 0
    ref: str
    kind: RideKind
    partner_id: int
    environment: Environment
    customer_id: int
    customer_ref: str
    status: Status
    service: str
    pickup: Point
    dropoff: Point
    pickup_address: str | None = None
    dropoff_address: str | None = None
    fare: Fare
    vehicle: Vehicle = field(factory=Vehicle)
    notes: str | None = None
    reason: str | None = None
    partner_reference: str | None = None
    session_id: str | None = None
    payment_method: str | None = None
    scenario: Scenario = Scenario.NORMAL
    offer_id: int | None = None
    provider_ref: str | None = None
    provider_name: str | None = None
    eta_at: datetime | None = None
    accepted_at: datetime | None = None
    arrived_at: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    outcome: RideOutcome | None = None
    cancel_reason: CancelReason | None = None
    cancel_note: str | None = None
    fee: Cents | None = None
    linked_ref: str | None = None
    bill: JobBill | None = None
    rating: int | None = None
    comment: str | None = None
    rated_at: datetime | None = None
    expires_at: datetime
    created_at: datetime
    updated_at: datetime
    version: int = 1

    @property
    def was_in_vain(self) -> bool:
        """Tell whether it has ended without what it was for: nobody came, or what they tried did not help."""
        if self.status in {Status.CANCELLED, Status.EXPIRED}:
            return True
        return self.outcome not in {None, RideOutcome.COMPLETED}

    def seen(self, at: datetime) -> "Ride":
        """Give the ride as it stands at a moment: one that waited in vain has expired, also before that is written."""
        is_over = self.status is Status.PENDING and at >= self.expires_at
        return evolve(self, status=Status.EXPIRED) if is_over else self
