"""Rides on both databases: payments that fail midway, operators' actions, events, and links to tows."""

from collections.abc import Callable
from datetime import timedelta
from itertools import count

import pytest
from attrs import evolve
from tests.contracts.partners import add_partner
from tests.contracts.rides import (
    PICKUP,
    charges_of,
    create_ride,
    read_record,
    require_consistent,
    require_settled,
)

from repaircore.adapters.payments.sandbox import SandboxGateway
from repaircore.adapters.payments.stripe import SECONDS
from repaircore.core import Core
from repaircore.json_text import plain
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.expected_fees import FeeChanged
from repaircore.kernel.paging import PageRequest
from repaircore.kernel.types import Clock
from repaircore.payments.errors import GatewayUnavailable
from repaircore.payments.model import GatewayState, PaymentState
from repaircore.payments.reconciliation import OLDER_THAN
from repaircore.providers.drivers import Driver, Service
from repaircore.rides.errors import BeingAccepted, PaymentMethodChanged
from repaircore.rides.model import OfferStatus, Ride, RideKind, RideOutcome, Scenario, Status, Vehicle
from repaircore.rides.progress import CancelRide, RateRide, RefundRide
from repaircore.rides.service import Rides
from repaircore.rides.settlement import cancel_preview_view
from repaircore.testing.clock import FrozenClock


@pytest.fixture
def caller(core: Core) -> PartnerCaller:
    return add_partner(core.storage.database)


def stuck_rides_message(core: Core, clock: FrozenClock) -> str | None:
    """Return the checkup's warning about stuck rides."""
    findings = evolve(core.checkup, clock=clock).examine().findings
    return next(finding.wrong for finding in findings if finding.name == "rides")


def make_driver(clock: FrozenClock) -> Driver:
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


def create_accepted_ride(core: Core, caller: PartnerCaller, **fields: object) -> Ride:
    ride = create_ride(core, core.rides, caller, **fields)
    (offer, *_) = core.rides.list_acceptable_offers(ride.ref, caller)
    return core.rides.accept_offer(ride.ref, offer.provider_ref, caller, claim="once")


@pytest.mark.parametrize("status", ["completed", "cancelled"])
def test_ride_end_that_is_rolled_back_moves_no_money(core: Core, caller: PartnerCaller, status: str) -> None:
    ref = create_accepted_ride(core, caller).ref
    core.rides.arrive(ref, caller)
    if status == "completed":
        core.rides.start(ref, caller)
    end = core.rides.complete if status == "completed" else core.rides.cancel_accepted

    def end_and_fail() -> None:
        with core.storage.outer_transaction():
            assert end(ref, caller)[0].status == status
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        end_and_fail()
    record = read_record(core, core.rides, ref)
    require_consistent(record)

    assert [payment.state for payment in record.payments] == [PaymentState.AUTHORIZED]
    assert [*charges_of(core, record.payments).values()] == [GatewayState.AUTHORIZED]
    assert end(ref, caller)[0].status == status
    assert [*charges_of(core, record.payments).values()] == [GatewayState.CAPTURED]


def test_accept_offer_again_while_its_payment_is_being_released_is_refused(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = create_ride(core, core.rides, caller, sandbox=Scenario.PAYMENT_TIMEOUT)
    (offer, *_) = core.rides.list_acceptable_offers(ride.ref, caller)
    with pytest.raises(GatewayUnavailable):
        core.rides.accept_offer(ride.ref, offer.provider_ref, caller, claim="once")
    with core.storage.transaction() as work:
        (payment,) = work.payments.list_for(ride.ref, environment=Environment.TEST)
        charge = work.sandbox_charges.lock_by_key(f"{payment.id}/authorize")
        assert charge is not None
        # The payment is given up, and the gateway does not answer to the release either.
        releasing = evolve(payment, state=PaymentState.VOIDING, gateway_ref=charge.ref, updated_at=clock())
        core.payments.save_result(work, payment, releasing)
    with pytest.raises(BeingAccepted) as caught:
        core.rides.accept_offer(ride.ref, offer.provider_ref, caller, claim="once")

    assert "cancel" in (caught.value.details or {})["allowed"]

    clock.advance(OLDER_THAN)

    assert core.payment_reconciliation.reconcile().finished == 1

    ride_now = core.rides.accept_offer(ride.ref, offer.provider_ref, caller, claim="twice")
    record = read_record(core, core.rides, ride.ref)
    require_consistent(record)

    assert ride_now.status is Status.ACCEPTED
    assert sorted(payment.state for payment in record.payments) == ["authorized", "voided"]


def test_assign_releases_the_payment_when_the_payment_method_has_changed(
    core: Core, caller: PartnerCaller
) -> None:
    ride = create_ride(core, core.rides, caller, payment_method="pm_old")
    (offer, *_) = core.rides.list_acceptable_offers(ride.ref, caller)
    authorized = core.rides.authorize(ride.ref, offer.provider_ref, caller)
    core.rides.update(ride.ref, lambda _: {"payment_method": "pm_new"}, caller)
    with pytest.raises(PaymentMethodChanged) as caught:
        core.rides.assign(ride.ref, authorized, caller)

    assert caught.value.details is not None
    assert "accept_offer" in caught.value.details["allowed"]
    assert core.rides.accept_offer(ride.ref, offer.provider_ref, caller).status is Status.ACCEPTED

    record = read_record(core, core.rides, ride.ref)
    require_consistent(record)
    require_settled(core, record)

    assert [(payment.payment_method, payment.state) for payment in record.payments] == [
        ("pm_old", PaymentState.VOIDED),
        ("pm_new", PaymentState.AUTHORIZED),
    ]


@pytest.mark.parametrize("kind", RideKind)
def test_sandbox_always_declines_the_first_payment_method(
    core: Core, caller: PartnerCaller, kind: RideKind
) -> None:
    rides = core.rides if kind is RideKind.MOBILE else core.tows
    ride = create_ride(core, rides, caller, sandbox=Scenario.PAYMENT_DECLINED, payment_method="pm_old")
    (offer, *_) = rides.list_acceptable_offers(ride.ref, caller)

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

    require_consistent(read_record(core, rides, ride.ref))


def test_drop_out_asks_passed_over_providers_again(core: Core, caller: PartnerCaller) -> None:
    ride = create_ride(core, core.rides, caller, sandbox=Scenario.DRIVER_CANCELS)
    first, second, third = (
        offer.provider_ref for offer in core.rides.list_acceptable_offers(ride.ref, caller)
    )
    core.rides.decline_offer(ride.ref, second, caller)
    core.rides.accept_offer(ride.ref, first, caller)

    assert [offer.provider_ref for offer in core.rides.list_acceptable_offers(ride.ref, caller)] == [third]
    assert core.rides.accept_offer(ride.ref, third, caller).status is Status.ACCEPTED
    assert core.rides.get(ride.ref, caller).ride.provider_ref == third


def test_call_off_limits_the_length_of_the_note(core: Core) -> None:
    caller = add_partner(core.storage.database)
    ride = create_ride(core, core.rides, caller)
    with pytest.raises(Invalid) as caught:
        core.rides.call_off(ride.ref, note="x" * 1001)

    assert [*caught.value.fields] == ["note"]
    assert core.rides.call_off(ride.ref, note="x" * 1000).status is Status.CANCELLED


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda rides, ref, caller: rides.cancel(ref, caller, CancelRide(note="x" * 1001)), "note"),
        (lambda rides, ref, caller: rides.cancel_accepted(ref, caller, CancelRide(note="x" * 1001)), "note"),
        (lambda rides, ref, caller: rides.rate(ref, RateRide(rating=0), caller), "rating"),
        (lambda rides, ref, caller: rides.rate(ref, RateRide(rating=6), caller), "rating"),
        (lambda rides, ref, caller: rides.refund(ref, RefundRide(reason="x" * 256), caller), "reason"),
        (lambda rides, _, caller: rides.list_page(caller, request=PageRequest(per_page=0)), "per_page"),
        (lambda rides, _, caller: rides.list_page_for_operator(caller.environment, number=0), "page"),
    ],
)
def test_invalid_input_is_refused_before_the_ride_is_looked_up(
    core: Core, caller: PartnerCaller, call: Callable[[Rides, str, PartnerCaller], object], field: str
) -> None:
    with pytest.raises(Invalid) as caught:
        call(core.rides, "ride_unknown", caller)

    assert [*caught.value.fields] == [field]


@pytest.mark.parametrize("end", ["complete", "call_off"])
def test_operator_ends_a_stuck_ride_and_frees_its_driver(core: Core, clock: FrozenClock, end: str) -> None:
    gateway = SandboxGateway(transaction=core.storage.transaction, clock=clock)
    rides = evolve(core.rides, payments=evolve(core.payments, gateways={Environment.LIVE: gateway}))
    caller = add_partner(core.storage.database, environment=Environment.LIVE)
    with core.storage.transaction() as work:
        work.drivers.add(make_driver(clock))
    ride = create_ride(core, rides, caller, payment_method="pm_1")
    rides.accept_offer(ride.ref, "drv_1", caller)
    rides.arrive(ride.ref, caller)
    rides.start(ride.ref, caller)

    assert stuck_rides_message(core, clock) is None

    clock.advance(timedelta(days=30))

    assert stuck_rides_message(core, clock) is not None

    def open_providers() -> list[str]:
        other = create_ride(core, rides, caller, payment_method="pm_1")
        return [offer.provider_ref for offer in rides.list_acceptable_offers(other.ref, caller)]

    assert open_providers() == []

    if end == "complete":
        ride_now, settlement = rides.complete(ride.ref, None)
        assert settlement.fee == ride.fare.total
    else:
        ride_now = rides.call_off(ride.ref, note="No answer.")
        assert (ride_now.fee, ride_now.cancel_note) == (0, "No answer.")

    assert open_providers() == ["drv_1"]
    assert stuck_rides_message(core, clock) is None
    assert ride_now.ended_at == ride_now.updated_at == clock()

    record = read_record(core, rides, ride.ref)

    assert (record.steps[-1].actor, record.payloads[-2]["data"]["actor"]) == ("operator", "operator")

    with core.storage.read() as work:
        (entry,) = [
            entry for entry in work.audit.list_newest(limit=9) if entry.subject == f"rides/{ride.ref}"
        ]

    assert (entry.action, entry.before) == (f"ride.{end}", {"status": "in_progress", "fee": None})
    assert entry.after == {"status": str(ride_now.status), "fee": (ride_now.fee or 0) / 100}

    (payment,) = rides.get(ride.ref, None).payments

    assert (payment.state, payment.captured) == (
        (PaymentState.CAPTURED, ride.fare.total) if end == "complete" else (PaymentState.VOIDED, 0)
    )


@pytest.mark.parametrize("kind", RideKind)
def test_call_off_of_a_pending_ride_withdraws_its_offers(
    core: Core, caller: PartnerCaller, kind: RideKind
) -> None:
    rides = core.rides if kind is RideKind.MOBILE else core.tows
    ride = create_ride(core, rides, caller)

    assert rides.call_off(ride.ref).status is Status.CANCELLED

    record = read_record(core, rides, ride.ref)
    require_consistent(record)

    assert {offer.status for offer in record.offers} == {OfferStatus.WITHDRAWN}

    with pytest.raises(Conflict) as caught:
        rides.call_off(ride.ref)

    assert caught.value.details == {"status": "cancelled", "allowed": []}


def test_actions_of_operators_alone_are_audited(core: Core, caller: PartnerCaller) -> None:
    by_partner, by_operator = create_accepted_ride(core, caller), create_accepted_ride(core, caller)
    core.rides.cancel_accepted(by_partner.ref, caller)
    core.rides.call_off(by_operator.ref)
    (entry,) = [each for each in core.audit.list_newest() if each.action.startswith("ride.")]

    assert (entry.action, entry.subject) == ("ride.call_off", f"rides/{by_operator.ref}")
    assert (entry.before, entry.after) == (
        {"status": "accepted", "fee": None},
        {"status": "cancelled", "fee": 0.0},
    )


def test_crashes_can_be_tried_at_each_moment_of_a_ride(core: Core, caller: PartnerCaller) -> None:
    moments: list[str] = []
    rides = evolve(core.rides, failpoint=moments.append)
    for end in (rides.complete, rides.cancel_accepted):
        ride = create_ride(core, rides, caller)
        (offer, *_) = rides.list_acceptable_offers(ride.ref, caller)
        rides.accept_offer(ride.ref, offer.provider_ref, caller)
        rides.arrive(ride.ref, caller)
        if end == rides.complete:
            rides.start(ride.ref, caller)
        end(ride.ref, caller)

    assert moments == [
        "rides.accept.before_assign",
        "rides.accept.after_assign",
        "rides.complete.before_money",
        "rides.complete.after_money",
        "rides.accept.before_assign",
        "rides.accept.after_assign",
        "rides.cancel_accepted.before_money",
        "rides.cancel_accepted.after_money",
    ]


@pytest.mark.parametrize(
    ("minutes", "detail"),
    [(None, None), (1, {"eta_minutes": 1}), (0, {"eta_minutes": 0}), (-1, {"late_minutes": 1})],
)
def test_timeline_says_when_a_provider_arrives_or_how_late_they_are(
    core: Core,
    caller: PartnerCaller,
    clock: FrozenClock,
    *,
    minutes: int | None,
    detail: dict[str, int] | None,
) -> None:
    ride = create_accepted_ride(core, caller)
    clock.advance(timedelta(minutes=1))
    saved = core.rides.en_route(ride.ref, caller, eta_minutes=minutes)
    clock.advance(timedelta(minutes=1))
    again = core.rides.en_route(ride.ref, caller)

    assert read_record(core, core.rides, ride.ref).steps[-2].detail == detail
    assert saved.eta_at == (ride.eta_at if minutes is None else saved.updated_at + timedelta(minutes=minutes))
    assert (again.eta_at, again.position) == (saved.eta_at, None)
    assert again.en_route_at == saved.updated_at < again.updated_at


def test_ride_events_say_who_ended_or_reopened_a_ride(core: Core, caller: PartnerCaller) -> None:
    ends: dict[str, Callable[[Ride], object]] = {
        "partner": lambda ride: core.rides.cancel_accepted(ride.ref, caller),
        "operator": lambda ride: core.rides.call_off(ride.ref),
    }
    for actor, end in ends.items():
        ride = create_accepted_ride(core, caller)
        end(ride)
        record = read_record(core, core.rides, ride.ref)
        assert (record.events[-2], record.payloads[-2]["data"]["actor"]) == ("ride.cancelled", actor)
        assert record.events[-1] == "ride.payment_voided"
    reopened = read_record(
        core, core.rides, create_accepted_ride(core, caller, sandbox=Scenario.DRIVER_CANCELS).ref
    )
    payload_of = dict(zip(reopened.events, reopened.payloads, strict=True))

    assert payload_of["ride.reopened"]["data"]["actor"] == "sandbox"


def test_cancel_that_races_an_arrival_charges_no_more_than_the_preview_said(
    core: Core, caller: PartnerCaller
) -> None:
    ride = create_accepted_ride(core, caller)
    _, previewed = core.rides.preview_cancellation(ride.ref, caller)
    core.rides.arrive(ride.ref, caller)
    with pytest.raises(FeeChanged) as caught:
        core.rides.cancel_accepted(ride.ref, caller, CancelRide(expected_fee=previewed.fee / 100))
    action, now = core.rides.preview_cancellation(ride.ref, caller)
    details = caught.value.details or {}

    assert previewed.fee == 0 < now.fee
    assert details["preview"] == plain(cancel_preview_view(ride.ref, action, now))
    assert details["status"] == Status.DRIVER_ARRIVED
    assert read_record(core, core.rides, ride.ref).ride.status is Status.DRIVER_ARRIVED

    cancelled, settlement = core.rides.cancel_accepted(
        ride.ref, caller, CancelRide(expected_fee=now.fee / 100)
    )

    assert (cancelled.status, settlement) == (Status.CANCELLED, now)


def test_cancel_of_a_pending_ride_for_a_fee_is_refused(core: Core, caller: PartnerCaller) -> None:
    ride = create_ride(core, core.rides, caller)
    with pytest.raises(FeeChanged):
        core.rides.cancel(ride.ref, caller, CancelRide(expected_fee=5.0))

    assert core.rides.cancel(ride.ref, caller, CancelRide(expected_fee=0)).status is Status.CANCELLED


def test_ended_ride_refuses_a_cancel_by_its_status_whatever_fee_is_expected(
    core: Core, caller: PartnerCaller
) -> None:
    ride = create_ride(core, core.rides, caller)
    core.rides.cancel(ride.ref, caller)
    for cancel in (core.rides.cancel, core.rides.cancel_accepted):
        with pytest.raises(Conflict) as caught:
            cancel(ride.ref, caller, CancelRide(expected_fee=5.0))

        assert caught.value.details == {"status": "cancelled", "allowed": []}


def test_ride_transition_uses_one_time_throughout(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    rides = evolve(core.rides, clock=_ticking(clock))
    ride = create_ride(core, rides, caller)
    (offer, *_) = rides.list_acceptable_offers(ride.ref, caller)
    ride_now = rides.accept_offer(ride.ref, offer.provider_ref, caller)

    assert ride_now.accepted_at == ride_now.updated_at

    ride_now = rides.arrive(ride.ref, caller)

    assert ride_now.arrived_at == ride_now.updated_at

    ride_now = rides.start(ride.ref, caller)

    assert ride_now.started_at == ride_now.updated_at

    ride_now, _ = rides.complete(ride.ref, caller)

    assert ride_now.ended_at == ride_now.updated_at

    ride_now = rides.rate(ride.ref, RateRide(rating=5), caller)

    assert ride_now.rated_at == ride_now.updated_at


def _ticking(clock: Clock) -> Clock:
    """Return a clock that advances with each call."""
    calls = count()
    return lambda: clock() + timedelta(milliseconds=next(calls))


def test_list_page_for_operator_selects_rides_unchanged_for_a_time(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    day = timedelta(days=1)
    old, waiting = create_accepted_ride(core, caller), create_ride(core, core.rides, caller)
    clock.advance(day)
    young = create_accepted_ride(core, caller)

    def unchanged(for_: timedelta) -> list[str]:
        page = core.rides.list_page_for_operator(Environment.TEST, unchanged_for=for_)
        return [listed.ride.ref for listed in page]

    assert unchanged(day) == [old.ref]
    assert unchanged(timedelta()) == [young.ref, old.ref]

    core.rides.arrive(old.ref, caller)

    assert unchanged(day) == []
    assert waiting.ref not in unchanged(timedelta())


def test_reconciliation_settles_within_a_minute_after_a_crash(core: Core) -> None:
    (job,) = [job for job in core.jobs.jobs if job.name == "payments.reconcile"]

    assert 2 * timedelta(seconds=SECONDS) <= OLDER_THAN
    assert OLDER_THAN + job.every < timedelta(minutes=1)


def test_update_keeps_a_concurrent_change_of_another_part(core: Core, caller: PartnerCaller) -> None:
    ride = create_ride(core, core.rides, caller)
    calls: list[Ride] = []

    def changes(current: Ride) -> dict[str, object]:
        calls.append(current)
        if len(calls) == 1:
            core.rides.update(ride.ref, lambda _: {"vehicle": Vehicle(make="Honda")}, caller)
        return {"vehicle": evolve(current.vehicle, model="Accord")}

    ride_now = core.rides.update(ride.ref, changes, caller)

    assert len(calls) == 2
    assert ride_now.vehicle == Vehicle(make="Honda", model="Accord")


def create_converted_ride(core: Core, caller: PartnerCaller) -> Ride:
    ref = create_accepted_ride(core, caller).ref
    core.rides.arrive(ref, caller)
    return core.rides.complete(ref, caller, outcome=RideOutcome.CONVERTED_TO_TOW)[0]


def test_linking_a_tow_adds_a_step_and_an_event_to_the_ride(core: Core, caller: PartnerCaller) -> None:
    ride = create_converted_ride(core, caller)
    tow = create_ride(core, core.tows, caller, linked_ref=ride.ref)
    record = read_record(core, core.rides, ride.ref)
    require_consistent(record)

    assert (record.ride.linked_ref, record.ride.version) == (tow.ref, ride.version + 1)
    assert (record.steps[-1].action, record.steps[-1].detail) == ("link_tow", {"linked_ref": tow.ref})
    assert record.events[-1] == "ride.updated"
    assert record.payloads[-1]["data"]["linked_ref"] == tow.ref
    assert record.payloads[-1]["data"]["allowed_actions"] == ["rate_driver"]


@pytest.mark.parametrize("end", ["cancelled", "overdue", "expired", "unsuccessful", "completed"])
def test_ride_may_be_linked_to_another_tow_only_after_the_first_failed(
    core: Core, caller: PartnerCaller, clock: FrozenClock, end: str
) -> None:
    ride = create_converted_ride(core, caller)
    first = create_ride(core, core.tows, caller, linked_ref=ride.ref)
    with pytest.raises(Invalid) as caught:
        create_ride(core, core.tows, caller, linked_ref=ride.ref)

    assert [*caught.value.fields] == ["linked_ref"]

    if end == "cancelled":
        core.tows.cancel(first.ref, caller)
    elif end in {"overdue", "expired"}:
        clock.advance(first.expires_at - clock())
        assert end == "overdue" or core.tows.expire_due() == 1
    else:
        core.tows.accept_offer(
            first.ref, core.tows.list_acceptable_offers(first.ref, caller)[0].provider_ref, caller
        )
        core.tows.arrive(first.ref, caller)
        core.tows.start(first.ref, caller)
        core.tows.complete(
            first.ref,
            caller,
            outcome=RideOutcome.COMPLETED if end == "completed" else RideOutcome.UNSUCCESSFUL,
        )
    if end == "completed":
        with pytest.raises(Invalid):
            create_ride(core, core.tows, caller, linked_ref=ride.ref)
    else:
        second = create_ride(core, core.tows, caller, linked_ref=ride.ref)
        assert core.rides.get(ride.ref, caller).ride.linked_ref == second.ref
        assert core.tows.get(first.ref, caller).ride.linked_ref == ride.ref
