"""Rides for tests of how they hold, and everything that is kept about one."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import orjson
import sqlalchemy as sa
from attrs import evolve, frozen

from repaircore.adapters.sql.schema.payments import sandbox_charges
from repaircore.adapters.sql.schema.webhooks import events
from repaircore.bootstrap import Core
from repaircore.customers.model import NewCustomer
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.geo import Point
from repaircore.kernel.timeline import Step
from repaircore.payments import books
from repaircore.payments.model import Account, Entry, HeldState, Payment, PaymentState
from repaircore.providers.ports import Providers
from repaircore.rides.model import Offer, OfferStatus, Ride, RideKind, Status
from repaircore.rides.requests import CreateRide, Trip
from repaircore.rides.service import Rides

PICKUP, DROPOFF = Point(34.05, -118.25), Point(34.15, -118.15)
SERVICES = {RideKind.MOBILE: "battery_jump_start", RideKind.TOW: "Flatbed"}
_numbers = count(1)
_WITH_MONEY: Mapping[PaymentState, set[HeldState | None]] = {
    PaymentState.AUTHORIZED: {HeldState.AUTHORIZED},
    PaymentState.CAPTURED: {HeldState.CAPTURED},
    PaymentState.VOIDED: {HeldState.CANCELED, None},
    PaymentState.DECLINED: {HeldState.DECLINED},
}


def asked(core: Core, rides: Rides, caller: PartnerCaller, **told: Any) -> Ride:
    """Have somebody new ask for a ride."""
    number = next(_numbers)
    person = NewCustomer(
        first_name="Ada", last_name="Byron", email=f"ada{number}@example.com", phone=f"+1202555{number:04}"
    )
    who = core.customers.resolve(person, caller).customer
    named = {"customer_ref": who.ref} if rides.kind is RideKind.MOBILE else {"customer_id": who.id}
    trip = Trip(service=SERVICES[rides.kind], pickup=PICKUP, dropoff=DROPOFF)
    return rides.create(CreateRide(trip=trip, **named, **told), caller)


def offered_by(number: int, core: Core, rides: Rides, ref: str) -> list[str]:
    """Have so many offer to do a ride, all of whom are in the directory; give their references."""
    with core.storage.transaction() as work:
        (first, *_) = known = work.offers.of(ref)
        directory: Providers[Any] = work.drivers if rides.kind is RideKind.MOBILE else work.businesses
        stand_in = directory.by_ref(first.provider_ref, Environment.TEST)
        assert stand_in is not None
        more = [f"{ref}_{one}" for one in range(number - len(known))]
        for one in more:
            directory.stand_in(evolve(stand_in, ref=one), one)
        work.offers.add([evolve(first, id=0, provider_ref=one) for one in more])
        return [offer.provider_ref for offer in work.offers.of(ref)]


@frozen(kw_only=True)
class Told:
    """Everything that is kept about a ride."""

    ride: Ride
    offers: Sequence[Offer]
    payments: Sequence[Payment]
    lines: Sequence[Entry]
    steps: Sequence[Step]
    events: Sequence[str]
    numbers: Sequence[int]
    payloads: Sequence[dict[str, Any]]


def told_of(core: Core, rides: Rides, ref: str) -> Told:
    """Read it, in one look."""
    with core.storage.read() as work:
        ride = work.rides.by_ref(ref, rides.kind, None)
        assert ride is not None
        payments = work.payments.of(ref, environment=Environment.TEST)
        offers, steps = work.offers.of(ref), work.timelines.list_for(ref)
        lines = [line for payment in payments for line in work.payments.entries(payment.id)]
    found = sa.select(events.c.type, events.c.sequence, events.c.payload).where(events.c.subject == ref)
    with core.storage.database.transaction(write=False) as connection:
        rows = connection.execute(found.order_by(events.c.sequence)).all()
    return Told(
        ride=ride,
        offers=offers,
        payments=payments,
        lines=lines,
        steps=steps,
        events=[row.type for row in rows],
        numbers=[row.sequence for row in rows],
        payloads=[orjson.loads(row.payload) for row in rows],
    )


def charges_of(core: Core, payments: Sequence[Payment]) -> dict[str, HeldState]:
    """Give what the sandbox holds, or held, for payments, by their ids."""
    keys = {f"{payment.id}/authorize": payment.id for payment in payments}
    with core.storage.database.transaction(write=False) as connection:
        rows = connection.execute(
            sa.select(sandbox_charges).where(sandbox_charges.c.key.in_(keys.keys()))
        ).all()
    return {keys[row.key]: HeldState(row.state) for row in rows}


def require_sound(told: Told) -> None:
    """Demand what holds of every ride at every moment."""
    accepted = [offer for offer in told.offers if offer.status is OfferStatus.ACCEPTED]
    over = {PaymentState.DECLINED, PaymentState.VOIDED}
    assert len(accepted) <= 1
    assert len([payment for payment in told.payments if payment.state not in over]) <= 1
    assert sum(line.cents for line in told.lines) == 0
    for payment in told.payments:
        lines = [line for line in told.lines if line.payment_id == payment.id]
        balances = books.balances(lines)
        assert balances == books.position(payment)
        if payment.state is PaymentState.CAPTURED:
            # What was held is what was taken and what was released.
            held = sum(line.cents for line in lines if line.account is Account.HELD and line.cents > 0)
            taken, paid = balances[Account.PARTNER_REVENUE], -balances[Account.CUSTOMER]
            assert held == payment.amount
            assert (taken, paid) == (payment.captured, payment.captured)
    assert [*told.numbers] == [*range(1, len(told.numbers) + 1)]
    assert told.steps[0].before is None
    assert [step.before for step in told.steps[1:]] == [step.after for step in told.steps[:-1]]
    assert told.steps[-1].after == told.ride.status
    is_on = told.ride.status in {
        Status.ACCEPTED,
        Status.DRIVER_ARRIVED,
        Status.PROVIDER_ARRIVED,
        Status.IN_PROGRESS,
    }
    assert is_on == (PaymentState.AUTHORIZED in {payment.state for payment in told.payments})
    if is_on:
        assert [offer.id for offer in accepted] == [told.ride.offer_id]


def require_settled(core: Core, told: Told) -> None:
    """Demand that nothing is under way, and that the gateway holds what the record says."""
    charges = charges_of(core, told.payments)
    for payment in told.payments:
        assert charges.get(payment.id) in _WITH_MONEY[payment.state]
