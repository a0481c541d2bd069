"""Money of rides that moves, or cannot move, without their partner: it is heard, on both databases."""

import logging
from datetime import timedelta

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.contracts.partners import a_partner
from tests.contracts.rides import asked, require_settled, require_sound, told_of

from repaircore.adapters.sql.schema.payments import sandbox_charges
from repaircore.bootstrap import Core
from repaircore.kernel.callers import LOCAL, Environment, PartnerCaller
from repaircore.payments.model import LAPSED, Payment, PaymentState, ReconciliationResult
from repaircore.rides.model import Ride
from repaircore.rides.service import Rides
from repaircore.testing.clock import FrozenClock

TEST = Environment.TEST


@pytest.fixture
def caller(core: Core) -> PartnerCaller:
    return a_partner(core.storage.database)


@pytest.fixture(params=["rides", "tows"])
def served(core: Core, request: pytest.FixtureRequest) -> Rides:
    chosen: Rides = getattr(core, request.param)
    return chosen


def in_progress(core: Core, served: Rides, caller: PartnerCaller) -> Ride:
    ride = asked(core, served, caller)
    (offer, *_) = served.offers(ride.ref, caller)
    served.accept_offer(ride.ref, offer.provider_ref, caller)
    served.arrive(ride.ref, caller)
    return served.start(ride.ref, caller)


def payment_of(core: Core, served: Rides, ref: str) -> Payment:
    (payment,) = told_of(core, served, ref).payments
    return payment


def let_lapse(core: Core, payment: Payment) -> None:
    """Release what is held at the gateway itself, as time does."""
    core.payments.gateway(TEST).void(payment.gateway_ref or "", "by hand")


def without_gateway(core: Core, served: Rides) -> Rides:
    """Give the rides as they are while nobody takes money."""
    return evolve(served, payments=evolve(core.payments, gateways={}))


def require_heard(core: Core, served: Rides, ride: Ride) -> None:
    """Demand that the partner heard once that the fee is owed."""
    told = told_of(core, served, ride.ref)
    require_sound(told)
    require_settled(core, told)
    assert [(one.state, one.captured, one.reason) for one in told.payments] == [
        (PaymentState.VOIDED, 0, LAPSED)
    ]
    assert told.events[-2:] == [f"{served.kind}.completed", f"{served.kind}.payment_failed"]
    data = told.payloads[-1]["data"]
    owed = ride.fare.total / 100
    assert (data["owed"], data["reason"], data["fee"]) == (owed, LAPSED, owed)
    assert (data["status"], data["payment"]["status"]) == ("completed", "voided")
    step = told.steps[-1]
    assert (step.action, step.actor, step.after) == ("payment_failed", "system", "completed")
    (due,) = core.unpaid_rides.page(TEST)
    assert (due.ride.ref, due.owed) == (ride.ref, ride.fare.total)


def test_a_hold_that_lapsed_before_the_end_is_heard(
    core: Core, served: Rides, caller: PartnerCaller, caplog: pytest.LogCaptureFixture
) -> None:
    ride = in_progress(core, served, caller)
    payment = payment_of(core, served, ride.ref)
    let_lapse(core, payment)
    with caplog.at_level(logging.WARNING):
        _, settlement = served.complete(ride.ref, caller)
    assert settlement.fee == ride.fare.total
    require_heard(core, served, ride)
    (line,) = [one.getMessage() for one in caplog.records if one.name == "repaircore.payments.service"]
    assert payment.id in line
    assert ride.ref in line
    assert f"{ride.fare.total / 100:.2f} dollars are owed" in line


def test_a_hold_that_lapsed_is_heard_from_the_reconciler(
    core: Core, served: Rides, caller: PartnerCaller, clock: FrozenClock, caplog: pytest.LogCaptureFixture
) -> None:
    ride = in_progress(core, served, caller)
    without_gateway(core, served).complete(ride.ref, caller)
    let_lapse(core, payment_of(core, served, ride.ref))
    clock.advance(timedelta(minutes=1))
    with caplog.at_level(logging.WARNING):
        assert core.payment_reconciliation.reconcile() == ReconciliationResult(finished=1)
        assert core.payment_reconciliation.reconcile() == ReconciliationResult()
    require_heard(core, served, ride)
    assert len([one for one in caplog.records if ride.ref in one.getMessage()]) == 1


def test_a_fee_for_canceling_that_cannot_be_taken_is_owed(
    core: Core, served: Rides, caller: PartnerCaller
) -> None:
    ride = asked(core, served, caller)
    served.accept_offer(ride.ref, served.offers(ride.ref, caller)[0].provider_ref, caller)
    served.arrive(ride.ref, caller)
    let_lapse(core, payment_of(core, served, ride.ref))
    _, settlement = served.cancel_accepted(ride.ref, caller)
    (due,) = core.unpaid_rides.page(TEST)
    assert (due.ride.ref, due.owed) == (ride.ref, settlement.fee)
    assert told_of(core, served, ride.ref).events[-1] == f"{served.kind}.payment_failed"


def test_a_hold_that_lapsed_and_was_to_be_released_is_nobodys_news(
    core: Core, served: Rides, caller: PartnerCaller
) -> None:
    ride = asked(core, served, caller)
    served.accept_offer(ride.ref, served.offers(ride.ref, caller)[0].provider_ref, caller)
    let_lapse(core, payment_of(core, served, ride.ref))
    _, settlement = served.cancel_accepted(ride.ref, caller)
    assert settlement.fee == 0
    assert told_of(core, served, ride.ref).events[-1] == f"{served.kind}.cancelled"
    assert [*core.unpaid_rides.page(TEST)] == []


def test_what_is_owed_is_listed_by_environment_and_partner(
    core: Core, served: Rides, caller: PartnerCaller
) -> None:
    for _ in range(2):
        ride = in_progress(core, served, caller)
        let_lapse(core, payment_of(core, served, ride.ref))
        served.complete(ride.ref, caller)
    page = core.unpaid_rides.page(TEST, per_page=1)
    assert ([one.ride.ref for one in page], page.total) == ([ride.ref], 2)
    assert core.unpaid_rides.page(TEST, partner_id=caller.partner_id).total == 2
    assert core.unpaid_rides.page(TEST, partner_id=caller.partner_id + 1).total == 0
    assert core.unpaid_rides.page(Environment.LIVE).total == 0


def test_a_gateway_that_contradicts_at_the_end_is_said_in_the_log(
    core: Core, served: Rides, caller: PartnerCaller, clock: FrozenClock, caplog: pytest.LogCaptureFixture
) -> None:
    ride = in_progress(core, served, caller)
    payment = payment_of(core, served, ride.ref)
    with core.storage.database.transaction(write=True) as connection:
        connection.execute(sa.delete(sandbox_charges))
    with caplog.at_level(logging.WARNING):
        served.complete(ride.ref, caller)
    (line,) = [one.getMessage() for one in caplog.records if one.name == "repaircore.rides.transitions"]
    assert payment.id in line
    assert ride.ref in line
    clock.advance(timedelta(minutes=1))
    assert core.payment_reconciliation.reconcile() == ReconciliationResult(stuck=(payment.id,))


def test_money_that_is_given_back_is_heard_once(core: Core, served: Rides, caller: PartnerCaller) -> None:
    ride = in_progress(core, served, caller)
    served.complete(ride.ref, caller)
    payment = payment_of(core, served, ride.ref)
    for _ in range(2):
        core.refunds.refund(payment.id, LOCAL, environment=TEST, amount=500)
    told = told_of(core, served, ride.ref)
    require_sound(told)
    assert told.events[-2:] == [f"{served.kind}.completed", f"{served.kind}.refunded"]
    assert told.payloads[-1]["data"]["payment"]["refunded"] == told.payloads[-1]["data"]["refunded"] == 5.0
    assert (told.steps[-1].action, told.steps[-1].detail) == ("refunded", {"refunded": 5.0})
