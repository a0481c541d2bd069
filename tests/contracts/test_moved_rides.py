"""Scheduled rides whose time changes, on both databases: providers are asked for the new time only."""

from datetime import datetime, timedelta, tzinfo
from typing import Any

import pytest
from attrs import evolve
from tests.contracts.dispatching import Town
from tests.contracts.partners import add_partner
from tests.contracts.rides import read_record

from repaircore.core import Core
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.geo import Point
from repaircore.rides.model import DispatchStatus, Ride, RideKind
from repaircore.rides.offering import ASKED_BEFORE
from repaircore.rides.requests import CreateRide, Trip
from repaircore.testing.clock import FrozenClock

HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)


@pytest.fixture(params=[*RideKind])
def town(request: pytest.FixtureRequest, core: Core) -> Town:
    partner = add_partner(core.storage.database, environment=Environment.LIVE)
    created = Town.of(core, partner, request.param)
    created.add_providers(3)
    return created


def create_for(town: Town, time: datetime) -> Ride:
    """Create a ride scheduled for a time."""
    now = town.create()
    town.rides.cancel(now.ref, town.partner)
    trip = Trip(service=now.service, pickup=now.pickup, dropoff=now.dropoff, scheduled_for=time)
    passenger: dict[str, Any] = (
        {"customer_ref": now.customer_ref}
        if town.kind is RideKind.MOBILE
        else {"customer_id": now.customer_id}
    )
    return town.rides.create(CreateRide(trip=trip, payment_method="pm_card_visa", **passenger), town.partner)


@pytest.mark.parametrize("hours", [2, 9], ids=["earlier", "later"])
def test_providers_are_asked_for_the_new_time_of_a_ride(town: Town, clock: FrozenClock, hours: int) -> None:
    time = clock() + hours * HOUR
    ride = create_for(town, clock() + 6 * HOUR)
    moved = town.rides.update(ride.ref, lambda _: {"scheduled_for": time}, town.partner)
    again = town.rides.update(ride.ref, lambda _: {"scheduled_for": time}, town.partner)
    clock.advance(hours * HOUR - ASKED_BEFORE - SECOND)
    town.dispatch.run()
    town.rides.expire_due()
    early = town.requests(ride.ref)
    clock.advance(SECOND)
    town.dispatch.run()
    record = read_record(town.core, town.rides, ride.ref)

    assert again == moved
    assert (moved.scheduled_for, moved.ask_at) == (time, time - ASKED_BEFORE)
    assert early == []
    assert len(town.requests(ride.ref)) == 3
    assert [step.action for step in record.steps[:3]] == ["create", "update", "ask_providers"]
    assert [event.rpartition(".")[2] for event in record.events[:2]] == ["created", "updated"]


def test_ride_moved_to_now_asks_providers_in_the_next_run(town: Town, clock: FrozenClock) -> None:
    ride = create_for(town, clock() + 6 * HOUR)
    moved = town.rides.update(ride.ref, lambda _: {"scheduled_for": None}, town.partner)
    town.dispatch.run()

    assert (moved.scheduled_for, moved.ask_at, moved.dispatch) == (None, None, DispatchStatus.ASKING)
    assert len(town.requests(ride.ref)) == 3


def test_asking_wins_over_a_concurrent_move(town: Town, clock: FrozenClock) -> None:
    time = clock() + ASKED_BEFORE + HOUR
    ride = create_for(town, time)
    clock.advance(HOUR - SECOND)

    def ask_meanwhile(point: Point) -> tzinfo:
        if not town.requests(ride.ref):
            clock.advance(SECOND)
            town.dispatch.run()
        return town.rides.zone_at(point)

    slow = evolve(town.rides, zone_at=ask_meanwhile)
    with pytest.raises(Conflict, match="once providers have been asked"):
        slow.update(ride.ref, lambda _: {"scheduled_for": time + HOUR}, town.partner)

    assert town.ride(ride.ref).scheduled_for == time
    assert town.statuses(ride.ref) == ["sent"] * 3
