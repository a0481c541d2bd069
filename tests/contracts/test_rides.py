"""What rides do about money when something goes wrong between them and it."""

from collections.abc import Callable
from datetime import timedelta
from itertools import count

import pytest
from attrs import evolve
from tests.contracts.partners import a_partner
from tests.contracts.rides import PICKUP, asked, charges_of, require_settled, require_sound, told_of

from repaircore.adapters.payments.sandbox import SandboxGateway
from repaircore.adapters.payments.stripe import SECONDS
from repaircore.bootstrap import Core
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.types import Clock
from repaircore.payments.errors import GatewayUnavailable
from repaircore.payments.model import HeldState, PaymentState
from repaircore.payments.reconciliation import OLDER_THAN
from repaircore.providers.drivers import Driver, Service
from repaircore.rides.errors import BeingAccepted, PaidOtherwise
from repaircore.rides.model import OfferStatus, Ride, RideKind, RideOutcome, Scenario, Status, Vehicle
from repaircore.testing.clock import FrozenClock


@pytest.fixture
def caller(core: Core) -> PartnerCaller:
    return a_partner(core.storage.database)


def standing_still(core: Core, clock: FrozenClock) -> str | None:
    """Give what the check-up has to say of rides that nobody ends."""
    found = evolve(core.checkup, clock=clock).examine().findings
    return next(one.wrong for one in found if one.name == "rides")


def a_driver(clock: FrozenClock) -> Driver:
    return Driver(
        id=0,
        ref="drv_1",
        environment=Environment.LIVE,
        name="One",
        phone="+12025550100",
        abilities=frozenset({Service.BATTERY_JUMP_START}),
        point=PICKUP,
        time_zone="UTC",
        created_at=clock(),
        updated_at=clock(),
    )


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
    require_sound(told)
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
    with core.storage.transaction() as work:
        (under_way,) = work.payments.of(ride.ref, environment=Environment.TEST)
        charge = work.sandbox_charges.by_key(f"{under_way.id}/authorize")
        assert charge is not None
        # Somebody gives up waiting, and the gateway does not answer to the release either.
        releasing = evolve(under_way, state=PaymentState.VOIDING, gateway_ref=charge.ref, updated_at=clock())
        core.payments.keep(work, under_way, releasing)
    with pytest.raises(BeingAccepted) as refused:
        core.rides.accept_offer(ride.ref, offer.provider_ref, caller, claim="once")
    assert "cancel" in (refused.value.details or {})["allowed"]
    clock.advance(OLDER_THAN)
    assert core.payment_reconciliation.reconcile().finished == 1
    kept = core.rides.accept_offer(ride.ref, offer.provider_ref, caller, claim="twice")
    told = told_of(core, core.rides, ride.ref)
    require_sound(told)
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
    require_sound(told)
    require_settled(core, told)
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
    require_sound(told_of(core, rides, ride.ref))


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


def test_what_an_operator_notes_has_an_end(core: Core) -> None:
    caller = a_partner(core.storage.database)
    ride = asked(core, core.rides, caller)
    with pytest.raises(Invalid) as refused:
        core.rides.call_off(ride.ref, note="x" * 1001)
    assert [*refused.value.fields] == ["note"]
    assert core.rides.call_off(ride.ref, note="x" * 1000).status is Status.CANCELLED


@pytest.mark.parametrize("end", ["complete", "call_off"])
def test_a_driver_whose_ride_its_partner_never_ends_is_freed_by_the_operator(
    core: Core, clock: FrozenClock, end: str
) -> None:
    gateway = SandboxGateway(transaction=core.storage.transaction, clock=clock)
    rides = evolve(core.rides, payments=evolve(core.payments, gateways={Environment.LIVE: gateway}))
    caller = a_partner(core.storage.database, environment=Environment.LIVE)
    with core.storage.transaction() as work:
        work.drivers.add(a_driver(clock))
    ride = asked(core, rides, caller, payment_method="pm_1")
    rides.accept_offer(ride.ref, "drv_1", caller)
    rides.arrive(ride.ref, caller)
    rides.start(ride.ref, caller)
    assert standing_still(core, clock) is None
    clock.advance(timedelta(days=30))
    assert standing_still(core, clock) is not None

    def offers() -> list[str]:
        other = asked(core, rides, caller, payment_method="pm_1")
        return [offer.provider_ref for offer in rides.offers(other.ref, caller)]

    assert offers() == []
    if end == "complete":
        kept, settlement = rides.complete(ride.ref, None)
        assert settlement.fee == ride.fare.total
    else:
        kept = rides.call_off(ride.ref, note="Nobody answers.")
        assert (kept.fee, kept.cancel_note) == (0, "Nobody answers.")
    assert offers() == ["drv_1"]
    assert standing_still(core, clock) is None
    assert kept.ended_at == kept.updated_at == clock()
    told = told_of(core, rides, ride.ref)
    assert (told.steps[-1].actor, told.payloads[-1]["data"]["actor"]) == ("operator", "operator")
    with core.storage.read() as work:
        (entry,) = [one for one in work.audit.list_newest(limit=9) if one.subject == f"rides/{ride.ref}"]
    assert (entry.action, entry.before) == (f"ride.{end}", {"status": "in_progress", "fee": None})
    assert entry.after == {"status": str(kept.status), "fee": (kept.fee or 0) / 100}
    (payment,) = rides.show(ride.ref, None).payments
    assert (payment.state, payment.captured) == (
        (PaymentState.CAPTURED, ride.fare.total) if end == "complete" else (PaymentState.VOIDED, 0)
    )


@pytest.mark.parametrize("kind", RideKind)
def test_a_ride_that_waits_is_called_off_with_its_offers(
    core: Core, caller: PartnerCaller, kind: RideKind
) -> None:
    rides = core.rides if kind is RideKind.MOBILE else core.tows
    ride = asked(core, rides, caller)
    assert rides.call_off(ride.ref).status is Status.CANCELLED
    told = told_of(core, rides, ride.ref)
    require_sound(told)
    assert {offer.status for offer in told.offers} == {OfferStatus.WITHDRAWN}
    with pytest.raises(Conflict) as refused:
        rides.call_off(ride.ref)
    assert refused.value.details == {"status": "cancelled", "allowed": []}


def test_whose_doing_an_end_is_stands_in_its_event(core: Core, caller: PartnerCaller) -> None:
    ends: dict[str, Callable[[Ride], object]] = {
        "partner": lambda ride: core.rides.cancel_accepted(ride.ref, caller),
        "operator": lambda ride: core.rides.call_off(ride.ref),
    }
    for actor, end in ends.items():
        ride = accepted(core, caller)
        end(ride)
        told = told_of(core, core.rides, ride.ref)
        assert (told.events[-1], told.payloads[-1]["data"]["actor"]) == ("ride.cancelled", actor)
    reopened = told_of(core, core.rides, accepted(core, caller, sandbox=Scenario.DRIVER_CANCELS).ref)
    told_by = dict(zip(reopened.events, reopened.payloads, strict=True))
    assert told_by["ride.reopened"]["data"]["actor"] == "sandbox"


def test_every_moment_of_a_step_is_one(core: Core, caller: PartnerCaller, clock: FrozenClock) -> None:
    rides = evolve(core.rides, clock=_ticking(clock))
    ride = asked(core, rides, caller)
    (offer, *_) = rides.offers(ride.ref, caller)
    kept = rides.accept_offer(ride.ref, offer.provider_ref, caller)
    assert kept.accepted_at == kept.updated_at
    kept = rides.arrive(ride.ref, caller)
    assert kept.arrived_at == kept.updated_at
    kept = rides.start(ride.ref, caller)
    assert kept.started_at == kept.updated_at
    kept, _ = rides.complete(ride.ref, caller)
    assert kept.ended_at == kept.updated_at
    kept = rides.rate(ride.ref, 5, None, caller)
    assert kept.rated_at == kept.updated_at


def _ticking(clock: Clock) -> Clock:
    """Give a clock by which it is later each time that it is looked at."""
    looks = count()
    return lambda: clock() + timedelta(milliseconds=next(looks))


def test_rides_that_stand_still_are_listed_and_told_of(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    day = timedelta(days=1)
    old, waiting = accepted(core, caller), asked(core, core.rides, caller)
    clock.advance(day)
    young = accepted(core, caller)

    def standing(for_: timedelta) -> list[str]:
        found = core.rides.page_of_all(Environment.TEST, standing_for=for_)
        return [one.ride.ref for one in found]

    assert standing(day) == [old.ref]
    assert standing(timedelta()) == [young.ref, old.ref]
    core.rides.arrive(old.ref, caller)
    assert standing(day) == []
    assert waiting.ref not in standing(timedelta())


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
    return core.rides.complete(ref, caller, outcome=RideOutcome.CONVERTED_TO_TOW)[0]


def test_a_ride_tells_of_the_tow_that_it_became_in_its_timeline_and_by_an_event(
    core: Core, caller: PartnerCaller
) -> None:
    ride = converted(core, caller)
    tow = asked(core, core.tows, caller, linked_ref=ride.ref)
    told = told_of(core, core.rides, ride.ref)
    require_sound(told)
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
            first.ref, caller, outcome=RideOutcome.COMPLETED if end == "done" else RideOutcome.UNSUCCESSFUL
        )
    if end == "done":
        with pytest.raises(Invalid):
            asked(core, core.tows, caller, linked_ref=ride.ref)
    else:
        second = asked(core, core.tows, caller, linked_ref=ride.ref)
        assert core.rides.show(ride.ref, caller).ride.linked_ref == second.ref
        assert core.tows.show(first.ref, caller).ride.linked_ref == ride.ref
