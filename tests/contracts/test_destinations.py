"""Another destination on the way: what it costs, who pays it, and what happens when much happens at once."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from threading import Barrier, BrokenBarrierError, Lock
from typing import Any

import pytest
from attrs import evolve, frozen
from tests.contracts.dispatching import Town, caller_of, noted, noted_messages
from tests.contracts.partners import add_partner
from tests.contracts.rides import (
    PICKUP,
    charges_of,
    create_ride,
    read_record,
    require_consistent,
    require_settled,
)
from tests.contracts.test_rides_at_once import run_at_once
from tests.threads import at_once

from repaircore.core import Core
from repaircore.destinations.errors import BeingChanged, DifferenceDeclined, PriceChanged
from repaircore.destinations.service import DestinationChanges
from repaircore.dispatch.requests import MakeOffer
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict, Failure, Invalid
from repaircore.kernel.geo import Point
from repaircore.kernel.money import cents
from repaircore.kernel.wording import money
from repaircore.payments.errors import GatewayUnavailable
from repaircore.payments.model import GatewayState, Payment, PaymentState
from repaircore.payments.reconciliation import OLDER_THAN
from repaircore.rides.errors import NoRide
from repaircore.rides.fare_views import ReceiptView
from repaircore.rides.model import Ride, RideKind, RideOutcome, Scenario, Status
from repaircore.rides.progress import RefundRide
from repaircore.rides.requests import Trip
from repaircore.rides.service import Rides
from repaircore.rides.views import RidePaymentView
from repaircore.testing.clock import FrozenClock

FARTHER, FARTHEST, NEARER = Point(34.4, -118.1), Point(34.6, -118.1), Point(34.1, -118.2)


@pytest.fixture(params=["rides", "tows"])
def rides(request: pytest.FixtureRequest, core: Core) -> Rides:
    service: Rides = getattr(core, request.param)
    return service


@frozen
class Side:
    """One kind of ride: its services, and the partner."""

    core: Core
    rides: Rides
    changes: DestinationChanges
    caller: PartnerCaller


@pytest.fixture
def caller(core: Core) -> PartnerCaller:
    return add_partner(core.storage.database)


@pytest.fixture
def side(core: Core, rides: Rides, caller: PartnerCaller) -> Side:
    changes = core.tow_destinations if rides.kind is RideKind.TOW else core.ride_destinations
    return Side(core, rides, changes, caller)


@pytest.fixture
def accepted(side: Side) -> Ride:
    return accept(side.core, side.rides, side.caller)


def accept(core: Core, rides: Rides, caller: PartnerCaller, **fields: Any) -> Ride:
    ride = create_ride(core, rides, caller, **fields)
    (offer, *_) = rides.list_acceptable_offers(ride.ref, caller)
    return rides.accept_offer(ride.ref, offer.provider_ref, caller)


def change(
    changes: DestinationChanges, ref: str, dropoff: Point, caller: PartnerCaller, **options: Any
) -> Ride:
    token, _ = changes.preview(ref, dropoff, caller)
    return changes.change(ref, token, caller, **options)


def finish(rides: Rides, ref: str, caller: PartnerCaller) -> None:
    rides.arrive(ref, caller)
    rides.start(ref, caller)
    rides.complete(ref, caller)


def test_a_farther_destination_holds_the_difference_and_is_captured_with_the_rest(
    side: Side, accepted: Ride
) -> None:
    token, quote = side.changes.preview(accepted.ref, FARTHER, side.caller)
    changed = side.changes.change(accepted.ref, token, side.caller, dropoff_address="9 Elm St")

    assert quote.difference > 0
    assert changed.fare == quote.fare
    assert (changed.dropoff, changed.dropoff_address, changed.status) == (
        FARTHER,
        "9 Elm St",
        Status.ACCEPTED,
    )

    finish(side.rides, accepted.ref, side.caller)
    record = read_record(side.core, side.rides, accepted.ref)
    require_consistent(record)
    require_settled(side.core, record)

    assert [payment.captured for payment in record.payments] == [accepted.fare.total, quote.difference]
    assert record.ride.fee == quote.fare.total
    assert f"{side.rides.kind}.destination_changed" in record.events
    event = record.payloads[record.events.index(f"{side.rides.kind}.destination_changed")]["data"]
    assert event["difference"] == quote.difference / 100
    assert event["payment"]["amount"] == quote.fare.total / 100


def test_a_nearer_destination_captures_less(side: Side, accepted: Ride) -> None:
    changed = change(side.changes, accepted.ref, NEARER, side.caller)
    finish(side.rides, accepted.ref, side.caller)
    record = read_record(side.core, side.rides, accepted.ref)
    require_consistent(record)

    assert changed.fare.total < accepted.fare.total
    assert [payment.captured for payment in record.payments] == [changed.fare.total]


def test_nearer_and_then_farther_holds_only_what_is_missing(side: Side, accepted: Ride) -> None:
    change(side.changes, accepted.ref, NEARER, side.caller)
    farther = change(side.changes, accepted.ref, FARTHER, side.caller)
    farthest = change(side.changes, accepted.ref, FARTHEST, side.caller)
    record = read_record(side.core, side.rides, accepted.ref)
    require_consistent(record)

    assert [payment.amount for payment in record.payments] == [
        accepted.fare.total,
        farther.fare.total - accepted.fare.total,
        farthest.fare.total - farther.fare.total,
    ]


def test_a_declined_difference_leaves_the_destination(side: Side) -> None:
    ride = accept(
        side.core, side.rides, side.caller, sandbox=Scenario.DIFFERENCE_DECLINED, dropoff_address="1 Oak St"
    )
    with pytest.raises(DifferenceDeclined) as caught:
        change(side.changes, ride.ref, FARTHER, side.caller)
    record = read_record(side.core, side.rides, ride.ref)
    require_consistent(record)

    assert caught.value.details is not None
    assert caught.value.details["reason"] == "payment_declined"
    assert (record.ride.dropoff, record.ride.fare) == (ride.dropoff, ride.fare)
    assert record.ride.dropoff_address == "1 Oak St"
    assert [payment.state for payment in record.payments] == [PaymentState.AUTHORIZED, PaymentState.DECLINED]
    assert record.steps[-1].action == "destination_declined"
    assert change(side.changes, ride.ref, FARTHER, side.caller).dropoff == FARTHER


def test_a_quote_is_for_one_ride_one_price_and_fifteen_minutes(
    side: Side, accepted: Ride, clock: FrozenClock
) -> None:
    other = accept(side.core, side.rides, side.caller)
    token, _ = side.changes.preview(accepted.ref, FARTHER, side.caller)
    fare_token, _ = side.rides.estimate(_trip(accepted, FARTHER), side.caller)
    for ref, wrong in ((other.ref, token), (accepted.ref, fare_token), (accepted.ref, "est_guess")):
        with pytest.raises(Invalid) as invalid:
            side.changes.change(ref, wrong, side.caller)
        assert [*invalid.value.fields] == ["estimate_id"]
    change(side.changes, accepted.ref, NEARER, side.caller)
    with pytest.raises(PriceChanged):
        side.changes.change(accepted.ref, token, side.caller)
    late, _ = side.changes.preview(accepted.ref, FARTHER, side.caller)
    clock.advance(timedelta(minutes=15))
    with pytest.raises(Invalid, match="expired"):
        side.changes.change(accepted.ref, late, side.caller)
    stranger = evolve(side.caller, environment=Environment.LIVE)
    with pytest.raises(NoRide):
        side.changes.preview(accepted.ref, FARTHER, stranger)


def _trip(ride: Ride, dropoff: Point) -> Trip:
    return Trip(service=ride.service, pickup=PICKUP, dropoff=dropoff)


def test_the_price_is_that_of_the_hour_of_the_order(side: Side, accepted: Ride, clock: FrozenClock) -> None:
    _, now = side.changes.preview(accepted.ref, FARTHER, side.caller)
    clock.advance(timedelta(hours=12))
    _, at_night = side.changes.preview(accepted.ref, FARTHER, side.caller)

    assert now.fare == at_night.fare


@pytest.mark.parametrize("dropoff", [Point(34.15, -118.15), Point(60, -100)], ids=["same", "too far"])
def test_a_destination_that_is_none_is_refused(side: Side, accepted: Ride, dropoff: Point) -> None:
    with pytest.raises(Invalid) as caught:
        side.changes.preview(accepted.ref, dropoff, side.caller)

    assert [*caught.value.fields] == ["dropoff_latitude"]


def test_of_many_who_accept_the_price_at_once_one_wins(side: Side, accepted: Ride) -> None:
    token, quote = side.changes.preview(accepted.ref, FARTHER, side.caller)
    outcomes = at_once(8, lambda: _attempt(lambda: side.changes.change(accepted.ref, token, side.caller)))
    record = read_record(side.core, side.rides, accepted.ref)
    require_consistent(record)
    held = [each for each in record.payments if each.state is PaymentState.AUTHORIZED]

    assert outcomes.count(None) == 1
    assert all(failure is None or isinstance(failure, Conflict) for failure in outcomes)
    assert [payment.amount for payment in held] == [accepted.fare.total, quote.difference]
    states = [*charges_of(side.core, record.payments).values()]
    assert states.count(GatewayState.AUTHORIZED) == 2


def _attempt(act: Callable[[], object]) -> Failure | None:
    try:
        act()
    except Failure as failure:
        return failure
    return None


@pytest.mark.parametrize("end", ["complete", "cancel_accepted", "drop_out"])
def test_a_ride_that_ends_while_the_difference_is_authorized_releases_it(
    side: Side, accepted: Ride, end: str
) -> None:
    token, _ = side.changes.preview(accepted.ref, FARTHER, side.caller)
    if end == "complete":
        side.rides.arrive(accepted.ref, side.caller)
        side.rides.start(accepted.ref, side.caller)
    authorized = side.changes.authorize(accepted.ref, token, side.caller)
    getattr(side.rides, end)(accepted.ref, side.caller)
    with pytest.raises(Conflict):
        side.changes.assign(accepted.ref, authorized, side.caller)
    record = read_record(side.core, side.rides, accepted.ref)
    require_consistent(record)
    require_settled(side.core, record)

    assert record.ride.dropoff == accepted.dropoff
    assert record.payments[1].state is PaymentState.VOIDED


def test_a_lost_answer_of_the_gateway_is_released_and_the_same_request_goes_on(
    side: Side, accepted: Ride, clock: FrozenClock
) -> None:
    token, _ = side.changes.preview(accepted.ref, FARTHER, side.caller)
    gateway = _Lossy(side.core.payments.gateways[Environment.TEST])
    lossy = evolve(side.changes, payments=evolve(side.core.payments, gateways={Environment.TEST: gateway}))
    with pytest.raises(GatewayUnavailable):
        lossy.change(accepted.ref, token, side.caller, claim="once")
    with pytest.raises(BeingChanged):
        side.changes.change(accepted.ref, token, side.caller, claim="another")

    assert side.changes.change(accepted.ref, token, side.caller, claim="once").dropoff == FARTHER
    record = read_record(side.core, side.rides, accepted.ref)
    require_consistent(record)
    assert len(record.payments) == 2

    again, _ = side.changes.preview(accepted.ref, FARTHEST, side.caller)
    with pytest.raises(GatewayUnavailable):
        lossy.change(accepted.ref, again, side.caller, claim="twice")
    clock.advance(OLDER_THAN)
    side.core.payment_reconciliation.reconcile()
    finish(side.rides, accepted.ref, side.caller)
    record = read_record(side.core, side.rides, accepted.ref)
    require_consistent(record)
    require_settled(side.core, record)
    assert [payment.state for payment in record.payments] == ["captured", "captured", "voided"]


class _Lossy:
    """A gateway that authorizes, and whose answer is lost."""

    def __init__(self, gateway: Any) -> None:
        self._gateway = gateway

    def __getattr__(self, name: str) -> Any:
        return getattr(self._gateway, name)

    def authorize(self, order: Any) -> Any:
        self._gateway.authorize(order)
        raise GatewayUnavailable("The answer is lost.")


def test_who_drops_out_releases_both_and_the_next_is_paid_the_new_price(side: Side, accepted: Ride) -> None:
    changed = change(side.changes, accepted.ref, FARTHER, side.caller)
    side.rides.drop_out(accepted.ref)
    (offer, *_) = side.rides.list_acceptable_offers(accepted.ref, side.caller)
    side.rides.accept_offer(accepted.ref, offer.provider_ref, side.caller)
    finish(side.rides, accepted.ref, side.caller)
    record = read_record(side.core, side.rides, accepted.ref)
    require_consistent(record)
    require_settled(side.core, record)

    assert offer.price == changed.fare.total
    assert [payment.captured for payment in record.payments] == [0, 0, changed.fare.total]


def test_refunds_are_of_the_whole_price(side: Side, accepted: Ride) -> None:
    changed = change(side.changes, accepted.ref, FARTHER, side.caller)
    finish(side.rides, accepted.ref, side.caller)
    part = accepted.fare.total + 500
    side.rides.refund(accepted.ref, RefundRide(amount=part), side.caller)
    side.rides.refund(accepted.ref, RefundRide(amount=part), side.caller)
    partly = [payment.refunded for payment in read_record(side.core, side.rides, accepted.ref).payments]
    with pytest.raises(Invalid):
        side.rides.refund(accepted.ref, RefundRide(amount=changed.fare.total + 1), side.caller)
    side.rides.refund(accepted.ref, RefundRide(), side.caller)
    record = read_record(side.core, side.rides, accepted.ref)
    refunds = [each["data"] for each in record.payloads if each["type"].endswith(".refunded")]

    assert partly == [accepted.fare.total, 500]
    assert sum(payment.refunded for payment in record.payments) == changed.fare.total
    assert [each["partial"] for each in refunds] == [True, False]
    assert [each["refunded"] for each in refunds] == [part / 100, changed.fare.total / 100]
    assert [each["amount"] for each in refunds] == [part / 100, (changed.fare.total - part) / 100]


@pytest.mark.parametrize("end", ["unsuccessful", "cancel_accepted"])
def test_payment_of_an_ended_ride_still_shows_all_that_was_authorized(
    side: Side, accepted: Ride, end: str
) -> None:
    changed = change(side.changes, accepted.ref, FARTHER, side.caller)
    if end == "unsuccessful":
        side.rides.arrive(accepted.ref, side.caller)
        _, settlement = side.rides.complete(accepted.ref, side.caller, outcome=RideOutcome.UNSUCCESSFUL)
    else:
        _, settlement = side.rides.cancel_accepted(accepted.ref, side.caller)
    view = RidePaymentView.of(read_record(side.core, side.rides, accepted.ref).payments)

    assert settlement.fee + settlement.refund == changed.agreed_price
    assert view is not None
    assert (cents(view.amount), cents(view.captured)) == (changed.agreed_price, settlement.fee)


def test_payment_of_the_next_provider_does_not_count_what_was_released_before(
    side: Side, accepted: Ride
) -> None:
    changed = change(side.changes, accepted.ref, FARTHER, side.caller)
    side.rides.drop_out(accepted.ref)
    (offer, *_) = side.rides.list_acceptable_offers(accepted.ref, side.caller)
    side.rides.accept_offer(accepted.ref, offer.provider_ref, side.caller)
    view = RidePaymentView.of(read_record(side.core, side.rides, accepted.ref).payments)

    assert view is not None
    assert cents(view.amount) == changed.fare.total


def test_refund_of_two_payments_is_one_refund_by_whoever_made_it(side: Side, accepted: Ride) -> None:
    changed = change(side.changes, accepted.ref, FARTHER, side.caller)
    finish(side.rides, accepted.ref, side.caller)
    side.rides.refund(accepted.ref, RefundRide(reason="It came late."), side.caller)
    record = read_record(side.core, side.rides, accepted.ref)
    (refund,) = (each["data"] for each in record.payloads if each["type"].endswith(".refunded"))
    (step,) = (step for step in record.steps if step.action == "refunded")
    total = changed.fare.total / 100

    assert (refund["amount"], refund["refunded"], refund["partial"]) == (total, total, False)
    assert (refund["reason"], refund["actor"]) == ("It came late.", "partner")
    assert [(each["payment_id"], each["refunded"]) for each in refund["parts"]] == [
        (payment.id, payment.captured / 100) for payment in record.payments
    ]
    assert (step.actor, step.detail) == (
        "partner",
        {name: refund[name] for name in ("amount", "refunded", "partial", "reason")},
    )


def test_refund_is_reported_once_its_last_payment_is_refunded(
    side: Side, accepted: Ride, clock: FrozenClock
) -> None:
    change(side.changes, accepted.ref, FARTHER, side.caller)
    finish(side.rides, accepted.ref, side.caller)
    silent = _Silent(side.core.payments.gateways[Environment.TEST], after=1)
    rides = evolve(side.rides, payments=evolve(side.core.payments, gateways={Environment.TEST: silent}))
    rides.refund(accepted.ref, RefundRide(), side.caller)
    before = read_record(side.core, side.rides, accepted.ref).events
    clock.advance(OLDER_THAN)
    side.core.payment_reconciliation.reconcile()
    after = read_record(side.core, side.rides, accepted.ref).events

    assert [name for name in before if name.endswith(".refunded")] == []
    assert [*after[len(before) :]] == [f"{accepted.kind}.refunded"]


def test_refund_whose_payments_are_refunded_at_the_same_time_is_reported_once(
    side: Side, accepted: Ride
) -> None:
    change(side.changes, accepted.ref, FARTHER, side.caller)
    finish(side.rides, accepted.ref, side.caller)
    silent = _Silent(side.core.payments.gateways[Environment.TEST], after=0)
    rides = evolve(side.rides, payments=evolve(side.core.payments, gateways={Environment.TEST: silent}))
    rides.refund(accepted.ref, RefundRide(), side.caller)
    pending = read_record(side.core, side.rides, accepted.ref).payments
    saved = Barrier(len(pending))

    def report(work: Any, payment: Payment) -> None:
        # On SQLite there is one writer, so the other does not come; on PostgreSQL neither has committed here.
        with suppress(BrokenBarrierError):
            saved.wait(1)
        side.core.payments.news(work, payment)

    payments = evolve(side.core.payments, news=report)
    failures = run_at_once([partial(payments.finish, payment) for payment in pending])
    record = read_record(side.core, side.rides, accepted.ref)

    assert [payment.state for payment in pending] == [PaymentState.REFUNDING] * 2
    assert failures == [None, None]
    assert [name for name in record.events if name.endswith(".refunded")] == [f"{accepted.kind}.refunded"]


class _Silent:
    """A gateway that answers to some refunds, and then no longer."""

    def __init__(self, gateway: Any, *, after: int) -> None:
        self._gateway = gateway
        self._left = after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._gateway, name)

    def refund(self, *call: Any) -> None:
        self._left -= 1
        if self._left < 0:
            raise GatewayUnavailable("No answer.")
        self._gateway.refund(*call)


def receipt(side: Side, ref: str) -> ReceiptView:
    view = ReceiptView.of(side.rides.get(ref, side.caller))
    assert sum(cents(price.difference) for price in view.prices) == cents(view.price)
    assert sum(cents(payment.captured) for payment in view.payments) == cents(view.captured)
    assert sum(cents(payment.refunded) for payment in view.payments) == cents(view.refunded)
    assert cents(view.captured) + cents(view.owed) == cents(view.fee)
    assert cents(view.captured) - cents(view.refunded) == cents(view.paid)
    return view


@pytest.mark.parametrize("way", [[FARTHER], [FARTHER, FARTHEST], [FARTHER, NEARER], [NEARER], []])
def test_receipt_shows_each_accepted_price_and_what_was_charged(
    side: Side, accepted: Ride, way: list[Point]
) -> None:
    totals = [accepted.agreed_price]
    totals += [change(side.changes, accepted.ref, to, side.caller).agreed_price for to in way]
    finish(side.rides, accepted.ref, side.caller)
    side.rides.refund(accepted.ref, RefundRide(amount=700), side.caller)
    view = receipt(side, accepted.ref)

    assert [cents(price.price) for price in view.prices] == totals
    assert [price.action for price in view.prices] == ["accept_offer", *["change_destination"] * len(way)]
    assert (view.price, view.captured, view.refunded) == (totals[-1] / 100, totals[-1] / 100, 7.0)
    assert view.fee_reason == "The ride was completed."


def test_receipt_leaves_out_what_a_provider_who_dropped_out_had_agreed_to(side: Side, accepted: Ride) -> None:
    changed = change(side.changes, accepted.ref, FARTHER, side.caller)
    side.rides.drop_out(accepted.ref)
    (offer, *_) = side.rides.list_acceptable_offers(accepted.ref, side.caller)
    side.rides.accept_offer(accepted.ref, offer.provider_ref, side.caller)
    finish(side.rides, accepted.ref, side.caller)
    view = receipt(side, accepted.ref)

    assert [(price.action, cents(price.price)) for price in view.prices] == [
        ("accept_offer", changed.fare.total)
    ]


def test_receipt_says_what_is_owed_of_a_payment_that_lapsed(side: Side, accepted: Ride) -> None:
    changed = change(side.changes, accepted.ref, FARTHER, side.caller)
    _, added = read_record(side.core, side.rides, accepted.ref).payments
    # Released at the gateway itself, as time does.
    side.core.payments.gateway(Environment.TEST).void(added.gateway_ref or "", "by hand")
    finish(side.rides, accepted.ref, side.caller)
    view = receipt(side, accepted.ref)
    (unpaid,) = side.core.unpaid_rides.list_page(Environment.TEST)

    assert cents(view.owed) == unpaid.owed == changed.agreed_price - accepted.agreed_price
    assert cents(view.captured) == accepted.agreed_price


def test_a_pending_ride_is_changed_by_an_update_instead(side: Side) -> None:
    ride = create_ride(side.core, side.rides, side.caller)
    with pytest.raises(Conflict) as caught:
        side.changes.preview(ride.ref, FARTHER, side.caller)

    assert caught.value.details is not None
    assert "update" in caught.value.details["allowed"]


def test_the_provider_hears_of_the_new_destination_once(core: Core, caller: PartnerCaller) -> None:
    town = Town.of(core, caller, RideKind.TOW)
    town.add_providers(1, environment=Environment.TEST)
    ride = town.create()
    town.dispatch.run()
    (request,) = town.requests(ride.ref)
    provider = caller_of(request)
    town.provider_requests.offer(request.ref, MakeOffer(eta_minutes=20), provider)
    town.rides.accept_offer(ride.ref, request.provider_ref, caller)
    town.dispatch.run()
    changes = evolve(core.tow_destinations, payments=town.rides.payments)
    changed = change(changes, ride.ref, FARTHER, caller)
    at_once(4, town.dispatch.run)
    town.dispatch.run()
    job = town.job(request)

    assert [kind for _, kind in noted(core)] == ["request.requested", "request.chosen", "request.changed"]
    assert (job.is_chosen, job.ride.dropoff, job.ride.fare) == (True, FARTHER, changed.fare)
    told = noted_messages(core)[-1]["text"]
    assert "to Palmdale, CA" in told
    assert "instead of Pasadena, CA" in told
    assert f"It now pays {money(changed.fare.total)} instead of {money(ride.fare.total)}." in told


def test_provider_who_does_not_know_yet_that_they_were_chosen_is_told_that_with_the_new_destination(
    core: Core, caller: PartnerCaller
) -> None:
    town = Town.of(core, caller, RideKind.TOW)
    town.add_providers(1, environment=Environment.TEST)
    ride = town.create()
    town.dispatch.run()
    (request,) = town.requests(ride.ref)
    town.provider_requests.offer(request.ref, MakeOffer(eta_minutes=20), caller_of(request))
    town.rides.accept_offer(ride.ref, request.provider_ref, caller)
    changes = evolve(core.tow_destinations, payments=town.rides.payments)
    changed = change(changes, ride.ref, FARTHER, caller)
    town.dispatch.run()
    town.dispatch.run()
    told = noted_messages(core)[-1]["text"]

    assert [kind for _, kind in noted(core)] == ["request.requested", "request.chosen"]
    assert "You have the job." in told
    assert "to Palmdale, CA" in told
    assert f"Pays {money(changed.fare.total)} instead of {money(ride.fare.total)}." in told


def test_a_business_that_took_less_takes_the_same_share_less(core: Core, caller: PartnerCaller) -> None:
    town = Town.of(core, caller, RideKind.TOW)
    town.add_providers(1, environment=Environment.TEST)
    ride = town.create()
    town.dispatch.run()
    (request,) = town.requests(ride.ref)
    less = round(ride.fare.total * 0.8)
    own = MakeOffer(eta_minutes=20, price=less / 100)
    town.provider_requests.offer(request.ref, own, caller_of(request))
    town.rides.accept_offer(ride.ref, request.provider_ref, caller)
    changes = evolve(core.tow_destinations, payments=town.rides.payments)
    token, quote = changes.preview(ride.ref, FARTHER, caller)
    changed = changes.change(ride.ref, token, caller)
    finish(town.rides, ride.ref, caller)
    record = read_record(core, town.rides, ride.ref)
    require_consistent(record)

    assert quote.current == less
    assert abs(quote.price - quote.fare.total * quote.current / ride.fare.total) <= 0.5
    assert quote.price < quote.fare.total
    assert (changed.fare, changed.agreed_price) == (quote.fare, quote.price)
    assert [payment.captured for payment in record.payments] == [quote.current, quote.difference]


def test_changing_the_destination_while_the_job_is_completed_is_one_after_the_other(
    side: Side, accepted: Ride
) -> None:
    token, quote = side.changes.preview(accepted.ref, FARTHER, side.caller)
    side.rides.arrive(accepted.ref, side.caller)
    side.rides.start(accepted.ref, side.caller)
    acts = iter([
        lambda: side.changes.change(accepted.ref, token, side.caller),
        lambda: side.rides.complete(accepted.ref, side.caller),
        lambda: side.changes.change(accepted.ref, token, side.caller),
    ])  # fmt: skip
    lock = Lock()

    def act() -> Failure | None:
        with lock:
            chosen = next(acts)
        return _attempt(chosen)

    failures = at_once(3, act)
    record = read_record(side.core, side.rides, accepted.ref)
    require_consistent(record)
    require_settled(side.core, record)

    assert all(failure is None or isinstance(failure, Conflict) for failure in failures)
    assert record.ride.status is Status.COMPLETED
    assert record.ride.fee == sum(payment.captured for payment in record.payments)
    assert record.ride.fee in {accepted.fare.total, quote.fare.total}
