"""Payments of rides that lapse or are refunded without the partner are reported, on both databases."""

import logging
from contextlib import suppress
from datetime import timedelta

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.contracts.partners import add_partner
from tests.contracts.rides import create_ride, read_record, require_consistent, require_settled
from tests.threads import at_once

from repaircore.adapters.sql.schema.payments import sandbox_charges
from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Environment, PartnerCaller
from repaircore.kernel.errors import Conflict
from repaircore.payments.model import LAPSED, Payment, PaymentState, ReconciliationResult
from repaircore.rides.model import Ride, Status
from repaircore.rides.progress import RefundRide
from repaircore.rides.service import Rides
from repaircore.testing.clock import FrozenClock

TEST = Environment.TEST


@pytest.fixture
def caller(core: Core) -> PartnerCaller:
    return add_partner(core.storage.database)


@pytest.fixture(params=["rides", "tows"])
def rides(core: Core, request: pytest.FixtureRequest) -> Rides:
    service: Rides = getattr(core, request.param)
    return service


def start_ride(core: Core, rides: Rides, caller: PartnerCaller) -> Ride:
    ride = create_ride(core, rides, caller)
    (offer, *_) = rides.list_acceptable_offers(ride.ref, caller)
    rides.accept_offer(ride.ref, offer.provider_ref, caller)
    rides.arrive(ride.ref, caller)
    return rides.start(ride.ref, caller)


def payment_of(core: Core, rides: Rides, ref: str) -> Payment:
    (payment,) = read_record(core, rides, ref).payments
    return payment


def lapse(core: Core, payment: Payment) -> None:
    """Release the authorization at the gateway, as it does after some days."""
    core.payments.gateway(TEST).void(payment.gateway_ref or "", "by hand")


def without_gateway(core: Core, rides: Rides) -> Rides:
    """Return the rides without a gateway."""
    return evolve(rides, payments=evolve(core.payments, gateways={}))


def require_reported(core: Core, rides: Rides, ride: Ride) -> None:
    """Assert that one event says that the fee is owed."""
    record = read_record(core, rides, ride.ref)
    require_consistent(record)
    require_settled(core, record)
    assert [(payment.state, payment.captured, payment.reason) for payment in record.payments] == [
        (PaymentState.VOIDED, 0, LAPSED)
    ]
    assert record.events[-2:] == [f"{rides.kind}.completed", f"{rides.kind}.payment_failed"]
    data = record.payloads[-1]["data"]
    owed = ride.fare.total / 100
    assert (data["owed"], data["reason"], data["fee"]) == (owed, LAPSED, owed)
    assert (data["status"], data["payment"]["status"]) == ("completed", "voided")
    step = record.steps[-1]
    assert (step.action, step.actor, step.after) == ("payment_failed", "system", "completed")
    (unpaid,) = core.unpaid_rides.list_page(TEST)
    assert (unpaid.ride.ref, unpaid.owed) == (ride.ref, ride.fare.total)


def test_payment_lapsed_before_the_end_is_reported(
    core: Core, rides: Rides, caller: PartnerCaller, caplog: pytest.LogCaptureFixture
) -> None:
    ride = start_ride(core, rides, caller)
    payment = payment_of(core, rides, ride.ref)
    lapse(core, payment)
    with caplog.at_level(logging.WARNING):
        _, settlement = rides.complete(ride.ref, caller)

    assert settlement.fee == ride.fare.total

    require_reported(core, rides, ride)
    (line,) = [entry.getMessage() for entry in caplog.records if entry.name == "repaircore.payments.service"]

    assert payment.id in line
    assert ride.ref in line
    assert f"{ride.fare.total / 100:.2f} dollars are owed" in line


def test_lapsed_payment_is_reported_by_the_reconciler(
    core: Core, rides: Rides, caller: PartnerCaller, clock: FrozenClock, caplog: pytest.LogCaptureFixture
) -> None:
    ride = start_ride(core, rides, caller)
    without_gateway(core, rides).complete(ride.ref, caller)
    lapse(core, payment_of(core, rides, ride.ref))
    clock.advance(timedelta(minutes=1))
    with caplog.at_level(logging.WARNING):
        assert core.payment_reconciliation.reconcile() == ReconciliationResult(finished=1)
        assert core.payment_reconciliation.reconcile() == ReconciliationResult()
    require_reported(core, rides, ride)

    assert sum(ride.ref in entry.getMessage() for entry in caplog.records) == 1


def test_cancellation_fee_that_cannot_be_captured_is_owed(
    core: Core, rides: Rides, caller: PartnerCaller
) -> None:
    ride = create_ride(core, rides, caller)
    rides.accept_offer(ride.ref, rides.list_acceptable_offers(ride.ref, caller)[0].provider_ref, caller)
    rides.arrive(ride.ref, caller)
    lapse(core, payment_of(core, rides, ride.ref))
    _, settlement = rides.cancel_accepted(ride.ref, caller)
    (unpaid,) = core.unpaid_rides.list_page(TEST)

    assert (unpaid.ride.ref, unpaid.owed) == (ride.ref, settlement.fee)
    assert read_record(core, rides, ride.ref).events[-1] == f"{rides.kind}.payment_failed"


def test_lapsed_payment_of_a_free_cancellation_is_not_reported(
    core: Core, rides: Rides, caller: PartnerCaller
) -> None:
    ride = create_ride(core, rides, caller)
    rides.accept_offer(ride.ref, rides.list_acceptable_offers(ride.ref, caller)[0].provider_ref, caller)
    lapse(core, payment_of(core, rides, ride.ref))
    _, settlement = rides.cancel_accepted(ride.ref, caller)

    assert settlement.fee == 0
    assert [*read_record(core, rides, ride.ref).events][-2:] == [
        f"{rides.kind}.cancelled",
        f"{rides.kind}.payment_voided",
    ]
    assert [*core.unpaid_rides.list_page(TEST)] == []


def test_unpaid_rides_are_listed_by_environment_and_partner(
    core: Core, rides: Rides, caller: PartnerCaller
) -> None:
    for _ in range(2):
        ride = start_ride(core, rides, caller)
        lapse(core, payment_of(core, rides, ride.ref))
        rides.complete(ride.ref, caller)
    page = core.unpaid_rides.list_page(TEST, per_page=1)

    assert ([unpaid.ride.ref for unpaid in page], page.total) == ([ride.ref], 2)
    assert core.unpaid_rides.list_page(TEST, partner_id=caller.partner_id).total == 2
    assert core.unpaid_rides.list_page(TEST, partner_id=caller.partner_id + 1).total == 0
    assert core.unpaid_rides.list_page(Environment.LIVE).total == 0


def test_contradiction_of_the_gateway_is_logged(
    core: Core, rides: Rides, caller: PartnerCaller, clock: FrozenClock, caplog: pytest.LogCaptureFixture
) -> None:
    ride = start_ride(core, rides, caller)
    payment = payment_of(core, rides, ride.ref)
    with core.storage.database.transaction(write=True) as connection:
        connection.execute(sa.delete(sandbox_charges))
    with caplog.at_level(logging.WARNING):
        rides.complete(ride.ref, caller)
    (line,) = [entry.getMessage() for entry in caplog.records if entry.name == "repaircore.rides.transitions"]

    assert payment.id in line
    assert ride.ref in line

    clock.advance(timedelta(minutes=1))

    assert core.payment_reconciliation.reconcile() == ReconciliationResult(stuck=(payment.id,))


def test_refund_is_reported_once_each(core: Core, rides: Rides, caller: PartnerCaller) -> None:
    ride = start_ride(core, rides, caller)
    rides.complete(ride.ref, caller)
    payment = payment_of(core, rides, ride.ref)
    for _ in range(2):
        core.refunds.refund(payment.id, LOCAL, environment=TEST, amount=500)
    record = read_record(core, rides, ride.ref)
    require_consistent(record)

    assert record.events[-3:] == [
        f"{rides.kind}.{event}" for event in ("completed", "payment_captured", "refunded")
    ]
    assert (
        record.payloads[-1]["data"]["payment"]["refunded"] == record.payloads[-1]["data"]["refunded"] == 5.0
    )
    part = {"payment_id": payment.id, "captured": payment.captured / 100, "refunded": 5.0}
    assert (record.steps[-1].action, record.steps[-1].actor, record.steps[-1].detail) == (
        "refunded",
        "operator",
        {"amount": 5.0, "refunded": 5.0, "partial": True},
    )
    assert record.payloads[-1]["data"]["parts"] == [part]


def test_doctor_reports_stuck_payments(
    core: Core, rides: Rides, caller: PartnerCaller, clock: FrozenClock
) -> None:
    def found() -> str | None:
        findings = evolve(core.checkup, clock=clock).examine().findings
        return next(finding.wrong for finding in findings if finding.name == "payments")

    ride = start_ride(core, rides, caller)
    without_gateway(core, rides).complete(ride.ref, caller)

    assert found() is None
    clock.advance(timedelta(hours=1))
    assert "repaircore payments reconcile" in (found() or "")
    core.payment_reconciliation.reconcile()
    assert found() is None


def test_payment_captured_by_the_reconciler_is_reported_once(
    core: Core, rides: Rides, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = start_ride(core, rides, caller)
    without_gateway(core, rides).complete(ride.ref, caller)
    assert read_record(core, rides, ride.ref).events[-1] == f"{rides.kind}.completed"
    clock.advance(timedelta(minutes=1))
    for _ in range(2):
        core.payment_reconciliation.reconcile()
    record = read_record(core, rides, ride.ref)
    require_consistent(record)
    require_settled(core, record)

    assert record.payloads[-1]["data"]["captured"] == ride.fare.total / 100


def test_interrupted_refund_is_finished_by_the_reconciler(
    core: Core, rides: Rides, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = start_ride(core, rides, caller)
    rides.complete(ride.ref, caller)
    without_gateway(core, rides).refund(ride.ref, RefundRide(amount=500), caller)

    assert payment_of(core, rides, ride.ref).state is PaymentState.REFUNDING
    clock.advance(timedelta(minutes=1))
    core.payment_reconciliation.reconcile()
    rides.refund(ride.ref, RefundRide(amount=500), caller)
    payment = payment_of(core, rides, ride.ref)

    assert (payment.state, payment.refunded) == (PaymentState.REFUNDED, 500)
    assert read_record(core, rides, ride.ref).events.count(f"{rides.kind}.refunded") == 1


def test_concurrent_refunds_of_the_same_total_refund_once(
    core: Core, rides: Rides, caller: PartnerCaller
) -> None:
    ride = start_ride(core, rides, caller)
    rides.complete(ride.ref, caller)

    def refund() -> None:
        with suppress(Conflict):
            rides.refund(ride.ref, RefundRide(amount=700), caller)

    at_once(6, refund)

    assert payment_of(core, rides, ride.ref).refunded == 700
    assert read_record(core, rides, ride.ref).events.count(f"{rides.kind}.refunded") == 1


def test_operator_marks_a_provider_as_arrived(core: Core, rides: Rides, caller: PartnerCaller) -> None:
    ride = create_ride(core, rides, caller)
    rides.accept_offer(ride.ref, rides.list_acceptable_offers(ride.ref, caller)[0].provider_ref, caller)
    rides.arrive(ride.ref, None)
    record = read_record(core, rides, ride.ref)

    assert (record.steps[-1].action, record.steps[-1].actor) == ("driver_arrived", "operator")
    assert (record.events[-1], record.payloads[-1]["data"]["actor"]) == (
        f"{rides.kind}.driver_arrived",
        "operator",
    )
    rides.start(ride.ref, None)
    done, _ = rides.complete(ride.ref, None)
    assert done.status is Status.COMPLETED


def test_forbidden_cancellation_has_no_preview(core: Core, rides: Rides, caller: PartnerCaller) -> None:
    ride = start_ride(core, rides, caller)
    with pytest.raises(Conflict):
        rides.preview_cancellation(ride.ref, caller)
