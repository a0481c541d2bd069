"""What rides do about money when something goes wrong between them and it."""

from datetime import timedelta

import pytest
from attrs import evolve
from tests.contracts.partners import a_partner
from tests.contracts.rides import asked, charges_of, demand_settled, demand_sound, told_of

from repaircore.adapters.payments.stripe import SECONDS
from repaircore.bootstrap import Core
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.partners import PartnerCaller
from repaircore.payments.errors import GatewayUnavailable
from repaircore.payments.model import HeldState, PaymentState
from repaircore.payments.reconciling import OLDER_THAN
from repaircore.rides.errors import BeingAccepted, PaidOtherwise
from repaircore.rides.model import Ride, RideKind, Scenario, Status, Vehicle
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


def test_money_that_is_held_otherwise_than_the_customer_wants_by_now_is_let_go(
    core: Core, caller: PartnerCaller
) -> None:
    ride = asked(core, core.rides, caller, payment_method="pm_old")
    (offer, *_) = core.rides.offers(ride.ref, caller)
    held = core.rides.authorize(ride.ref, offer.provider_ref, caller)
    core.rides.update(ride.ref, lambda _: {"payment_method": "pm_new"}, caller)
    with pytest.raises(PaidOtherwise) as refused:
        core.rides.assign(ride.ref, held, caller)
    assert refused.value.details is not None
    assert "accept_offer" in refused.value.details["allowed"]
    assert core.rides.accept_offer(ride.ref, offer.provider_ref, caller).status is Status.ACCEPTED
    told = told_of(core, core.rides, ride.ref)
    demand_sound(told)
    demand_settled(core, told)
    assert [(one.payment_method, one.state) for one in told.payments] == [
        ("pm_old", PaymentState.VOIDED),
        ("pm_new", PaymentState.AUTHORIZED),
    ]


@pytest.mark.parametrize("kind", RideKind)
def test_the_sandbox_declines_what_is_tried_first_however_often(
    core: Core, caller: PartnerCaller, kind: RideKind
) -> None:
    rides = core.rides if kind is RideKind.MOBILE else core.tows
    ride = asked(core, rides, caller, sandbox=Scenario.PAYMENT_DECLINED, payment_method="pm_old")
    (offer, *_) = rides.offers(ride.ref, caller)

    def accept() -> Status:
        return rides.accept_offer(ride.ref, offer.provider_ref, caller).status

    def pay_by(method: str) -> None:
        rides.update(ride.ref, lambda _: {"payment_method": method}, caller)

    for method in ("pm_old", "pm_new", "pm_old"):
        pay_by(method)
        if method == "pm_old":
            with pytest.raises(Conflict, match="declined"):
                accept()
    pay_by("pm_new")
    assert accept() is Status.ACCEPTED
    demand_sound(told_of(core, rides, ride.ref))


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
