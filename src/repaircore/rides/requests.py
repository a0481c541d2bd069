"""Use cases for requests by partners: quote a price, create a ride, and update it."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeAlias

from attrs import evolve, field, frozen

from repaircore.customers.model import Customer
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.geo import Point
from repaircore.kernel.money import dollars
from repaircore.kernel.references import Kind, reference
from repaircore.kernel.rules import FieldErrors
from repaircore.kernel.timeline import Step
from repaircore.kernel.views import iso_utc
from repaircore.rides.errors import UnknownCustomer
from repaircore.rides.fares import HONORED_FOR, Quote, fare, require_distance, require_honored
from repaircore.rides.lifecycles import Action, allowed
from repaircore.rides.model import (
    DispatchStatus,
    Fare,
    Offer,
    PreviousTrip,
    Ride,
    RideKind,
    RideOutcome,
    Scenario,
    Status,
    Vehicle,
)
from repaircore.rides.offering import OfferHistory, ask_time, expiry, validate_schedule
from repaircore.rides.ports import RidesWork
from repaircore.rides.transitions import RideTransitions, dispatch_status

_NOT_LINKABLE: Final = {
    "linked_ref": [
        "The linked ref field must be one of your rides that ended as converted_to_tow and has no tow yet."
    ]
}
_KINDS: Final = {RideKind.MOBILE: Kind.RIDE, RideKind.TOW: Kind.TOW}
_ANYWHERE: Final = Point(0, 0)


RideChanges: TypeAlias = Callable[[Ride], dict[str, Any]]
"""Return the changed fields and their new values, given the current ride."""


@frozen(kw_only=True)
class Trip:
    """A service, its pickup and dropoff, and its time (None: now); ``service`` is a service type or a ride type."""

    service: str
    pickup: Point
    dropoff: Point
    scheduled_for: datetime | None = None


@frozen(kw_only=True)
class CreateRide:
    """The input for a new ride. Mobile rides identify the customer by reference, tow rides by id.

    In the test environment, ``sandbox`` is a scenario and ``scenarios`` are further ones; all of them apply.
    """

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
    metadata: Mapping[str, str] | None = None
    session_id: str | None = None
    linked_ref: str | None = None
    payment_method: str | None = None
    sandbox: Scenario = Scenario.NORMAL
    scenarios: Sequence[Scenario] = ()


@frozen(kw_only=True)
class _NewTrip:
    """What changes along with a ride's trip: the price, other ``fields``, the step's ``detail``, and the offers."""

    fare: Fare
    fields: Mapping[str, Any]
    detail: Mapping[str, Any]
    offers: Sequence[Offer]


class RideRequests(RideTransitions):
    """Use cases for quoting the price of a trip, and for creating and updating rides."""

    def preload(self) -> None:
        """Load the time zones, which prices depend on; call this before a unit of work whose locks others wait for.

        Loading them takes most of a second, once per process.
        """
        self.zone_at(_ANYWHERE)

    def estimate(self, trip: Trip, caller: PartnerCaller) -> tuple[str, Quote]:
        """Quote the current price of a trip; return a token that secures it for 15 minutes, and the quote.

        Raises:
            Invalid: the dropoff is too far away (``dropoff_latitude``), or ``scheduled_for`` is past or too far ahead.
        """
        if errors := validate_schedule(trip.scheduled_for, at=self.clock()):
            raise Invalid(errors)
        quote = self._quote(trip, caller)
        return self.seal.seal(quote), quote

    def create(self, data: CreateRide, caller: PartnerCaller) -> Ride:
        """Create a ride at the price of the given estimate, or else at the current price.

        Its first offers are created with it, unless it is scheduled for later.

        Raises:
            Invalid: with every bad field, such as the customer, the estimate, the session or the linked ride.
        """
        at = self.clock()
        ride = self._new_ride(data, caller, at=at)
        if ride.is_for_later(at):
            offers, status = [], DispatchStatus.SCHEDULED
        else:
            offers = self._new_offers(ride, OfferHistory(), at=at, are_first=True)
            status = dispatch_status(offers)
        ride = evolve(ride, dispatch=status)
        with self.transaction() as work:
            customer = self._customer(work, data, caller)
            ride = work.rides.add(evolve(ride, customer_id=customer.id, customer_ref=customer.ref))
            detail = None if ride.scheduled_for is None else {"scheduled_for": iso_utc(ride.scheduled_for)}
            step = Step(at=at, action="create", before=None, after=ride.status, detail=detail)
            work.timelines.add(ride.ref, step)
            if data.linked_ref is not None:
                self._link(work, ride, data.linked_ref, caller)
            self._add_events(work, ride, "created", *work.offers.add(offers))
            return ride

    def update(self, ref: str, changes: RideChanges, caller: PartnerCaller) -> Ride:
        """Update a ride that has not ended.

        The trip, service and payment method can only change while the ride is pending, and its time only until
        providers are asked. A new trip has a new price: it is quoted again, and new offers replace the open offers.
        ``changes`` is called again if the ride changed in the meantime. Values that are already stored change nothing
        and cause no event.

        Raises:
            NoRide: the caller has no ride with this reference.
            Invalid: the dropoff is too far away (``dropoff_latitude``), ``scheduled_for`` is past or too far ahead, or
                ``payment_method`` is missing, which live rides need.
            Conflict: the ride has ended, or its trip, time or payment method can no longer change.
        """
        while True:
            with self.read() as work:
                ride = self._get(work, ref, caller)
            updated = self._update(ride, changes(ride), caller)
            if updated is not None:
                return updated

    def _update(self, ride: Ride, changes: dict[str, Any], caller: PartnerCaller) -> Ride | None:
        """Update a ride; return None if it changed since it was read."""
        at = self.clock()
        changed = evolve(ride, **changes)
        self._next_status(ride.as_of(at), Action.UPDATE)  # reject a ride that has ended before anything else
        if changed == ride:
            return ride
        _require_updatable(ride, changed, caller, at=at)
        if _trip(changed) == _trip(ride):
            return self._store_update(ride, changes)
        new = self._new_trip(ride, changed, caller, at=at)
        return self._store_update(ride, {**changes, "fare": new.fare}, new)

    def _new_trip(self, ride: Ride, changed: Ride, caller: PartnerCaller, *, at: datetime) -> _NewTrip:
        """Return what changes along with a pending ride's trip: its price, times and search for a provider."""
        when, fare = changed.scheduled_for, self._quote(_trip(changed), caller).fare
        detail: dict[str, Any] = {"total": dollars(fare.total), **PreviousTrip.to_detail(ride)}
        times: dict[str, Any] = {}
        if when != ride.scheduled_for:
            times = {"ask_at": ask_time(when), "expires_at": expiry(when, at=at)}
            # No provider was asked for the old time, so the old trip need not be recorded.
            detail = {} if when is None else {"scheduled_for": iso_utc(when)}
        changed = evolve(changed, fare=fare, **times)
        offers, status = [], DispatchStatus.SCHEDULED
        if not changed.is_for_later(at):
            offers = self._offers_for_other_trip(changed, at=at)
            status = dispatch_status(offers)
        fields = {**times, "dispatch": status, "wave": 0}
        return _NewTrip(fare=fare, fields=fields, detail=detail, offers=offers)

    def _store_update(
        self, ride: Ride, changes: Mapping[str, Any], new: _NewTrip | None = None
    ) -> Ride | None:
        """Store the changed fields, and what a new trip changes; return None if the ride changed since it was read."""
        with self.transaction() as work:
            if not self._lock_unchanged(work, ride):
                return None
            if new is None:
                detail = {"changed": sorted(changes)}
                saved = self._apply(work, ride, Action.UPDATE, detail=detail, **changes)
                self._add_events(work, saved, "updated")
                return saved
            detail = {"changed": sorted(changes), **new.detail}
            saved = self._apply(work, ride, Action.UPDATE, detail=detail, **changes, **new.fields)
            self._close_offers(work, saved, at=saved.updated_at)
            self._add_events(work, saved, "updated", *work.offers.add(new.offers))
            return saved

    def _offers_for_other_trip(self, ride: Ride, *, at: datetime) -> list[Offer]:
        history = self._offer_history(ride.ref)
        # Providers with an open offer for the old trip are asked again for the new one.
        decided = [offer for offer in history.offers if not offer.is_open(at)]
        return self._new_offers(ride, evolve(history, offers=decided), at=at)

    def _quote(self, trip: Trip, caller: PartnerCaller) -> Quote:
        distance = require_distance(trip.pickup, trip.dropoff)
        at = self.clock()
        local = (trip.scheduled_for or at).astimezone(self.zone_at(trip.pickup))
        return Quote(
            partner_id=caller.partner_id,
            environment=caller.environment,
            kind=self.kind,
            service=trip.service,
            pickup=trip.pickup,
            dropoff=trip.dropoff,
            scheduled_for=trip.scheduled_for,
            fare=fare(self.fares, trip.service, great_circle_miles=distance, local=local),
            expires_at=at + HONORED_FOR,
        )

    def _new_ride(self, data: CreateRide, caller: PartnerCaller, *, at: datetime) -> Ride:
        return Ride(
            ref=reference(_KINDS[self.kind], self.new_id()),
            kind=self.kind,
            partner_id=caller.partner_id,
            environment=caller.environment,
            customer_id=0,
            customer_ref="",
            status=Status.PENDING,
            service=data.trip.service,
            pickup=data.trip.pickup,
            dropoff=data.trip.dropoff,
            pickup_address=data.pickup_address,
            dropoff_address=data.dropoff_address,
            fare=self._validated_fare(data, caller, at=at),
            vehicle=data.vehicle,
            notes=data.notes,
            reason=data.reason,
            partner_reference=data.partner_reference,
            metadata=data.metadata,
            session_id=data.session_id,
            linked_ref=data.linked_ref,
            payment_method=data.payment_method,
            scenarios=frozenset({data.sandbox, *data.scenarios} - {Scenario.NORMAL}),
            scheduled_for=data.trip.scheduled_for,
            ask_at=ask_time(data.trip.scheduled_for),
            expires_at=expiry(data.trip.scheduled_for, at=at),
            created_at=at,
            updated_at=at,
        )

    def _validated_fare(self, data: CreateRide, caller: PartnerCaller, *, at: datetime) -> Fare:
        """Return the agreed price of a new ride.

        Raises:
            Invalid: with every bad field of the ride, not only those that affect the price.
        """
        errors: dict[str, Sequence[str]] = {}
        price: Fare | None = None
        try:
            price = self._price(data, caller, at=at)
        except Invalid as invalid:
            errors |= invalid.fields
        errors |= validate_schedule(data.trip.scheduled_for, at=at)
        errors |= self._validate_records(data, caller)
        if caller.environment is Environment.LIVE:
            errors |= _only_in_test(data)
        errors |= _validate_payment_method(data.payment_method, caller)
        if data.session_id is not None and not self.has_prediction(data.session_id, caller.environment):
            errors["session_id"] = ["There is no prediction with this session id."]
        if errors or price is None:
            raise Invalid(errors)
        return price

    def _validate_records(self, data: CreateRide, caller: PartnerCaller) -> dict[str, Sequence[str]]:
        """Return the errors in the customer and the linked ride."""
        errors: dict[str, Sequence[str]] = {}
        with self.read() as work:
            try:
                self._customer(work, data, caller)
            except UnknownCustomer as unknown:
                errors |= unknown.fields
            if data.linked_ref is not None:
                ride = work.rides.find(data.linked_ref, RideKind.MOBILE, caller)
                errors |= {} if self._needs_tow(work, ride) else _NOT_LINKABLE
        return errors

    def _price(self, data: CreateRide, caller: PartnerCaller, *, at: datetime) -> Fare:
        quote = self._quote(data.trip, caller)
        if data.estimate_id is None:
            return quote.fare
        return require_honored(self.seal.open(data.estimate_id), quote, at=at)

    def _customer(self, work: RidesWork, data: CreateRide, caller: PartnerCaller) -> Customer:
        if data.customer_ref is not None:
            customer, name = work.customers.find(data.customer_ref, caller), "passenger_ref"
        else:
            customer, name = work.customers.find_by_id(data.customer_id or 0, caller), "passenger_id"
        if customer is None:
            raise UnknownCustomer(name)
        return customer

    def _link(self, work: RidesWork, tow: Ride, ref: str, caller: PartnerCaller) -> None:
        """Link a new tow to the ride that it follows; the lock lets only one of several concurrent tows succeed."""
        ride = work.rides.lock(ref, RideKind.MOBILE, caller)
        if ride is None or not self._needs_tow(work, ride):
            raise Invalid(_NOT_LINKABLE)
        saved = self._apply(work, ride, Action.LINK, detail={"linked_ref": tow.ref}, linked_ref=tow.ref)
        self._add_events(work, saved, "updated")

    def _needs_tow(self, work: RidesWork, ride: Ride | None) -> bool:
        """Return whether a mobile ride was converted to a tow, and has either no tow ride or one that failed."""
        if ride is None or ride.outcome is not RideOutcome.CONVERTED_TO_TOW:
            return False
        if ride.linked_ref is None:
            return True
        tow = work.rides.find(ride.linked_ref, RideKind.TOW, None)
        return tow is not None and tow.as_of(self.clock()).has_failed


def _trip(ride: Ride) -> Trip:
    return Trip(
        service=ride.service, pickup=ride.pickup, dropoff=ride.dropoff, scheduled_for=ride.scheduled_for
    )


def _require_updatable(ride: Ride, changed: Ride, caller: PartnerCaller, *, at: datetime) -> None:
    """Require that a ride's status allows a change, and that the changed fields are valid.

    Raises:
        Conflict: its trip, time or payment method can no longer change.
        Invalid: ``scheduled_for`` or ``payment_method`` is invalid.
    """
    if ride.status is not Status.PENDING:
        _require_same_order(ride, changed)
    errors = _validate_payment_method(changed.payment_method, caller)
    if changed.scheduled_for != ride.scheduled_for:
        _require_unasked(ride, at)
        errors = {**errors, **validate_schedule(changed.scheduled_for, at=at)}
    if errors:
        raise Invalid(errors)


def _require_same_order(ride: Ride, changed: Ride) -> None:
    """Raise a Conflict if a change to a ride that is no longer pending affects its trip or its payment method."""
    hint = ""
    if _trip(changed) != _trip(ride):
        name = "trip"
        if evolve(_trip(changed), dropoff=ride.dropoff) == _trip(ride):
            hint = " To change the destination, get its price from destination-preview."
    elif changed.payment_method != ride.payment_method:
        name = "payment method"
    else:
        return
    raise Conflict(
        f"The {name} cannot be changed once a provider has been accepted.{hint}",
        details={"status": str(ride.status), "allowed": allowed(ride)},
    )


def _require_unasked(ride: Ride, at: datetime) -> None:
    """Raise a Conflict if providers have already been asked, since they were asked about the time scheduled so far."""
    if not ride.is_for_later(at):
        raise Conflict(
            "The time of a ride cannot be changed once providers have been asked. Cancel the ride and create another.",
            details={"status": str(ride.status), "allowed": allowed(ride)},
        )


def _only_in_test(data: CreateRide) -> FieldErrors:
    sent = {"sandbox": (data.sandbox,), "scenarios": data.scenarios}
    return {
        name: [f"The {name} field is only allowed in the test environment."]
        for name, scenarios in sent.items()
        if set(scenarios) - {Scenario.NORMAL}
    }


def _validate_payment_method(method: str | None, caller: PartnerCaller) -> FieldErrors:
    if (method or "").strip() or caller.environment is not Environment.LIVE:
        return {}
    return {"payment_method": ["The payment method field is required in the live environment."]}
