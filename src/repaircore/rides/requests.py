"""A ride is priced, asked for, changed and looked at."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias

from attrs import evolve, field, frozen

from repaircore.customers.model import Customer
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.geo import Point, miles
from repaircore.kernel.paging import PER_PAGE, Page, require_page
from repaircore.kernel.references import Kind, reference
from repaircore.kernel.timeline import Step
from repaircore.payments.model import Payment
from repaircore.rides.errors import UnknownCustomer
from repaircore.rides.fares import HONORED_FOR, Quote, fare, require_honored
from repaircore.rides.lifecycles import Action, allowed
from repaircore.rides.model import Fare, Offer, Ride, RideKind, RideOutcome, Scenario, Status, Vehicle
from repaircore.rides.offering import PENDING_FOR
from repaircore.rides.ports import RidesWork
from repaircore.rides.transitions import OfferHistory, RideTransitions

_NOT_LINKABLE: Final = {
    "linked_ref": [
        "This is no ride of yours that was completed with the outcome converted_to_tow and still needs a tow."
    ]
}
_KINDS: Final = {RideKind.MOBILE: Kind.RIDE, RideKind.TOW: Kind.TOW}
_ANYWHERE: Final = Point(0, 0)
_FARTHEST: Final = 500.0
"""Great-circle miles from pickup to dropoff beyond which nobody goes by road for a ride."""


Changes: TypeAlias = Callable[[Ride], dict[str, Any]]
"""Give the fields of a ride that are to change, and what they become, for the ride as it stands."""


@frozen(kw_only=True)
class Trip:
    """What is to be done from where to where: ``service`` is a service type or a ride type, in wire words."""

    service: str
    pickup: Point
    dropoff: Point


@frozen(kw_only=True)
class CreateRide:
    """What a ride is asked for with. The customer is named by reference (rides) or by number (tows)."""

    trip: Trip
    customer_ref: str | None = None
    customer_id: int | None = None
    estimate_id: str | None = None
    pickup_address: str | None = None
    dropoff_address: str | None = None
    vehicle: Vehicle = field(factory=Vehicle)
    notes: str | None = None
    reason: str | None = None
    partner_reference: str | None = None
    session_id: str | None = None
    linked_ref: str | None = None
    payment_method: str | None = None
    sandbox: Scenario = Scenario.NORMAL


@frozen(kw_only=True)
class RideDetail:
    """A ride with all that belongs to it."""

    ride: Ride
    payments: tuple[Payment, ...]
    steps: tuple[Step, ...]


@frozen(kw_only=True)
class ListedRide:
    """A ride in a list, and its payments."""

    ride: Ride
    payments: tuple[Payment, ...]


class RideRequests(RideTransitions):
    """The use cases before anybody is on the way."""

    def read_up(self) -> None:
        """Read what the price of a trip follows from, ahead of a unit of work in which others would wait for it.

        The list of time zones takes the better part of a second, once for each process.
        """
        self.zone_at(_ANYWHERE)

    def estimate(self, trip: Trip, caller: PartnerCaller) -> tuple[str, Quote]:
        """Give what a trip costs now, and the token by which that price is honored for 15 minutes.

        Raises:
            Invalid: on the dropoff: too far away.
        """
        quote = self._quote(trip, caller)
        return self.seal.seal(quote), quote

    def create(self, asked: CreateRide, caller: PartnerCaller) -> Ride:
        """Ask for a ride, at the price of the estimate that is named, else at today's; offers come in with it.

        Raises:
            Invalid: by field: the customer, the estimate, the session or the linked ride is not what it should be.
        """
        at = self.clock()
        ride = self._new_ride(asked, caller, at=at)
        offers = self._invited(ride, OfferHistory(), at=at, are_first=True)
        with self.transaction() as work:
            customer = self._customer(work, asked, caller)
            ride = work.rides.add(evolve(ride, customer_id=customer.id, customer_ref=customer.ref))
            work.timelines.add(ride.ref, Step(at=at, action="create", before=None, after=ride.status))
            if asked.linked_ref is not None:
                self._link(work, ride, asked.linked_ref, caller)
            self._tell(work, ride, "created", *work.offers.add(offers))
            return ride

    def update(self, ref: str, changes: Changes, caller: PartnerCaller) -> Ride:
        """Change what was told of a ride before it ends; the trip, ``service`` and ``payment_method`` while it is pending.

        ``changes`` is asked again when somebody else changed the ride meanwhile. What is told as it is already changes nothing, and is no event.

        Another trip is another price: it is quoted anew, the open offers are withdrawn, and others come in.

        Raises:
            NoRide: the caller has none of this reference.
            Invalid: on the dropoff: too far away; on ``payment_method``, which live rides need.
            Conflict: it has ended, or somebody is on the way and the trip or the payment method was to change.
        """
        while True:
            with self.read() as work:
                ride = self._found(work, ref, caller)
            updated = self._updated(ride, changes(ride), caller)
            if updated is not None:
                return updated

    def show(self, ref: str, caller: PartnerCaller | None) -> RideDetail:
        """Give a ride, its payments and what became of it; ``caller`` None is the operator, who sees everybody's.

        Raises:
            NoRide: the caller has none of this reference.
        """
        with self.read() as work:
            ride = self._found(work, ref, caller)
            return RideDetail(
                ride=ride,
                payments=tuple(work.payments.of(ref, environment=ride.environment)),
                steps=tuple(work.timelines.list_for(ref)),
            )

    def page(
        self,
        caller: PartnerCaller,
        *,
        status: Status | None = None,
        number: int = 1,
        per_page: int = PER_PAGE,
    ) -> Page[ListedRide]:
        """Give a page of the caller's rides, the newest first.

        Raises:
            Invalid: on ``page`` and ``per_page``.
        """
        require_page(number, per_page)
        with self.read() as work:
            page = work.rides.page(self.kind, caller, status=status, number=number, per_page=per_page)
            return _listed(work, page, caller.environment)

    def page_of_all(
        self,
        environment: Environment,
        *,
        partner_id: int | None = None,
        status: Status | None = None,
        standing_for: timedelta | None = None,
        number: int = 1,
        per_page: int = PER_PAGE,
    ) -> Page[ListedRide]:
        """Give a page of the rides of an environment for its operator, the newest first; of one partner, or of all.

        ``standing_for`` leaves those that somebody was accepted for, and that nothing became of for so long.

        Raises:
            Invalid: on ``page`` and ``per_page``.
        """
        require_page(number, per_page)
        with self.read() as work:
            page = work.rides.page_of_all(
                self.kind,
                environment,
                partner_id=partner_id,
                status=status,
                standing_since=None if standing_for is None else self.clock() - standing_for,
                number=number,
                per_page=per_page,
            )
            return _listed(work, page, environment)

    def all_offers(self, ref: str) -> list[Offer]:
        """List every offer that a ride ever had, as it stands now, oldest first, for its operator.

        Raises:
            NoRide: there is none of this reference.
        """
        at = self.clock()
        with self.read() as work:
            return [one.seen(at) for one in work.offers.of(self._found(work, ref, None).ref)]

    def offers(self, ref: str, caller: PartnerCaller) -> list[Offer]:
        """List the offers that can be accepted now, the soonest arrival first; none unless the ride is pending.

        Raises:
            NoRide: the caller has none of this reference.
        """
        with self.read() as work:
            return self._standing(work, self._found(work, ref, caller), at=self.clock())

    def reference_of(self, ref: str, provider: str, caller: PartnerCaller) -> str:
        """Give the reference of a provider who offered, named by it or by number; other texts come back as they are.

        Raises:
            NoRide: the caller has none of this reference.
        """
        with self.read() as work:
            self._found(work, ref, caller)
            numbered = {str(offer.provider_id): offer.provider_ref for offer in work.offers.of(ref)}
        return numbered.get(provider, provider)

    def _updated(self, ride: Ride, changes: dict[str, Any], caller: PartnerCaller) -> Ride | None:
        """Change a ride; None when it is no longer as it was seen."""
        at = self.clock()
        trip = {name: changes[name] for name in ("service", "pickup", "dropoff") if name in changes}
        changed = evolve(ride, **changes)
        is_other = any(getattr(ride, name) != value for name, value in trip.items())
        self._after(ride.seen(at), Action.UPDATE)  # what has ended is refused as that
        if changed == ride:
            return ride
        if ride.status is not Status.PENDING and (is_other or changed.payment_method != ride.payment_method):
            raise Conflict(
                f"The {'trip' if is_other else 'payment method'} of what is {ride.status} cannot be changed.",
                details={"status": str(ride.status), "allowed": allowed(ride)},
            )
        if told := _validate_payment(changed.payment_method, caller):
            raise Invalid(told)
        offers: list[Offer] = []
        if is_other:
            quote = self._quote(
                Trip(service=changed.service, pickup=changed.pickup, dropoff=changed.dropoff), caller
            )
            changes = {**changes, "fare": quote.fare}
            known = self._asked(ride.ref)
            # Whoever offers to go the other way may do so anew.
            decided = evolve(known, offers=[one for one in known.offers if not one.is_open(at)])
            offers = self._invited(evolve(changed, fare=quote.fare), decided, at=at)
        with self.transaction() as work:
            if not self._is_unchanged(work, ride):
                return None
            kept = self._moved(work, ride, Action.UPDATE, detail={"changed": sorted(changes)}, **changes)
            if is_other:
                self._close_offers(work, kept, at=kept.updated_at)
            self._tell(work, kept, "updated", *work.offers.add(offers))
            return kept

    def _quote(self, trip: Trip, caller: PartnerCaller) -> Quote:
        apart = miles(trip.pickup, trip.dropoff)
        if apart > _FARTHEST:
            text = f"The dropoff must be at most {_FARTHEST:g} miles from the pickup."
            raise Invalid({"dropoff_latitude": [text]})
        at = self.clock()
        local = at.astimezone(self.zone_at(trip.pickup))
        return Quote(
            partner_id=caller.partner_id,
            environment=caller.environment,
            kind=self.kind,
            service=trip.service,
            pickup=trip.pickup,
            dropoff=trip.dropoff,
            fare=fare(self.table, trip.service, great_circle_miles=apart, local=local),
            expires_at=at + HONORED_FOR,
        )

    def _new_ride(self, asked: CreateRide, caller: PartnerCaller, *, at: datetime) -> Ride:
        return Ride(
            ref=reference(_KINDS[self.kind], self.new_id()),
            kind=self.kind,
            partner_id=caller.partner_id,
            environment=caller.environment,
            customer_id=0,
            customer_ref="",
            status=Status.PENDING,
            service=asked.trip.service,
            pickup=asked.trip.pickup,
            dropoff=asked.trip.dropoff,
            pickup_address=asked.pickup_address,
            dropoff_address=asked.dropoff_address,
            fare=self._require_sound(asked, caller, at=at),
            vehicle=asked.vehicle,
            notes=asked.notes,
            reason=asked.reason,
            partner_reference=asked.partner_reference,
            session_id=asked.session_id,
            linked_ref=asked.linked_ref,
            payment_method=asked.payment_method,
            scenario=asked.sandbox,
            expires_at=at + PENDING_FOR,
            created_at=at,
            updated_at=at,
        )

    def _require_sound(self, asked: CreateRide, caller: PartnerCaller, *, at: datetime) -> Fare:
        """Give the price that holds; everything that is wrong is named at once."""
        told: dict[str, Sequence[str]] = {}
        price: Fare | None = None
        try:
            price = self._price(asked, caller, at=at)
        except Invalid as bad:
            told |= bad.fields
        with self.read() as work:
            try:
                self._customer(work, asked, caller)
            except UnknownCustomer as unknown:
                told |= unknown.fields
            if asked.linked_ref is not None:
                ride = work.rides.by_ref(asked.linked_ref, RideKind.MOBILE, caller)
                told |= {} if self._needs_a_tow(work, ride) else _NOT_LINKABLE
        if caller.environment is Environment.LIVE and asked.sandbox is not Scenario.NORMAL:
            told["sandbox"] = ["The sandbox field counts in the test environment alone."]
        told |= _validate_payment(asked.payment_method, caller)
        if asked.session_id is not None and not self.was_predicted(asked.session_id, caller.environment):
            told["session_id"] = ["There is no prediction of this session id."]
        if told or price is None:
            raise Invalid(told)
        return price

    def _price(self, asked: CreateRide, caller: PartnerCaller, *, at: datetime) -> Fare:
        quote = self._quote(asked.trip, caller)
        if asked.estimate_id is None:
            return quote.fare
        return require_honored(self.seal.open(asked.estimate_id), quote, at=at)

    def _customer(self, work: RidesWork, asked: CreateRide, caller: PartnerCaller) -> Customer:
        if asked.customer_ref is not None:
            known, field = work.customers.by_ref(asked.customer_ref, caller), "passenger_ref"
        else:
            known, field = work.customers.by_id(asked.customer_id or 0, caller), "passenger_id"
        if known is None:
            raise UnknownCustomer(field)
        return known

    def _link(self, work: RidesWork, tow: Ride, ref: str, caller: PartnerCaller) -> None:
        """Link the ride that the tow was made of; of several tows at once, one."""
        ride = work.rides.lock(ref, RideKind.MOBILE, caller)
        if ride is None or not self._needs_a_tow(work, ride):
            raise Invalid(_NOT_LINKABLE)
        kept = self._moved(work, ride, Action.LINK, detail={"linked_ref": tow.ref}, linked_ref=tow.ref)
        self._tell(work, kept, "updated")

    def _needs_a_tow(self, work: RidesWork, ride: Ride | None) -> bool:
        """Tell whether a mobile ride is to be followed by a tow, and by none that is under way or has done it."""
        if ride is None or ride.outcome is not RideOutcome.CONVERTED_TO_TOW:
            return False
        if ride.linked_ref is None:
            return True
        tow = work.rides.by_ref(ride.linked_ref, RideKind.TOW, None)
        return tow is not None and tow.seen(self.clock()).was_in_vain


def _validate_payment(method: str | None, caller: PartnerCaller) -> dict[str, Sequence[str]]:
    if (method or "").strip() or caller.environment is not Environment.LIVE:
        return {}
    return {"payment_method": ["The payment method field is required in the live environment."]}


def _listed(work: RidesWork, page: Page[Ride], environment: Environment) -> Page[ListedRide]:
    paid = work.payments.of_each([ride.ref for ride in page], environment=environment)
    items = tuple(ListedRide(ride=ride, payments=tuple(paid.get(ride.ref, ()))) for ride in page)
    return Page(items=items, number=page.number, per_page=page.per_page, total=page.total)
