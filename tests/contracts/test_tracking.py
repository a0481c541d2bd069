"""Tracking links: who can create them, what they show, and when they end."""

from datetime import timedelta

import pytest
from attrs import evolve
from tests.contracts.partners import add_partner
from tests.contracts.rides import create_ride
from tests.threads import at_once

from repaircore.core import Core
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict
from repaircore.kernel.geo import Point
from repaircore.rides.errors import NoRide
from repaircore.rides.model import Ride
from repaircore.rides.service import Rides
from repaircore.testing.clock import FrozenClock
from repaircore.tracking.errors import NoTrackedRide


@pytest.fixture(params=["rides", "tows"])
def rides(request: pytest.FixtureRequest, core: Core) -> Rides:
    service: Rides = getattr(core, request.param)
    return service


@pytest.fixture
def caller(core: Core) -> PartnerCaller:
    return add_partner(core.storage.database)


@pytest.fixture
def ride(core: Core, rides: Rides, caller: PartnerCaller) -> Ride:
    return create_ride(core, rides, caller)


def token_of(address: str) -> str:
    return address.rpartition("/")[2]


def accept(rides: Rides, ride: Ride, caller: PartnerCaller) -> None:
    (offer, *_) = rides.list_acceptable_offers(ride.ref, caller)
    rides.accept_offer(ride.ref, offer.provider_ref, caller)


def test_link_shows_the_provider_and_ends_with_the_job(
    core: Core, rides: Rides, ride: Ride, caller: PartnerCaller
) -> None:
    token = token_of(core.tracking.share(ride.kind, ride.ref, caller).address)
    pending = core.tracking.open(token)
    accept(rides, ride, caller)
    rides.en_route(ride.ref, caller, position=Point(34.06, -118.24), eta_minutes=9)
    on_the_way = core.tracking.open(token)
    rides.arrive(ride.ref, caller)
    arrived = core.tracking.open(token)
    rides.start(ride.ref, caller)
    core.tracking.open(token)
    rides.complete(ride.ref, caller)

    assert pending.ride.provider_name is None
    assert on_the_way.ride.provider_name is not None
    assert on_the_way.area is not None
    assert on_the_way.miles_left == pytest.approx(0.9, abs=0.1)
    assert (arrived.ride.position, arrived.area) == (None, None)
    with pytest.raises(NoTrackedRide):
        core.tracking.open(token)
    with pytest.raises(Conflict):
        core.tracking.share(ride.kind, ride.ref, caller)


def test_link_stays_the_same_until_revoked(core: Core, ride: Ride, caller: PartnerCaller) -> None:
    addresses = {*at_once(4, lambda: core.tracking.share(ride.kind, ride.ref, caller).address)}
    (first,) = addresses

    assert core.tracking.revoke(ride.kind, ride.ref, caller)
    assert not core.tracking.revoke(ride.kind, ride.ref, caller)
    with pytest.raises(NoTrackedRide):
        core.tracking.open(token_of(first))
    second = core.tracking.share(ride.kind, ride.ref, caller).address
    assert second != first
    assert core.tracking.open(token_of(second)).ride.ref == ride.ref
    with pytest.raises(NoTrackedRide):
        core.tracking.open(token_of(first))


def test_link_ends_once_its_ride_is_overdue(
    core: Core, ride: Ride, caller: PartnerCaller, clock: FrozenClock
) -> None:
    token = token_of(core.tracking.share(ride.kind, ride.ref, caller).address)
    clock.advance(timedelta(minutes=30))

    with pytest.raises(NoTrackedRide):
        core.tracking.open(token)


def test_others_cannot_share_revoke_or_guess(core: Core, ride: Ride, caller: PartnerCaller) -> None:
    address = core.tracking.share(ride.kind, ride.ref, caller).address
    stranger = add_partner(core.storage.database, "Other Inc")
    for who in (stranger, evolve(caller, environment=Environment.LIVE)):
        with pytest.raises(NoRide):
            core.tracking.share(ride.kind, ride.ref, who)
        with pytest.raises(NoRide):
            core.tracking.revoke(ride.kind, ride.ref, who)
    for guess in ("", ride.ref, token_of(address)[:-1], f"{token_of(address)}A", "A" * 24):
        with pytest.raises(NoTrackedRide):
            core.tracking.open(guess)
