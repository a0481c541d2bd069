"""A ride with its payments and timeline, read by one statement on both databases."""

from typing import NoReturn

import pytest
from attrs import evolve
from tests.contracts.partners import add_partner
from tests.contracts.rides import create_ride

from repaircore.core import Core
from repaircore.kernel.callers import Environment, PartnerCaller, ProviderCaller
from repaircore.kernel.errors import Conflict
from repaircore.rides.errors import NoRide
from repaircore.rides.model import RideDetail, RideKind, Scenario, Status, Vehicle


@pytest.fixture
def caller(core: Core) -> PartnerCaller:
    return add_partner(core.storage.database)


def no_unit_of_work() -> NoReturn:
    raise AssertionError("a unit of work was opened")


def test_get_equals_the_records(core: Core, caller: PartnerCaller) -> None:
    vehicle = Vehicle(make="Honda", plate="7ABC123")
    fields = {"vehicle": vehicle, "metadata": {"claim": 'Ünïcode "42"'}, "notes": "By the gate"}
    ref = create_ride(core, core.rides, caller, **fields, sandbox=Scenario.PAYMENT_DECLINED).ref
    (offer, *_) = core.rides.list_acceptable_offers(ref, caller)
    with pytest.raises(Conflict):
        core.rides.accept_offer(ref, offer.provider_ref, caller, claim="one")
    core.rides.update(ref, lambda _: {"payment_method": "pm_other"}, caller)
    core.rides.accept_offer(ref, offer.provider_ref, caller, claim="two")
    core.rides.arrive(ref, caller)
    for each in (ref, create_ride(core, core.rides, caller).ref):
        with core.storage.read() as work:
            ride = work.rides.find(each, RideKind.MOBILE, caller)
            payments = work.payments.list_for(each, environment=caller.environment)
            steps = work.timelines.list_for(each)
        assert ride is not None
        expected = RideDetail(ride=ride, payments=tuple(payments), steps=tuple(steps))
        alone = evolve(core.rides, read=no_unit_of_work, transaction=no_unit_of_work)
        assert alone.get(each, caller) == alone.get(each, None) == expected
    provider = ProviderCaller(provider_ref=offer.provider_ref, environment=caller.environment)

    assert core.rides.get(ref, provider).ride.vehicle == vehicle
    assert len(core.rides.get(ref, caller).payments) == 2
    for kind, unknown, other in (
        (core.rides, ref, evolve(caller, partner_id=caller.partner_id + 1)),
        (core.rides, ref, evolve(caller, environment=Environment.LIVE)),
        (core.rides, ref, evolve(provider, provider_ref="drv_other")),
        (core.tows, ref, caller),
        (core.rides, "ride_none", None),
    ):
        with pytest.raises(NoRide):
            kind.get(unknown, other)


def test_get_sees_writes_of_the_outer_transaction(core: Core, caller: PartnerCaller) -> None:
    ref = create_ride(core, core.rides, caller).ref
    (offer, *_) = core.rides.list_acceptable_offers(ref, caller)
    core.rides.accept_offer(ref, offer.provider_ref, caller, claim="once")
    with core.storage.outer_transaction():
        core.rides.arrive(ref, caller)
        inside = core.rides.get(ref, caller)

    assert (inside.ride.status, inside.steps[-1].action) == (Status.DRIVER_ARRIVED, "driver_arrived")
    assert core.rides.get(ref, caller) == inside
