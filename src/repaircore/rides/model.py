"""Mobile rides and tow rides, and the offers for them."""

from collections.abc import Mapping
from datetime import date, datetime
from enum import StrEnum
from typing import Final, Self

from attrs import evolve, field, frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.geo import Point
from repaircore.kernel.masked_phones import PHONES_SHOWN, MaskedPhones
from repaircore.kernel.money import Cents, cents, dollars
from repaircore.kernel.timeline import Step
from repaircore.payments.model import Payment
from repaircore.transactions.job_invoice import JobBill


class RideKind(StrEnum):
    """The kinds of rides: mobile rides, which drivers do, and tow rides, which towing businesses do.

    The value is also the prefix of the kind's references and event types.
    """

    MOBILE = "ride"
    TOW = "tow"


class Status(StrEnum):
    """The status of a ride. Mobile rides have ``driver_arrived``, tow rides ``provider_arrived``."""

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
"""The statuses in which a ride has a provider."""


class OfferStatus(StrEnum):
    """The status of an offer."""

    OFFERED = "offered"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


class RideOutcome(StrEnum):
    """The outcome of a ride for which a provider came."""

    COMPLETED = "completed"
    GONE_ON_ARRIVAL = "gone_on_arrival"
    """The customer and the vehicle were gone."""
    UNSUCCESSFUL = "unsuccessful"
    """The service was attempted but did not help."""
    CONVERTED_TO_TOW = "converted_to_tow"
    """The vehicle needs a tow ride, which is linked to this one."""


class CancelReason(StrEnum):
    """Why a ride was canceled; the reason affects the fee."""

    CUSTOMER_CHANGED_MIND = "customer_changed_mind"
    CUSTOMER_NOT_REACHABLE = "customer_not_reachable"
    PROBLEM_SOLVED = "problem_solved"
    WRONG_DETAILS = "wrong_details"
    PROVIDER_LATE = "provider_late"
    PROVIDER_REFUSED = "provider_refused"
    SAFETY = "safety"
    OTHER = "other"


class DispatchStatus(StrEnum):
    """The status of the search for a provider for a pending ride."""

    SCHEDULED = "scheduled"
    """The ride is for later, and no provider has been asked yet."""
    ASKING = "asking"
    """Providers are being asked; none has offered yet."""
    OFFERS = "offers"
    """There are, or were, offers to choose from."""
    NOBODY_LEFT = "nobody_left"
    """Every available provider was asked, and none made an offer."""


class Scenario(StrEnum):
    """What happens to a ride in the test environment."""

    NORMAL = "normal"
    NO_DRIVER = "no_driver"
    """No driver makes an offer."""
    DRIVER_CANCELS = "driver_cancels"
    """The first accepted driver drops out; then others make offers."""
    OFFERS_EXPIRE = "offers_expire"
    """The offers created with the ride expire after one second; later offers stay open as usual."""
    PAYMENT_DECLINED = "payment_declined"
    """The first payment method is always declined; any other is approved."""
    PAYMENT_TIMEOUT = "payment_timeout"
    """The gateway's response to the first authorization is lost."""
    DIFFERENCE_DECLINED = "difference_declined"
    """The first authorization for a changed destination is declined; a later one is approved."""
    PAYMENT_UNAVAILABLE = "payment_unavailable"
    """The gateway never responds to the first authorization, and no money is held."""
    CAPTURE_TIMEOUT = "capture_timeout"
    """The gateway's first response to each capture is lost."""
    VOID_TIMEOUT = "void_timeout"
    """The gateway's first response to each release is lost."""
    REFUND_TIMEOUT = "refund_timeout"
    """The gateway's first response to each refund is lost."""
    DRIVER_DECLINES = "driver_declines"
    """The first offer that the partner tries to accept is withdrawn at that moment; the others stay."""
    PROVIDER_LATE = "provider_late"
    """The accepted provider is already late, and has not arrived."""


@frozen(kw_only=True)
class RideFilter:
    """Selects rides by status, partner reference, customer, creation date (UTC), and whether they are scheduled."""

    status: Status | None = None
    partner_reference: str | None = None
    customer_ref: str | None = None
    date_from: date | None = None
    date_to: date | None = None
    is_scheduled: bool | None = None


ALL_RIDES: Final = RideFilter()


@frozen(kw_only=True)
class Fare:
    """The price of a ride; ``total`` is base fare, distance fare and surcharge, or the minimum if that is more."""

    distance_miles: float
    base_fare: Cents
    distance_fare: Cents
    surcharge: Cents
    minimum: Cents
    total: Cents
    surcharge_reason: str | None = None


@frozen(kw_only=True)
class Vehicle:
    """The vehicle of a ride, as the partner described it."""

    make: str | None = None
    model: str | None = None
    year: str | None = None
    vin: str | None = None
    plate: str | None = None
    color: str | None = None


@frozen(kw_only=True)
class ProviderCard:
    """The accepted provider as the customer sees them: contact and vehicle.

    ``phones`` has the masked number, if any, through which customer and provider call each other.
    """

    phone: str | None = None
    vehicle: str | None = None
    plate: str | None = None
    phones: MaskedPhones = PHONES_SHOWN


@frozen(kw_only=True)
class Position:
    """The last known position of a provider on the way, and when it was reported."""

    latitude: float
    longitude: float
    at: datetime


@frozen(kw_only=True)
class Offer:
    """A provider's offer to do a ride for ``price``, arriving ``eta_minutes`` after it is accepted."""

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
        """Return whether the offer is still undecided and not expired at a time."""
        return self.status is OfferStatus.OFFERED and at < self.expires_at

    def as_of(self, at: datetime) -> "Offer":
        """Return the offer as of a time: expired if it is overdue and undecided, even if this is not stored yet."""
        is_expired = self.status is OfferStatus.OFFERED and at >= self.expires_at
        return self.closed(OfferStatus.EXPIRED, at=self.expires_at) if is_expired else self

    def closed(self, status: OfferStatus, *, at: datetime) -> "Offer":
        """Return the offer with its final status."""
        return evolve(self, status=status, closed_at=at)


@frozen(kw_only=True)
class Ride:
    """A mobile ride or a tow ride.

    ``service`` is a service type or a ride type, as the API names it. ``fare`` is the quoted price, the most that the
    ride may cost; ``price`` is the price of the accepted offer. ``payment_method`` is the gateway's id of the
    customer's payment method. ``session_id`` is the prediction that led to the ride; ``linked_ref`` is the tow ride
    that a mobile ride led to, or the mobile ride that led to a tow ride. ``offer_id`` and ``provider_…`` belong to the
    accepted offer, and become None again if the provider drops out, as do ``en_route_at`` and ``position``, which the
    provider reports. ``dispatch`` is the status of the search for a provider, and ``wave`` counts how often providers
    were asked for this trip. ``scheduled_for`` is when the provider is wanted (None: immediately), and ``ask_at`` when
    providers are asked. ``destination_changed_at`` is when the destination, and with it the price, was last changed on
    the way. ``scenarios`` are simulated in the test environment. ``bill`` is the invoice for work on the vehicle, if
    the partner sent one. Each change increments ``version``.
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
    metadata: Mapping[str, str] | None = None
    session_id: str | None = None
    payment_method: str | None = None
    scenarios: frozenset[Scenario] = frozenset()
    scheduled_for: datetime | None = None
    ask_at: datetime | None = None
    offer_id: int | None = None
    provider_ref: str | None = None
    provider_name: str | None = None
    provider_card: ProviderCard | None = None
    price: Cents | None = None
    eta_at: datetime | None = None
    en_route_at: datetime | None = None
    position: Position | None = None
    dispatch: DispatchStatus | None = None
    wave: int = 0
    destination_changed_at: datetime | None = None
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

    def is_for_later(self, at: datetime) -> bool:
        """Return whether it is too early to ask providers."""
        return self.ask_at is not None and at < self.ask_at

    @property
    def agreed_price(self) -> Cents:
        """Return the price of the accepted offer, or the quoted fare before one is accepted."""
        return self.fare.total if self.price is None else self.price

    @property
    def has_failed(self) -> bool:
        """Return whether the ride was canceled, expired, or ended with an outcome other than ``completed``."""
        if self.status in {Status.CANCELLED, Status.EXPIRED}:
            return True
        return self.outcome not in {None, RideOutcome.COMPLETED}

    def as_of(self, at: datetime) -> "Ride":
        """Return the ride as of a time, including expirations that are not stored yet.

        A pending ride has expired if it is overdue. Any other ride is returned without an expired masked number.
        """
        if self.status is Status.PENDING and at >= self.expires_at:
            return evolve(self, status=Status.EXPIRED)
        return self.with_phones_as_of(at)

    def with_phones_as_of(self, at: datetime) -> "Ride":
        """Return the ride without its masked number if that has expired by a time."""
        card = self.provider_card
        phones = None if card is None else card.phones.as_of(at)
        if card is None or phones is None or phones is card.phones:
            return self
        return evolve(self, provider_card=evolve(card, phones=phones))


@frozen(kw_only=True)
class PreviousTrip:
    """The price and the destination that a ride had before a step of its timeline changed them.

    ``dropoff`` is None if the step was stored by an earlier release.
    """

    total: Cents
    dropoff: Point | None

    @classmethod
    def before(cls, step: Step) -> Self | None:
        """Return the trip before a step, or None if the step did not change it."""
        detail = step.detail or {}
        if "previous_total" not in detail:
            return None
        latitude, longitude = detail.get("previous_latitude"), detail.get("previous_longitude")
        dropoff = None if latitude is None or longitude is None else Point(latitude, longitude)
        return cls(total=cents(detail["previous_total"]), dropoff=dropoff)

    @staticmethod
    def to_detail(ride: Ride) -> dict[str, float]:
        """Return the details to store with a step that changes a ride's trip, so that ``before`` can read them."""
        return {
            "previous_total": dollars(ride.agreed_price),
            "previous_latitude": ride.dropoff.latitude,
            "previous_longitude": ride.dropoff.longitude,
        }


@frozen(kw_only=True)
class RideDetail:
    """A ride with its payments and its timeline."""

    ride: Ride
    payments: tuple[Payment, ...]
    steps: tuple[Step, ...]
