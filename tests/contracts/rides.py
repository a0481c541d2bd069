"""Rides for tests, and all stored data about one."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import count
from typing import Any

import sqlalchemy as sa
from attrs import evolve, frozen

from repaircore.adapters.sql.schema.payments import sandbox_charges
from repaircore.adapters.sql.schema.webhooks import events
from repaircore.core import Core
from repaircore.customers.model import ResolveCustomer
from repaircore.json_text import decode
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.geo import Point
from repaircore.kernel.timeline import Step
from repaircore.payments import books
from repaircore.payments.model import LAPSED, Account, Entry, GatewayState, Payment, PaymentState
from repaircore.payments.service import UNUSED
from repaircore.providers.ports import Providers
from repaircore.rides.model import Offer, OfferStatus, Ride, RideKind, Status
from repaircore.rides.requests import CreateRide, Trip
from repaircore.rides.service import Rides

PICKUP, DROPOFF = Point(34.05, -118.25), Point(34.15, -118.15)
SERVICES = {RideKind.MOBILE: "battery_jump_start", RideKind.TOW: "Flatbed"}
_numbers = count(1)
_CHARGE_STATES: Mapping[PaymentState, set[GatewayState | None]] = {
    PaymentState.AUTHORIZED: {GatewayState.AUTHORIZED},
    PaymentState.CAPTURED: {GatewayState.CAPTURED},
    PaymentState.VOIDED: {GatewayState.CANCELED, None},
    PaymentState.DECLINED: {GatewayState.DECLINED},
}


def create_ride(core: Core, rides: Rides, caller: PartnerCaller, **fields: Any) -> Ride:
    """Create a ride of a new customer, for now or ``scheduled_for`` a time."""
    scheduled_for: datetime | None = fields.pop("scheduled_for", None)
    number = next(_numbers)
    person = ResolveCustomer(
        first_name="Ada", last_name="Byron", email=f"ada{number}@example.com", phone=f"+1202555{number:04}"
    )
    customer = core.customers.resolve(person, caller).customer
    passenger = (
        {"customer_ref": customer.ref} if rides.kind is RideKind.MOBILE else {"customer_id": customer.id}
    )
    trip = Trip(service=SERVICES[rides.kind], pickup=PICKUP, dropoff=DROPOFF, scheduled_for=scheduled_for)
    return rides.create(CreateRide(trip=trip, **passenger, **fields), caller)


def add_offers(number: int, core: Core, rides: Rides, ref: str) -> list[str]:
    """Add offers of providers of the directory until there are ``number``; return the providers' references."""
    with core.storage.transaction() as work:
        (first, *_) = offers = work.offers.list_for(ref)
        directory: Providers[Any] = work.drivers if rides.kind is RideKind.MOBILE else work.businesses
        provider = directory.find(first.provider_ref, Environment.TEST)
        assert provider is not None
        more = [f"{ref}_{extra}" for extra in range(number - len(offers))]
        for provider_ref in more:
            directory.find_or_add_sandbox(evolve(provider, ref=provider_ref), provider_ref)
        work.offers.add([evolve(first, id=0, provider_ref=provider_ref) for provider_ref in more])
        return [offer.provider_ref for offer in work.offers.list_for(ref)]


@frozen(kw_only=True)
class RideRecord:
    """Everything that is stored about a ride."""

    ride: Ride
    offers: Sequence[Offer]
    payments: Sequence[Payment]
    lines: Sequence[Entry]
    steps: Sequence[Step]
    events: Sequence[str]
    numbers: Sequence[int]
    payloads: Sequence[dict[str, Any]]


def read_record(core: Core, rides: Rides, ref: str) -> RideRecord:
    """Read everything that is stored about a ride."""
    with core.storage.read() as work:
        ride = work.rides.find(ref, rides.kind, None)
        assert ride is not None
        payments = work.payments.list_for(ref, environment=Environment.TEST)
        offers, steps = work.offers.list_for(ref), work.timelines.list_for(ref)
        lines = [line for payment in payments for line in work.payments.list_entries(payment.id)]
    found = sa.select(events.c.type, events.c.sequence, events.c.payload).where(events.c.subject == ref)
    with core.storage.database.transaction(write=False) as connection:
        rows = connection.execute(found.order_by(events.c.sequence)).all()
    return RideRecord(
        ride=ride,
        offers=offers,
        payments=payments,
        lines=lines,
        steps=steps,
        events=[row.type for row in rows],
        numbers=[row.sequence for row in rows],
        payloads=[decode(row.payload) for row in rows],
    )


def charges_of(core: Core, payments: Sequence[Payment]) -> dict[str, GatewayState]:
    """Return the states of the sandbox gateway's charges, by the ids of their payments."""
    keys = {f"{payment.id}/authorize": payment.id for payment in payments}
    with core.storage.database.transaction(write=False) as connection:
        rows = connection.execute(
            sa.select(sandbox_charges).where(sandbox_charges.c.key.in_(keys.keys()))
        ).all()
    return {keys[row.key]: GatewayState(row.state) for row in rows}


def require_consistent(record: RideRecord) -> None:
    """Assert the invariants of a ride."""
    accepted = [offer for offer in record.offers if offer.status is OfferStatus.ACCEPTED]
    ended = {PaymentState.DECLINED, PaymentState.VOIDED}
    assert len(accepted) <= 1
    parts = [payment.part for payment in record.payments if payment.state not in ended]
    assert len({*parts}) == len(parts)
    assert sum(line.cents for line in record.lines) == 0
    for payment in record.payments:
        lines = [line for line in record.lines if line.payment_id == payment.id]
        balances = books.balances(lines)
        assert balances == books.position(payment)
        if payment.state is PaymentState.CAPTURED:
            # Of the authorized amount, the rest that is not captured is released.
            held = sum(line.cents for line in lines if line.account is Account.HELD and line.cents > 0)
            earned, paid = balances[Account.PARTNER_REVENUE], -balances[Account.CUSTOMER]
            assert held == payment.amount
            assert (earned, paid) == (payment.captured, payment.captured)
    assert [*record.numbers] == [*range(1, len(record.numbers) + 1)]
    assert record.steps[0].before is None
    assert [step.before for step in record.steps[1:]] == [step.after for step in record.steps[:-1]]
    assert record.steps[-1].after == record.ride.status
    has_provider = record.ride.status in {
        Status.ACCEPTED,
        Status.DRIVER_ARRIVED,
        Status.PROVIDER_ARRIVED,
        Status.IN_PROGRESS,
    }
    assert has_provider == (PaymentState.AUTHORIZED in {payment.state for payment in record.payments})
    if has_provider:
        authorized = [each.amount for each in record.payments if each.state is PaymentState.AUTHORIZED]
        assert sum(authorized) >= record.ride.fare.total
        assert [offer.id for offer in accepted] == [record.ride.offer_id]


def without_payments(events: Sequence[str]) -> list[str]:
    """Return the types of events without those about the gateway's answers."""
    return [name for name in events if not name.endswith((".payment_captured", ".payment_voided"))]


def require_settled(core: Core, record: RideRecord) -> None:
    """Assert that no payment is pending, the gateway agrees with each, and each end has an event."""
    captured = [payment for payment in record.payments if payment.captured]
    voided = [
        payment
        for payment in record.payments
        if payment.state is PaymentState.VOIDED and payment.reason not in {UNUSED, LAPSED}
    ]
    assert record.events.count(f"{record.ride.kind}.payment_captured") == len(captured)
    assert record.events.count(f"{record.ride.kind}.payment_voided") == len(voided)
    charges = charges_of(core, record.payments)
    for payment in record.payments:
        assert charges.get(payment.id) in _CHARGE_STATES[payment.state]
