"""What rides do about money when something goes wrong between them and it."""

from datetime import timedelta

import pytest
from attrs import evolve
from tests.contracts.partners import a_partner
from tests.contracts.rides import asked, charges_of, demand_sound, told_of

from repaircore.adapters.payments.stripe import SECONDS
from repaircore.bootstrap import Core
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Invalid
from repaircore.kernel.partners import PartnerCaller
from repaircore.payments.errors import GatewayUnavailable
from repaircore.payments.model import HeldState, PaymentState
from repaircore.payments.reconciling import OLDER_THAN
from repaircore.rides.errors import BeingAccepted
from repaircore.rides.model import Outcome, Ride, Scenario, Status, Vehicle
from repaircore.testing.clock import FrozenClock


@pytest.fixture
def caller(core: Core) -> PartnerCaller:
    return a_partner(core.storage.database)


def accepted(core: Core, caller: PartnerCaller, **told: object) -> Ride:
    ride = asked(core, core.rides, caller, **told)
    (offer, *_) = core.rides.offers(ride.ref, caller)
    return core.rides.accept_offer(ride.ref, offer.provider_ref, caller, claim="once")


@pytest.mark.parametrize("status", ["completed", "cancelled"])
def test_an_end_that_is_not_kept_moves_no_money(core: Core, caller: PartnerCaller, status: str) -> None:
    ref = accepted(core, caller).ref
    core.rides.arrive(ref, caller)
    if status == "completed":
        core.rides.start(ref, caller)
    end = core.rides.complete if status == "completed" else core.rides.cancel_accepted

    def ended_in_vain() -> None:
        with core.storage.together():
            assert end(ref, caller)[0].status == status
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ended_in_vain()
    told = told_of(core, core.rides, ref)
    demand_sound(told)
    assert [payment.state for payment in told.payments] == [PaymentState.AUTHORIZED]
    assert [*charges_of(core, told.payments).values()] == [HeldState.AUTHORIZED]
    assert end(ref, caller)[0].status == status
    assert [*charges_of(core, told.payments).values()] == [HeldState.CAPTURED]


def test_what_is_being_released_is_not_taken_for_held_by_the_same_request(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = asked(core, core.rides, caller, sandbox=Scenario.PAYMENT_TIMEOUT)
    (offer, *_) = core.rides.offers(ride.ref, caller)
    with pytest.raises(GatewayUnavailable):
        core.rides.accept_offer(ride.ref, offer.provider_ref, caller, claim="once")
    with core.storage.begin() as work:
        (under_way,) = work.payments.of(ride.ref, environment=Environment.TEST)
        charge = work.sandbox_charges.by_key(f"{under_way.id}/authorize")
        assert charge is not None
        # Somebody gives up waiting, and the gateway does not answer to the release either.
        releasing = evolve(under_way, state=PaymentState.VOIDING, gateway_ref=charge.ref, updated_at=clock())
        core.payments.keep(work, under_way, releasing)
    with pytest.raises(BeingAccepted):
        core.rides.accept_offer(ride.ref, offer.provider_ref, caller, claim="once")
    clock.advance(OLDER_THAN)
    assert core.payment_reconciliation.reconcile().finished == 1
    kept = core.rides.accept_offer(ride.ref, offer.provider_ref, caller, claim="twice")
    told = told_of(core, core.rides, ride.ref)
    demand_sound(told)
    assert kept.status is Status.ACCEPTED
    assert sorted(payment.state for payment in told.payments) == ["authorized", "voided"]


def test_whoever_was_passed_over_is_asked_again_when_the_driver_drops_out(
    core: Core, caller: PartnerCaller
) -> None:
    ride = asked(core, core.rides, caller, sandbox=Scenario.DRIVER_CANCELS)
    first, second, third = (one.provider_ref for one in core.rides.offers(ride.ref, caller))
    core.rides.decline_offer(ride.ref, second, caller)
    core.rides.accept_offer(ride.ref, first, caller)
    assert [one.provider_ref for one in core.rides.offers(ride.ref, caller)] == [third]
    assert core.rides.accept_offer(ride.ref, third, caller).status is Status.ACCEPTED
    assert core.rides.show(ride.ref, caller).ride.provider_ref == third


def test_what_a_crash_leaves_is_old_enough_to_be_settled_within_a_minute(core: Core) -> None:
    (job,) = [job for job in core.jobs.jobs if job.name == "payments.reconcile"]
    assert 2 * timedelta(seconds=SECONDS) <= OLDER_THAN
    assert OLDER_THAN + job.every < timedelta(minutes=1)


def test_a_change_of_a_part_leaves_what_others_made_of_the_rest_meanwhile(
    core: Core, caller: PartnerCaller
) -> None:
    ride = asked(core, core.rides, caller)
    seen: list[Ride] = []

    def changes(now: Ride) -> dict[str, object]:
        seen.append(now)
        if len(seen) == 1:
            core.rides.update(ride.ref, lambda _: {"vehicle": Vehicle(make="Honda")}, caller)
        return {"vehicle": evolve(now.vehicle, model="Accord")}

    kept = core.rides.update(ride.ref, changes, caller)
    assert len(seen) == 2
    assert kept.vehicle == Vehicle(make="Honda", model="Accord")


def converted(core: Core, caller: PartnerCaller) -> Ride:
    ref = accepted(core, caller).ref
    core.rides.arrive(ref, caller)
    return core.rides.complete(ref, caller, outcome=Outcome.CONVERTED_TO_TOW)[0]


def test_a_ride_tells_of_the_tow_that_it_became_in_its_timeline_and_by_an_event(
    core: Core, caller: PartnerCaller
) -> None:
    ride = converted(core, caller)
    tow = asked(core, core.tows, caller, linked_ref=ride.ref)
    told = told_of(core, core.rides, ride.ref)
    demand_sound(told)
    assert (told.ride.linked_ref, told.ride.version) == (tow.ref, ride.version + 1)
    assert (told.steps[-1].action, told.steps[-1].detail) == ("link_tow", {"linked_ref": tow.ref})
    assert told.events[-1] == "ride.updated"
    assert told.payloads[-1]["data"]["linked_ref"] == tow.ref
    assert told.payloads[-1]["data"]["allowed_actions"] == ["rate_driver"]


@pytest.mark.parametrize("end", ["cancelled", "waited in vain", "expired", "did not help", "done"])
def test_a_tow_that_came_to_nothing_leaves_its_ride_to_another(
    core: Core, caller: PartnerCaller, clock: FrozenClock, end: str
) -> None:
    ride = converted(core, caller)
    first = asked(core, core.tows, caller, linked_ref=ride.ref)
    with pytest.raises(Invalid) as linked:
        asked(core, core.tows, caller, linked_ref=ride.ref)
    assert [*linked.value.fields] == ["linked_ref"]
    if end == "cancelled":
        core.tows.cancel(first.ref, caller)
    elif end in {"waited in vain", "expired"}:
        clock.advance(first.expires_at - clock())
        assert end == "waited in vain" or core.tows.expire_due() == 1
    else:
        core.tows.accept_offer(first.ref, core.tows.offers(first.ref, caller)[0].provider_ref, caller)
        core.tows.arrive(first.ref, caller)
        core.tows.start(first.ref, caller)
        core.tows.complete(
            first.ref, caller, outcome=Outcome.COMPLETED if end == "done" else Outcome.UNSUCCESSFUL
        )
    if end == "done":
        with pytest.raises(Invalid):
            asked(core, core.tows, caller, linked_ref=ride.ref)
    else:
        second = asked(core, core.tows, caller, linked_ref=ride.ref)
        assert core.rides.show(ride.ref, caller).ride.linked_ref == second.ref
        assert core.tows.show(first.ref, caller).ride.linked_ref == ride.ref
