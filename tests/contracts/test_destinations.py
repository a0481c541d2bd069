"""Changing the destination of an accepted ride: its price, its payments, and concurrent actions."""

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
class RideServices:
    """One kind of ride: its services, and the partner."""

    core: Core
    rides: Rides
    changes: DestinationChanges
    caller: PartnerCaller


@pytest.fixture
def caller(core: Core) -> PartnerCaller:
    return add_partner(core.storage.database)


@pytest.fixture
def services(core: Core, rides: Rides, caller: PartnerCaller) -> RideServices:
    changes = core.tow_destinations if rides.kind is RideKind.TOW else core.ride_destinations
    return RideServices(core, rides, changes, caller)


@pytest.fixture
def accepted(services: RideServices) -> Ride:
    return accept(services.core, services.rides, services.caller)


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


def test_farther_destination_holds_and_captures_the_difference(
    services: RideServices, accepted: Ride
) -> None:
    token, quote = services.changes.preview(accepted.ref, FARTHER, services.caller)
    changed = services.changes.change(accepted.ref, token, services.caller, dropoff_address="9 Elm St")

    assert quote.difference > 0
    assert changed.fare == quote.fare
    assert (changed.dropoff, changed.dropoff_address, changed.status) == (
        FARTHER,
        "9 Elm St",
        Status.ACCEPTED,
    )

    finish(services.rides, accepted.ref, services.caller)
    record = read_record(services.core, services.rides, accepted.ref)
    require_consistent(record)
    require_settled(services.core, record)

    assert [payment.captured for payment in record.payments] == [accepted.fare.total, quote.difference]
    assert record.ride.fee == quote.fare.total
    assert f"{services.rides.kind}.destination_changed" in record.events
    event = record.payloads[record.events.index(f"{services.rides.kind}.destination_changed")]["data"]
    assert event["difference"] == quote.difference / 100
    assert event["payment"]["amount"] == quote.fare.total / 100


def test_nearer_destination_captures_less(services: RideServices, accepted: Ride) -> None:
    changed = change(services.changes, accepted.ref, NEARER, services.caller)
    finish(services.rides, accepted.ref, services.caller)
    record = read_record(services.core, services.rides, accepted.ref)
    require_consistent(record)

    assert changed.fare.total < accepted.fare.total
    assert [payment.captured for payment in record.payments] == [changed.fare.total]


def test_nearer_then_farther_holds_only_the_missing_amount(services: RideServices, accepted: Ride) -> None:
    change(services.changes, accepted.ref, NEARER, services.caller)
    farther = change(services.changes, accepted.ref, FARTHER, services.caller)
    farthest = change(services.changes, accepted.ref, FARTHEST, services.caller)
    record = read_record(services.core, services.rides, accepted.ref)
    require_consistent(record)

    assert [payment.amount for payment in record.payments] == [
        accepted.fare.total,
        farther.fare.total - accepted.fare.total,
        farthest.fare.total - farther.fare.total,
    ]


@pytest.mark.parametrize(("difference", "amounts"), [(-1, []), (0, []), (1, [1])])
def test_smallest_difference_is_held(
    services: RideServices, accepted: Ride, *, difference: int, amounts: list[int]
) -> None:
    _, quote = services.changes.preview(accepted.ref, FARTHER, services.caller)
    token = services.changes.destination_seal.seal(evolve(quote, price=accepted.agreed_price + difference))
    changed = services.changes.change(accepted.ref, token, services.caller)
    record = read_record(services.core, services.rides, accepted.ref)

    assert changed.agreed_price == accepted.agreed_price + difference
    assert [payment.amount for payment in record.payments] == [accepted.agreed_price, *amounts]


def test_declined_difference_keeps_the_destination(services: RideServices, clock: FrozenClock) -> None:
    ride = accept(
        services.core,
        services.rides,
        services.caller,
        sandbox=Scenario.DIFFERENCE_DECLINED,
        dropoff_address="1 Oak St",
    )
    clock.advance(timedelta(minutes=1))
    with pytest.raises(DifferenceDeclined) as caught:
        change(services.changes, ride.ref, FARTHER, services.caller)
    record = read_record(services.core, services.rides, ride.ref)
    require_consistent(record)

    assert caught.value.details is not None
    assert caught.value.details["reason"] == "payment_declined"
    assert (record.ride.dropoff, record.ride.fare) == (ride.dropoff, ride.fare)
    assert record.ride.dropoff_address == "1 Oak St"
    assert [payment.state for payment in record.payments] == [PaymentState.AUTHORIZED, PaymentState.DECLINED]
    assert (record.steps[-1].action, record.steps[-1].at) == ("destination_declined", clock.now)
    assert record.ride.updated_at == clock.now
    assert change(services.changes, ride.ref, FARTHER, services.caller).dropoff == FARTHER


def test_quote_is_for_one_ride_one_price_and_15_minutes(
    services: RideServices, accepted: Ride, clock: FrozenClock
) -> None:
    other = accept(services.core, services.rides, services.caller)
    token, _ = services.changes.preview(accepted.ref, FARTHER, services.caller)
    fare_token, _ = services.rides.estimate(_trip(accepted, FARTHER), services.caller)
    for ref, wrong in ((other.ref, token), (accepted.ref, fare_token), (accepted.ref, "est_guess")):
        with pytest.raises(Invalid) as invalid:
            services.changes.change(ref, wrong, services.caller)
        assert [*invalid.value.fields] == ["estimate_id"]
    change(services.changes, accepted.ref, NEARER, services.caller)
    with pytest.raises(PriceChanged):
        services.changes.change(accepted.ref, token, services.caller)
    late, _ = services.changes.preview(accepted.ref, FARTHER, services.caller)
    clock.advance(timedelta(minutes=15))
    with pytest.raises(Invalid, match="expired"):
        services.changes.change(accepted.ref, late, services.caller)
    stranger = evolve(services.caller, environment=Environment.LIVE)
    with pytest.raises(NoRide):
        services.changes.preview(accepted.ref, FARTHER, stranger)


def _trip(ride: Ride, dropoff: Point) -> Trip:
    return Trip(service=ride.service, pickup=PICKUP, dropoff=dropoff)


def test_price_uses_the_hour_of_the_order(services: RideServices, accepted: Ride, clock: FrozenClock) -> None:
    _, now = services.changes.preview(accepted.ref, FARTHER, services.caller)
    clock.advance(timedelta(hours=12))
    _, at_night = services.changes.preview(accepted.ref, FARTHER, services.caller)

    assert now.fare == at_night.fare


@pytest.mark.parametrize("dropoff", [Point(34.15, -118.15), Point(60, -100)], ids=["same", "too far"])
def test_invalid_destination_is_rejected(services: RideServices, accepted: Ride, dropoff: Point) -> None:
    with pytest.raises(Invalid) as caught:
        services.changes.preview(accepted.ref, dropoff, services.caller)

    assert [*caught.value.fields] == ["dropoff_latitude"]


def test_one_of_concurrent_price_acceptances_wins(services: RideServices, accepted: Ride) -> None:
    token, quote = services.changes.preview(accepted.ref, FARTHER, services.caller)
    outcomes = at_once(
        8, lambda: _attempt(lambda: services.changes.change(accepted.ref, token, services.caller))
    )
    record = read_record(services.core, services.rides, accepted.ref)
    require_consistent(record)
    held = [each for each in record.payments if each.state is PaymentState.AUTHORIZED]

    assert outcomes.count(None) == 1
    assert all(failure is None or isinstance(failure, Conflict) for failure in outcomes)
    assert [payment.amount for payment in held] == [accepted.fare.total, quote.difference]
    states = [*charges_of(services.core, record.payments).values()]
    assert states.count(GatewayState.AUTHORIZED) == 2


def _attempt(act: Callable[[], object]) -> Failure | None:
    try:
        act()
    except Failure as failure:
        return failure
    return None


@pytest.mark.parametrize("end", ["complete", "cancel_accepted", "drop_out"])
def test_ride_that_ends_meanwhile_releases_the_difference(
    services: RideServices, accepted: Ride, end: str
) -> None:
    token, _ = services.changes.preview(accepted.ref, FARTHER, services.caller)
    if end == "complete":
        services.rides.arrive(accepted.ref, services.caller)
        services.rides.start(accepted.ref, services.caller)
    authorized = services.changes.authorize(accepted.ref, token, services.caller)
    getattr(services.rides, end)(accepted.ref, services.caller)
    with pytest.raises(Conflict):
        services.changes.assign(accepted.ref, authorized, services.caller)
    record = read_record(services.core, services.rides, accepted.ref)
    require_consistent(record)
    require_settled(services.core, record)

    assert record.ride.dropoff == accepted.dropoff
    assert record.payments[1].state is PaymentState.VOIDED


def test_lost_gateway_answer_can_be_retried_or_is_released(
    services: RideServices, accepted: Ride, clock: FrozenClock
) -> None:
    token, _ = services.changes.preview(accepted.ref, FARTHER, services.caller)
    gateway = _LostAnswerGateway(services.core.payments.gateways[Environment.TEST])
    lossy = evolve(
        services.changes, payments=evolve(services.core.payments, gateways={Environment.TEST: gateway})
    )
    with pytest.raises(GatewayUnavailable):
        lossy.change(accepted.ref, token, services.caller, claim="once")
    with pytest.raises(BeingChanged):
        services.changes.change(accepted.ref, token, services.caller, claim="another")

    assert services.changes.change(accepted.ref, token, services.caller, claim="once").dropoff == FARTHER
    record = read_record(services.core, services.rides, accepted.ref)
    require_consistent(record)
    assert len(record.payments) == 2

    again, _ = services.changes.preview(accepted.ref, FARTHEST, services.caller)
    with pytest.raises(GatewayUnavailable):
        lossy.change(accepted.ref, again, services.caller, claim="twice")
    clock.advance(OLDER_THAN)
    services.core.payment_reconciliation.reconcile()
    finish(services.rides, accepted.ref, services.caller)
    record = read_record(services.core, services.rides, accepted.ref)
    require_consistent(record)
    require_settled(services.core, record)
    assert [payment.state for payment in record.payments] == ["captured", "captured", "voided"]


class _LostAnswerGateway:
    """Authorizes, but loses the answer."""

    def __init__(self, gateway: Any) -> None:
        self._gateway = gateway

    def __getattr__(self, name: str) -> Any:
        return getattr(self._gateway, name)

    def authorize(self, order: Any) -> Any:
        self._gateway.authorize(order)
        raise GatewayUnavailable("The answer is lost.")


def test_drop_out_releases_both_payments_and_keeps_the_price(services: RideServices, accepted: Ride) -> None:
    changed = change(services.changes, accepted.ref, FARTHER, services.caller)
    services.rides.drop_out(accepted.ref)
    (offer, *_) = services.rides.list_acceptable_offers(accepted.ref, services.caller)
    services.rides.accept_offer(accepted.ref, offer.provider_ref, services.caller)
    finish(services.rides, accepted.ref, services.caller)
    record = read_record(services.core, services.rides, accepted.ref)
    require_consistent(record)
    require_settled(services.core, record)

    assert offer.price == changed.fare.total
    assert [payment.captured for payment in record.payments] == [0, 0, changed.fare.total]


def test_refund_covers_both_payments(services: RideServices, accepted: Ride) -> None:
    changed = change(services.changes, accepted.ref, FARTHER, services.caller)
    finish(services.rides, accepted.ref, services.caller)
    part = accepted.fare.total + 500
    services.rides.refund(accepted.ref, RefundRide(amount=part), services.caller)
    services.rides.refund(accepted.ref, RefundRide(amount=part), services.caller)
    partly = [
        payment.refunded for payment in read_record(services.core, services.rides, accepted.ref).payments
    ]
    with pytest.raises(Invalid):
        services.rides.refund(accepted.ref, RefundRide(amount=changed.fare.total + 1), services.caller)
    services.rides.refund(accepted.ref, RefundRide(), services.caller)
    record = read_record(services.core, services.rides, accepted.ref)
    refunds = [each["data"] for each in record.payloads if each["type"].endswith(".refunded")]

    assert partly == [accepted.fare.total, 500]
    assert sum(payment.refunded for payment in record.payments) == changed.fare.total
    assert [each["partial"] for each in refunds] == [True, False]
    assert [each["refunded"] for each in refunds] == [part / 100, changed.fare.total / 100]
    assert [each["amount"] for each in refunds] == [part / 100, (changed.fare.total - part) / 100]


@pytest.mark.parametrize("end", ["unsuccessful", "cancel_accepted"])
def test_payment_of_an_ended_ride_shows_the_authorized_total(
    services: RideServices, accepted: Ride, end: str
) -> None:
    changed = change(services.changes, accepted.ref, FARTHER, services.caller)
    if end == "unsuccessful":
        services.rides.arrive(accepted.ref, services.caller)
        _, settlement = services.rides.complete(
            accepted.ref, services.caller, outcome=RideOutcome.UNSUCCESSFUL
        )
    else:
        _, settlement = services.rides.cancel_accepted(accepted.ref, services.caller)
    view = RidePaymentView.of(read_record(services.core, services.rides, accepted.ref).payments)

    assert settlement.fee + settlement.refund == changed.agreed_price
    assert view is not None
    assert (cents(view.amount), cents(view.captured)) == (changed.agreed_price, settlement.fee)


def test_payment_of_the_next_provider_ignores_released_amounts(
    services: RideServices, accepted: Ride
) -> None:
    changed = change(services.changes, accepted.ref, FARTHER, services.caller)
    services.rides.drop_out(accepted.ref)
    (offer, *_) = services.rides.list_acceptable_offers(accepted.ref, services.caller)
    services.rides.accept_offer(accepted.ref, offer.provider_ref, services.caller)
    view = RidePaymentView.of(read_record(services.core, services.rides, accepted.ref).payments)

    assert view is not None
    assert cents(view.amount) == changed.fare.total


def test_refund_of_two_payments_is_reported_as_one(services: RideServices, accepted: Ride) -> None:
    changed = change(services.changes, accepted.ref, FARTHER, services.caller)
    finish(services.rides, accepted.ref, services.caller)
    services.rides.refund(accepted.ref, RefundRide(reason="It came late."), services.caller)
    record = read_record(services.core, services.rides, accepted.ref)
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


def test_refund_is_reported_after_its_last_payment(
    services: RideServices, accepted: Ride, clock: FrozenClock
) -> None:
    change(services.changes, accepted.ref, FARTHER, services.caller)
    finish(services.rides, accepted.ref, services.caller)
    silent = _SilentGateway(services.core.payments.gateways[Environment.TEST], after=1)
    rides = evolve(
        services.rides, payments=evolve(services.core.payments, gateways={Environment.TEST: silent})
    )
    rides.refund(accepted.ref, RefundRide(), services.caller)
    before = read_record(services.core, services.rides, accepted.ref).events
    clock.advance(OLDER_THAN)
    services.core.payment_reconciliation.reconcile()
    after = read_record(services.core, services.rides, accepted.ref).events

    assert [name for name in before if name.endswith(".refunded")] == []
    assert [*after[len(before) :]] == [f"{accepted.kind}.refunded"]


def test_refund_of_two_payments_at_once_is_reported_once(services: RideServices, accepted: Ride) -> None:
    change(services.changes, accepted.ref, FARTHER, services.caller)
    finish(services.rides, accepted.ref, services.caller)
    silent = _SilentGateway(services.core.payments.gateways[Environment.TEST], after=0)
    rides = evolve(
        services.rides, payments=evolve(services.core.payments, gateways={Environment.TEST: silent})
    )
    rides.refund(accepted.ref, RefundRide(), services.caller)
    pending = read_record(services.core, services.rides, accepted.ref).payments
    saved = Barrier(len(pending))

    def report(work: Any, payment: Payment) -> None:
        # On SQLite there is one writer, so the other does not come; on PostgreSQL neither has committed here.
        with suppress(BrokenBarrierError):
            saved.wait(1)
        services.core.payments.news(work, payment)

    payments = evolve(services.core.payments, news=report)
    failures = run_at_once([partial(payments.finish, payment) for payment in pending])
    record = read_record(services.core, services.rides, accepted.ref)

    assert [payment.state for payment in pending] == [PaymentState.REFUNDING] * 2
    assert failures == [None, None]
    assert [name for name in record.events if name.endswith(".refunded")] == [f"{accepted.kind}.refunded"]


class _SilentGateway:
    """Answers some refunds, and then none."""

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


def receipt(services: RideServices, ref: str) -> ReceiptView:
    view = ReceiptView.of(services.rides.get(ref, services.caller))
    assert sum(cents(price.difference) for price in view.prices) == cents(view.price)
    assert sum(cents(payment.captured) for payment in view.payments) == cents(view.captured)
    assert sum(cents(payment.refunded) for payment in view.payments) == cents(view.refunded)
    assert cents(view.captured) + cents(view.owed) == cents(view.fee)
    assert cents(view.captured) - cents(view.refunded) == cents(view.paid)
    return view


@pytest.mark.parametrize("destinations", [[FARTHER], [FARTHER, FARTHEST], [FARTHER, NEARER], [NEARER], []])
def test_receipt_shows_accepted_prices_and_charges(
    services: RideServices, accepted: Ride, destinations: list[Point]
) -> None:
    totals = [accepted.agreed_price]
    totals += [
        change(services.changes, accepted.ref, to, services.caller).agreed_price for to in destinations
    ]
    finish(services.rides, accepted.ref, services.caller)
    services.rides.refund(accepted.ref, RefundRide(amount=700), services.caller)
    view = receipt(services, accepted.ref)

    assert [cents(price.price) for price in view.prices] == totals
    assert [price.action for price in view.prices] == [
        "accept_offer",
        *["change_destination"] * len(destinations),
    ]
    assert (view.price, view.captured, view.refunded) == (totals[-1] / 100, totals[-1] / 100, 7.0)
    assert view.fee_reason == "The ride was completed."


def test_receipt_omits_prices_of_a_provider_who_dropped_out(services: RideServices, accepted: Ride) -> None:
    changed = change(services.changes, accepted.ref, FARTHER, services.caller)
    services.rides.drop_out(accepted.ref)
    (offer, *_) = services.rides.list_acceptable_offers(accepted.ref, services.caller)
    services.rides.accept_offer(accepted.ref, offer.provider_ref, services.caller)
    finish(services.rides, accepted.ref, services.caller)
    view = receipt(services, accepted.ref)

    assert [(price.action, cents(price.price)) for price in view.prices] == [
        ("accept_offer", changed.fare.total)
    ]


def test_receipt_shows_what_a_lapsed_payment_owes(services: RideServices, accepted: Ride) -> None:
    changed = change(services.changes, accepted.ref, FARTHER, services.caller)
    _, added = read_record(services.core, services.rides, accepted.ref).payments
    # Released at the gateway, as it does after some days.
    services.core.payments.gateway(Environment.TEST).void(added.gateway_ref or "", "by hand")
    finish(services.rides, accepted.ref, services.caller)
    view = receipt(services, accepted.ref)
    (unpaid,) = services.core.unpaid_rides.list_page(Environment.TEST)

    assert cents(view.owed) == unpaid.owed == changed.agreed_price - accepted.agreed_price
    assert cents(view.captured) == accepted.agreed_price


def test_pending_ride_must_be_changed_by_update(services: RideServices) -> None:
    ride = create_ride(services.core, services.rides, services.caller)
    with pytest.raises(Conflict) as caught:
        services.changes.preview(ride.ref, FARTHER, services.caller)

    assert caught.value.details is not None
    assert "update" in caught.value.details["allowed"]


def test_provider_is_notified_of_a_new_destination_once(core: Core, caller: PartnerCaller) -> None:
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
    text = noted_messages(core)[-1]["text"]
    assert "to Palmdale, CA" in text
    assert "instead of Pasadena, CA" in text
    assert f"It now pays {money(changed.fare.total)} instead of {money(ride.fare.total)}." in text


def test_provider_learns_of_being_chosen_with_the_new_destination(core: Core, caller: PartnerCaller) -> None:
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
    text = noted_messages(core)[-1]["text"]

    assert [kind for _, kind in noted(core)] == ["request.requested", "request.chosen"]
    assert "You have the job." in text
    assert "to Palmdale, CA" in text
    assert f"Pays {money(changed.fare.total)} instead of {money(ride.fare.total)}." in text


def test_lower_offer_discounts_the_new_price_alike(core: Core, caller: PartnerCaller) -> None:
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


def test_concurrent_change_and_completion_are_serialized(services: RideServices, accepted: Ride) -> None:
    token, quote = services.changes.preview(accepted.ref, FARTHER, services.caller)
    services.rides.arrive(accepted.ref, services.caller)
    services.rides.start(accepted.ref, services.caller)
    acts = iter([
        lambda: services.changes.change(accepted.ref, token, services.caller),
        lambda: services.rides.complete(accepted.ref, services.caller),
        lambda: services.changes.change(accepted.ref, token, services.caller),
    ])  # fmt: skip
    lock = Lock()

    def act() -> Failure | None:
        with lock:
            chosen = next(acts)
        return _attempt(chosen)

    failures = at_once(3, act)
    record = read_record(services.core, services.rides, accepted.ref)
    require_consistent(record)
    require_settled(services.core, record)

    assert all(failure is None or isinstance(failure, Conflict) for failure in failures)
    assert record.ride.status is Status.COMPLETED
    assert record.ride.fee == sum(payment.captured for payment in record.payments)
    assert record.ride.fee in {accepted.fare.total, quote.fare.total}
