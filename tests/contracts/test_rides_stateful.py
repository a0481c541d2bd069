"""Rides and tows go through 2,000 random steps on each database, and must agree with a model in plain Python."""

import os
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from random import Random
from typing import Any, TypeVar

import pytest
from attrs import Factory, define, evolve
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from tests.contracts.partners import add_partner
from tests.contracts.rides import (
    PICKUP,
    create_ride,
    read_record,
    require_consistent,
    require_settled,
    without_payments,
)
from typing_extensions import override

from repaircore.core import Core
from repaircore.destinations.errors import BeingChanged, DifferenceDeclined
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict, Failure, Invalid
from repaircore.kernel.geo import Point
from repaircore.payments.errors import GatewayUnavailable
from repaircore.payments.model import Authorization, GatewayName, GatewayPayment, PaymentOrder
from repaircore.payments.ports import PaymentGateway
from repaircore.payments.reconciliation import OLDER_THAN, Reconciliation
from repaircore.providers.businesses import Business, RideType
from repaircore.providers.drivers import Driver, Service
from repaircore.rides.errors import BeingAccepted, OfferGone, PaymentMethodChanged
from repaircore.rides.model import CancelReason, Offer, Ride, RideOutcome, Scenario
from repaircore.rides.offering import ASKED_BEFORE, PENDING_FOR
from repaircore.rides.progress import CancelRide, RateRide
from repaircore.rides.service import Rides
from repaircore.testing.clock import FrozenClock

pytestmark = pytest.mark.long

STEPS, EXAMPLES, LENGTH = 2_000, 25, 100
SEED = os.environ.get("REPAIRCORE_TEST_SEED", "")
"""Another seed chooses other steps."""
MOST_RIDES = 4
MOST_OFFERS = 5
OPEN_FOR = timedelta(minutes=10)
PROVIDERS = 7
"""Three of the sandbox fleet, and four of the directory."""
ARRIVED = {"ride": "driver_arrived", "tow": "provider_arrived"}
ACTIONS = {
    "pending": {"update", "accept_offer", "decline_offer", "cancel", "call_off"},
    "accepted": {"update", "cancel_accepted", "call_off", "drop_out", "driver_arrived", "change_destination"},
    "arrived": {
        "update",
        "cancel_accepted",
        "call_off",
        "drop_out",
        "start",
        "change_destination",
        "gone_on_arrival",
        "unsuccessful",
        "convert",
    },
    "in_progress": {"update", "call_off", "complete", "unsuccessful", "convert", "change_destination"},
    "completed": {"rate"},
    "cancelled": set[str](),
    "expired": set[str](),
}
ENDINGS = {
    RideOutcome.COMPLETED: ("complete", "complete"),
    RideOutcome.GONE_ON_ARRIVAL: ("gone_on_arrival", "gone_on_arrival"),
    RideOutcome.UNSUCCESSFUL: ("unsuccessful", "unsuccessful"),
    RideOutcome.CONVERTED_TO_TOW: ("convert", "convert_to_tow"),
}
TIMES = [None, *(timedelta(minutes=minutes) for minutes in (30, 50, 120, 400, -1, 31 * 24 * 60))]
"""How far ahead a ride is scheduled, None for now; the last two are invalid."""
PLACES = [Point(34.15, -118.15), Point(34.2, -118.3), Point(34.6, -118.2)]
METHODS = {
    "accept_offer": "accept",
    "decline_offer": "decline",
    "cancel": "cancel",
    "cancel_accepted": "cancel_accepted",
    "driver_arrived": "arrive",
    "start": "start",
    "complete": "complete",
    "rate": "rate",
    "update": "update",
    "change_destination": "change_destination",
    "change trip": "change_trip",
    "change time": "change_time",
    "change payment method": "change_payment_method",
    "call_off": "call_off",
    "drop_out": "drop_out",
}
_SCENARIOS = (
    Scenario.NO_DRIVER,
    Scenario.DRIVER_CANCELS,
    Scenario.OFFERS_EXPIRE,
    Scenario.PAYMENT_DECLINED,
    Scenario.PAYMENT_TIMEOUT,
)
"""Scenarios that the model covers, alone and in pairs."""

CHOICES = [*METHODS, *3 * ["accept_offer"], *2 * ["driver_arrived", "start", "complete"]]
T = TypeVar("T")


class GatewayMode(StrEnum):
    """The behavior of the gateway."""

    WELL = "well"
    AWAY = "away"
    """It gets no request."""
    LOST = "lost"
    """It acts on requests, and its responses are lost."""


class FlakyGateway(PaymentGateway):
    """A gateway that fails by its mode."""

    def __init__(self, gateway: PaymentGateway) -> None:
        self.gateway = gateway
        self.mode = GatewayMode.WELL

    @property
    @override
    def name(self) -> GatewayName:
        return self.gateway.name

    @override
    def authorize(self, order: PaymentOrder) -> Authorization:
        return self._call(lambda: self.gateway.authorize(order))

    @override
    def capture(self, gateway_ref: str, cents: int, key: str) -> None:
        self._call(lambda: self.gateway.capture(gateway_ref, cents, key))

    @override
    def void(self, gateway_ref: str, key: str) -> None:
        self._call(lambda: self.gateway.void(gateway_ref, key))

    @override
    def refund(self, gateway_ref: str, cents: int, key: str) -> None:
        self._call(lambda: self.gateway.refund(gateway_ref, cents, key))

    @override
    def find(self, gateway_ref: str) -> GatewayPayment | None:
        return self._call(lambda: self.gateway.find(gateway_ref))

    @override
    def find_by_key(self, key: str, *, since: datetime) -> GatewayPayment | None:
        return self._call(lambda: self.gateway.find_by_key(key, since=since))

    def _call(self, act: Callable[[], T]) -> T:
        if self.mode is GatewayMode.AWAY:
            raise GatewayUnavailable("The request is lost.")
        try:
            answer = act()
        except Failure:
            if self.mode is GatewayMode.WELL:
                raise
        if self.mode is GatewayMode.LOST:
            raise GatewayUnavailable("The response is lost.")
        return answer


@define
class PaymentModel:
    """The expected state of a payment."""

    state: str
    since: datetime
    provider: str
    amount: int
    claim: str | None
    card: str | None
    charge: str | None = None
    captured: int = 0
    fee: int = 0
    part: int = 0

    @property
    def is_active(self) -> bool:
        return self.state not in {"declined", "voided"}


@define
class OfferModel:
    """The expected state of an offer."""

    provider: str
    status: str
    expires_at: datetime
    price: int


@define
class RideModel:
    """The expected state of a ride."""

    rides: Rides
    ref: str
    scenarios: frozenset[Scenario]
    total: int
    dropoff: Point
    expires_at: datetime
    status: str = "pending"
    accepted: int | None = None
    excluded: set[str] = Factory(set)
    is_rated: bool = False
    scheduled_for: datetime | None = None
    notes: str | None = None
    card: str | None = None
    offers: dict[int, OfferModel] = Factory(dict)
    payments: list[PaymentModel] = Factory(list)
    events: list[str] = Factory(lambda: ["created"])
    steps: list[str] = Factory(lambda: ["create"])

    @property
    def kind(self) -> str:
        return str(self.rides.kind)

    @property
    def wire_status(self) -> str:
        return ARRIVED[self.kind] if self.status == "arrived" else self.status

    @property
    def active_payment(self) -> PaymentModel | None:
        return next((payment for payment in self.payments if payment.is_active and not payment.part), None)

    def allows(self, action: str) -> bool:
        if self.kind == "tow" and action in {"convert", "decline_offer"}:
            return False
        if action in {"change trip", "change time", "change payment method"}:
            return self.status == "pending"
        return action in ACTIONS[self.status]

    def is_for_later(self, now: datetime) -> bool:
        """Return whether it is too early to ask providers."""
        return self.scheduled_for is not None and now < self.scheduled_for - ASKED_BEFORE

    def move(self, time: datetime | None, now: datetime) -> None:
        self.scheduled_for = time
        since = now if time is None else max(now, time - ASKED_BEFORE)
        self.expires_at = max(since + PENDING_FOR, time or now)

    def open_offers(self, now: datetime) -> dict[str, int]:
        return {
            offer.provider: number
            for number, offer in self.offers.items()
            if offer.status == "offered" and now < offer.expires_at and now < self.expires_at
        }

    def advance(self, step: str, event: str | None = None, status: str | None = None) -> None:
        self.steps.append(step)
        if event is not None:
            self.events.append(event)
        if status is not None:
            self.status = status

    def is_expired(self, now: datetime) -> bool:
        return self.status == "pending" and now >= self.expires_at

    def close_offers(self, status: str, now: datetime) -> None:
        for offer in self.offers.values():
            if offer.status == "offered":
                offer.status = status if now < offer.expires_at else "expired"


class Roadside(RuleBasedStateMachine):
    """Partners, operators and the clock, acting on some rides."""

    core: Core
    clock: FrozenClock
    caller: PartnerCaller
    steps_taken = 0

    def __init__(self) -> None:
        super().__init__()
        self.models: list[RideModel] = []

    @initialize()
    def open(self) -> None:
        self.gateway = FlakyGateway(self.core.payments.gateways[Environment.TEST])  # type: ignore[arg-type]
        payments = evolve(self.core.payments, gateways={Environment.TEST: self.gateway})
        self.services = [evolve(rides, payments=payments) for rides in (self.core.rides, self.core.tows)]
        both = (self.core.ride_destinations, self.core.tow_destinations)
        self.changes = {each.kind: evolve(each, payments=payments) for each in both}
        self.reconciliation = Reconciliation(payments=payments)

    @override
    def teardown(self) -> None:
        """End all rides, so that the next example starts without any."""
        if not self.models:
            return
        self.gateway.mode = GatewayMode.WELL
        self.clock.advance(OLDER_THAN)
        self._reconcile()
        for model in self.models:
            if model.status == "pending":
                model.rides.cancel(model.ref, self.caller)
            require_settled(self.core, read_record(self.core, model.rides, model.ref))

    # One generator for a whole example, from a seed that Hypothesis chooses and prints: drawing each step from Hypothesis
    # repeats the same action too often.
    @initialize(seed=st.integers(0, 2**32 - 1))
    def begin(self, seed: int) -> None:
        self.chance = Random(f"{SEED} {seed}")  # noqa: S311 - no secret

    @rule()
    def step(self) -> None:
        """Create a ride, act on one, or let time pass."""
        chance = self.chance
        choice = chance.choices(["create", "act", "pass time"], weights=[2, 8, 2])[0]
        if choice == "create" and self._has_room():
            self.create(chance)
        elif choice == "pass time" or not self.models:
            self.pass_time(chance)
        else:
            self.act(chance)

    def act(self, chance: Random) -> None:
        """Act on a ride: mostly on one that allows the action, sometimes on one that does not."""
        action = chance.choice(CHOICES)
        allowing = [model for model in self.models if model.allows(action)]
        model = chance.choice(allowing if allowing and chance.random() < 0.7 else self.models)
        act: Callable[[RideModel, int], None] = getattr(self, METHODS[action])
        act(model, chance.randrange(60))

    def create(self, chance: Random) -> None:
        rides = chance.choice(self.services)
        scenarios = frozenset(chance.sample(_SCENARIOS, chance.choice([0, 0, 1, 1, 2])))
        if len(self.models) == MOST_RIDES:
            self.models.remove(next(filter(self._is_done, self.models)))
        now, ahead = self.clock(), chance.choice([None, None, *TIMES[:-2]])
        time = None if ahead is None else now + ahead
        ride = create_ride(self.core, rides, self.caller, scheduled_for=time, scenarios=[*scenarios])
        model = RideModel(
            rides=rides,
            ref=ride.ref,
            scenarios=scenarios,
            total=ride.fare.total,
            dropoff=ride.dropoff,
            expires_at=now,
        )
        model.move(time, now)
        self.models.append(model)
        is_short = Scenario.OFFERS_EXPIRE in scenarios
        if not model.is_for_later(now):
            self._add_new_offers(model, open_for=timedelta(seconds=1) if is_short else OPEN_FOR)
        self._compare(model)

    def accept(self, model: RideModel, pick: int) -> None:
        provider = self._provider(model, pick)
        claim = f"{model.ref} {provider}" if pick % 2 else None

        def act() -> Ride:
            return model.rides.accept_offer(model.ref, provider, self.caller, claim=claim)

        expected = self._expect_acceptance(model, provider, claim)
        if expected is None:
            assert act().ref == model.ref
        else:
            with pytest.raises(expected) as caught:
                act()
            self._require_details(caught.value, model.wire_status)
        self._compare(model)

    def decline(self, model: RideModel, pick: int) -> None:
        provider = None if pick % 3 == 0 else self._provider(model, pick)
        open_offers = model.open_offers(self.clock())
        is_open = bool(open_offers) if provider is None else provider in open_offers
        done = self._attempt(
            model,
            "decline_offer",
            lambda: model.rides.decline_offer(model.ref, provider, self.caller),
            allowed=is_open,
        )
        if done is None:
            return
        (number,) = [
            offer.id
            for offer in read_record(self.core, model.rides, model.ref).offers
            if offer.status == "declined" and model.offers[offer.id].status == "offered"
        ]
        assert number in open_offers.values()
        assert provider in {None, model.offers[number].provider}
        model.offers[number].status = "declined"
        model.excluded.add(model.offers[number].provider)
        model.advance("decline_offer")
        self._compare(model)

    def cancel(self, model: RideModel, _pick: int) -> None:
        if self._attempt(model, "cancel", lambda: model.rides.cancel(model.ref, self.caller)):
            model.close_offers("withdrawn", self.clock())
            model.advance("cancel", "cancelled", "cancelled")
            self._compare(model)

    def cancel_accepted(self, model: RideModel, pick: int) -> None:
        reason = [None, None, *CancelReason][pick % (2 + len(CancelReason))]
        self._end(
            model,
            "cancel_accepted",
            lambda: model.rides.cancel_accepted(model.ref, self.caller, CancelRide(reason=reason)),
            step="cancel_accepted",
            event="cancelled",
        )

    def call_off(self, model: RideModel, _pick: int) -> None:
        had_provider = model.status != "pending"
        if self._attempt(model, "call_off", lambda: model.rides.call_off(model.ref)):
            model.close_offers("withdrawn", self.clock())
            model.advance("call_off", "cancelled", "cancelled")
            if had_provider:
                self._move_money(model, fee=0)
            self._compare(model)

    def complete(self, model: RideModel, pick: int) -> None:
        outcome, caller = [*RideOutcome][pick % len(RideOutcome)], self.caller if pick % 3 else None
        action, step = ENDINGS[outcome]
        self._end(
            model,
            action,
            lambda: model.rides.complete(model.ref, caller, outcome=outcome),
            step=step,
            event="completed",
        )

    def arrive(self, model: RideModel, _pick: int) -> None:
        if self._attempt(model, "driver_arrived", lambda: model.rides.arrive(model.ref, self.caller)):
            model.advance("driver_arrived", "driver_arrived", "arrived")
            self._compare(model)

    def start(self, model: RideModel, _pick: int) -> None:
        if self._attempt(model, "start", lambda: model.rides.start(model.ref, self.caller)):
            model.advance("start", "started", "in_progress")
            self._compare(model)

    def rate(self, model: RideModel, pick: int) -> None:
        rated = self._attempt(
            model,
            "rate",
            lambda: model.rides.rate(model.ref, RateRide(rating=1 + pick % 5), self.caller),
            allowed=not model.is_rated,
        )
        if rated is not None:
            model.is_rated = True
            model.advance("rate_driver" if model.kind == "ride" else "rate_business", "rated")
            self._compare(model)

    def update(self, model: RideModel, pick: int) -> None:
        changes = {"notes": f"gate code {pick}"}
        if self._attempt(
            model,
            "update",
            lambda: model.rides.update(model.ref, lambda _: changes, self.caller),
            allowed=not model.is_expired(self.clock()),
        ):
            if changes["notes"] != model.notes:
                model.notes = changes["notes"]
                model.advance("update", "updated")
            self._compare(model)

    def change_trip(self, model: RideModel, pick: int) -> None:
        place = PLACES[pick % len(PLACES)]
        differs = place != model.dropoff
        changed = self._attempt(
            model,
            "update",
            lambda: model.rides.update(model.ref, lambda _: {"dropoff": place}, self.caller),
            allowed=not model.is_expired(self.clock()) and (not differs or model.status == "pending"),
        )
        if changed is None:
            return
        if differs:
            model.advance("update", "updated")
            model.close_offers("withdrawn", self.clock())
            model.dropoff, model.total = place, changed.fare.total
            if not model.is_for_later(self.clock()):
                self._add_new_offers(model)
        self._compare(model)

    def change_time(self, model: RideModel, pick: int) -> None:
        now, ahead = self.clock(), TIMES[pick % len(TIMES)]
        time = None if ahead is None else now + ahead
        differs = time != model.scheduled_for

        def act() -> Ride:
            return model.rides.update(model.ref, lambda _: {"scheduled_for": time}, self.caller)

        can_move = model.status == "pending" and model.is_for_later(now)
        if can_move and ahead in TIMES[-2:]:
            with pytest.raises(Invalid):
                act()
            self._compare(model)
            return
        changed = self._attempt(
            model, "update", act, allowed=not model.is_expired(now) and (not differs or can_move)
        )
        if changed is None:
            return
        if differs:
            model.move(time, now)
            model.advance("update", "updated")
            model.total = changed.fare.total
            if not model.is_for_later(now):
                self._add_new_offers(model)
        self._compare(model)

    def change_destination(self, model: RideModel, pick: int) -> None:
        place, changes = PLACES[pick % len(PLACES)], self.changes[model.rides.kind]
        if place == model.dropoff and model.allows("change_destination"):
            with pytest.raises(Invalid):
                changes.preview(model.ref, place, self.caller)
            return
        quoted = self._attempt(
            model, "change_destination", lambda: changes.preview(model.ref, place, self.caller)
        )
        if quoted is None:
            return
        token, quote = quoted
        expected = self._expect_difference(model, quote.fare.total)
        if expected is None:
            assert changes.change(model.ref, token, self.caller).dropoff == place
            model.dropoff, model.total = place, quote.fare.total
            model.advance("change_destination", "destination_changed")
        else:
            with pytest.raises(expected) as caught:
                changes.change(model.ref, token, self.caller)
            self._require_details(caught.value, model.wire_status)
        self._compare(model)

    def _expect_difference(self, model: RideModel, total: int) -> type[Failure] | None:
        """Predict how accepting another price fails; None when it succeeds."""
        missing = total - sum(each.amount for each in model.payments if each.state == "authorized")
        added = [each for each in model.payments if each.part]
        if missing <= 0:
            return None
        if any(each.state == "authorizing" for each in added):
            return BeingChanged
        payment = PaymentModel(
            state="authorizing",
            since=self.clock(),
            provider="",
            amount=missing,
            claim=None,
            card=model.card,
            part=1 + max(each.part for each in model.payments),
        )
        model.payments.append(payment)
        is_declined = Scenario.DIFFERENCE_DECLINED in model.scenarios and not added
        if self.gateway.mode is GatewayMode.AWAY:
            return GatewayUnavailable
        payment.charge = "declined" if is_declined else "held"
        if self.gateway.mode is GatewayMode.LOST:
            return GatewayUnavailable
        payment.state = "declined" if is_declined else "authorized"
        if not is_declined:
            return None
        model.steps.append("destination_declined")
        return DifferenceDeclined

    def change_payment_method(self, model: RideModel, pick: int) -> None:
        card = f"pm_{pick % 3}"
        differs = card != model.card
        changed = self._attempt(
            model,
            "update",
            lambda: model.rides.update(model.ref, lambda _: {"payment_method": card}, self.caller),
            allowed=not model.is_expired(self.clock()) and (not differs or model.status == "pending"),
        )
        if changed is None:
            return
        if differs:
            model.card = card
            model.advance("update", "updated")
        self._compare(model)

    def drop_out(self, model: RideModel, _pick: int) -> None:
        if self._attempt(model, "drop_out", lambda: model.rides.drop_out(model.ref)):
            self._record_drop_out(model)
            self._compare(model)

    # Time and background jobs.

    def pass_time(self, chance: Random) -> None:
        """Let time pass, then run a background job or change the gateway's mode."""
        self.clock.advance(timedelta(seconds=chance.choice([0, 2, 2, 21, 21, 21, 200, 200, 700, 1900, 4000])))
        choice = chance.choice(["expire_due", "ask_others", "ask_others", "reconcile", "reconcile", "mode"])
        if choice == "mode":
            self.gateway.mode = chance.choice(
                [GatewayMode.WELL, GatewayMode.WELL, GatewayMode.AWAY, GatewayMode.LOST]
            )
            self._count()
            return
        {"expire_due": self.expire_due, "ask_others": self.ask_others, "reconcile": self._reconcile}[choice]()
        self._compare(*self.models)

    def expire_due(self) -> None:
        now = self.clock()
        due = [model for model in self.models if model.status == "pending" and model.expires_at <= now]
        assert sum(rides.expire_due() for rides in self.services) == len(due)
        for model in due:
            model.close_offers("expired", now)
            model.advance("expire", "expired", "expired")

    def ask_others(self) -> None:
        now = self.clock()
        waiting = [
            model
            for model in self.models
            if model.status == "pending"
            and now < model.expires_at
            and not model.is_for_later(now)
            and not model.open_offers(now)
        ]
        added = sum(rides.ask_others() for rides in self.services)
        counted = 0
        for model in waiting:
            expected = self._expected_offers(model)
            if expected:
                model.close_offers("withdrawn", now)
                model.advance("ask_others")
                self._add_new_offers(model)
                counted += expected
        assert added == counted

    # The model.

    def _expect_acceptance(self, model: RideModel, provider: str, claim: str | None) -> type[Failure] | None:
        """Predict how an acceptance fails; None when it succeeds."""
        now, payment = self.clock(), model.active_payment
        if (
            claim is not None
            and payment is not None
            and payment.claim == claim
            and model.accepted is not None
        ):
            return None if model.offers[model.accepted].provider == provider else Conflict
        if not model.allows("accept_offer"):
            return Conflict
        number = model.open_offers(now).get(provider)
        if number is None:
            return OfferGone
        price = model.offers[number].price
        if payment is None:
            payment = PaymentModel(
                state="authorizing",
                since=now,
                provider=provider,
                amount=price,
                claim=claim,
                card=model.card,
            )
            model.payments.append(payment)
        elif claim is None or (payment.claim, payment.amount, payment.state) != (claim, price, "authorizing"):
            return BeingAccepted
        return self._expect_authorization(model, payment, number)

    def _expect_authorization(
        self, model: RideModel, payment: PaymentModel, number: int
    ) -> type[Failure] | None:
        mode, is_new = self.gateway.mode, payment.charge is None
        if mode is GatewayMode.AWAY:
            return GatewayUnavailable
        if is_new:
            is_bad = Scenario.PAYMENT_DECLINED in model.scenarios and payment.card == model.payments[0].card
            payment.charge = "declined" if is_bad else "held"
        is_slow = is_new and payment is model.payments[0]
        if mode is GatewayMode.LOST or (is_slow and Scenario.PAYMENT_TIMEOUT in model.scenarios):
            return GatewayUnavailable
        if payment.charge == "declined":
            payment.state = "declined"
            return Conflict
        if payment.card != model.card:
            payment.state = "voided"
            return PaymentMethodChanged
        payment.state = "authorized"
        is_first = "accept_offer" not in model.steps
        model.offers[number].status = "accepted"
        model.accepted = number
        model.close_offers("withdrawn", self.clock())
        model.advance("accept_offer", "accepted", "accepted")
        if is_first and Scenario.DRIVER_CANCELS in model.scenarios:
            self._dropping_out = model
        return None

    _dropping_out: RideModel | None = None

    def _record_drop_out(self, model: RideModel) -> None:
        assert model.accepted is not None
        model.excluded.add(model.offers[model.accepted].provider)
        model.offers[model.accepted].status = "withdrawn"
        model.accepted = None
        model.expires_at = max(model.expires_at, self.clock() + timedelta(minutes=10))
        model.advance("drop_out", "reopened", "pending")
        self._move_money(model, fee=0)
        self._add_new_offers(model)

    def _move_money(self, model: RideModel, fee: int) -> None:
        """Capture a fee, or release the payment."""
        held = [payment for payment in model.payments if payment.state == "authorized"]
        assert held
        for payment in sorted(held, key=lambda payment: payment.part):
            share = min(fee, payment.amount)
            fee -= share
            payment.since, payment.fee = self.clock(), share
            payment.state = "capturing" if share else "voiding"
            if self.gateway.mode is GatewayMode.WELL:
                self._finish(payment)
        assert fee == 0

    def _finish(self, payment: PaymentModel) -> None:
        if payment.state == "capturing":
            payment.state, payment.captured = "captured", payment.fee
        elif payment.charge == "declined":
            payment.state = "declined"
        else:
            payment.state = "voided"

    def _end(
        self, model: RideModel, action: str, act: Callable[[], tuple[Ride, Any]], *, step: str, event: str
    ) -> None:
        ended = self._attempt(model, action, act)
        if ended is None:
            return
        _, settlement = ended
        assert 0 <= settlement.fee <= model.total
        assert settlement.fee + settlement.refund == model.total
        model.advance(step, event, "cancelled" if event == "cancelled" else "completed")
        self._move_money(model, settlement.fee)
        self._compare(model)

    def _reconcile(self) -> None:
        due = [
            payment
            for model in self.models
            for payment in model.payments
            if payment.state in {"authorizing", "capturing", "voiding"}
            and payment.since <= self.clock() - OLDER_THAN
        ]
        done = self.reconciliation.reconcile()
        assert done.stuck == ()
        if self.gateway.mode is not GatewayMode.WELL:
            assert (done.waiting, done.finished, done.undone) == (len(due), 0, 0)
            return
        released = [
            payment for payment in due if payment.state == "authorizing" and payment.charge != "declined"
        ]
        assert (done.waiting, done.finished, done.undone) == (0, len(due) - len(released), len(released))
        for payment in due:
            self._finish(payment)

    def _expected_offers(self, model: RideModel) -> int:
        return (
            0 if Scenario.NO_DRIVER in model.scenarios else min(MOST_OFFERS, PROVIDERS - len(model.excluded))
        )

    def _add_new_offers(self, model: RideModel, *, open_for: timedelta = OPEN_FOR) -> None:
        """Check the new offers, and add them to the model."""
        with self.core.storage.read() as work:
            new: Sequence[Offer] = [
                offer for offer in work.offers.list_for(model.ref) if offer.id not in model.offers
            ]
        expires_at = min(self.clock() + open_for, model.expires_at)
        assert len({offer.provider_ref for offer in new}) == len(new) == self._expected_offers(model)
        assert not model.excluded & {offer.provider_ref for offer in new}
        assert {offer.expires_at for offer in new} <= {expires_at}
        assert {offer.price for offer in new} <= {model.total}
        for offer in new:
            model.offers[offer.id] = OfferModel(offer.provider_ref, "offered", expires_at, offer.price)
            model.events.append("offer_received")

    # Bookkeeping.

    def _has_room(self) -> bool:
        return len(self.models) < MOST_RIDES or any(map(self._is_done, self.models))

    def _is_done(self, model: RideModel) -> bool:
        over = {"declined", "voided", "captured"}
        ended = model.status in {"completed", "cancelled", "expired"}
        return ended and all(payment.state in over for payment in model.payments)

    def _provider(self, model: RideModel, pick: int) -> str:
        """Choose a provider with an open offer, or sometimes one without."""
        providers = (
            model.open_offers(self.clock()) if pick % 5 else {bid.provider for bid in model.offers.values()}
        )
        choices = sorted(providers) or ["drv_nobody"]
        return choices[pick % len(choices)]

    def _attempt(
        self, model: RideModel, action: str, act: Callable[[], T], *, allowed: bool = True
    ) -> T | None:
        """Act if the model allows it, else require that the action is refused."""
        if model.allows(action) and allowed:
            done = act()
            assert done is not None
            return done
        with pytest.raises(Conflict) as caught:
            act()
        sees_expiry = action in {"update", "change_destination"} and model.is_expired(self.clock())
        status = "expired" if sees_expiry else model.wire_status
        self._require_details(caught.value, status)
        self._compare(model)
        return None

    def _require_details(self, failure: Failure, status: str) -> None:
        if isinstance(failure, Conflict):
            assert failure.details is not None
            assert failure.details["status"] == status

    def _count(self) -> None:
        type(self).steps_taken += 1

    def _compare(self, *models: RideModel) -> None:
        self._count()
        if self._dropping_out is not None:
            self._record_drop_out(self._dropping_out)
            self._dropping_out = None
        for model in models:
            record = read_record(self.core, model.rides, model.ref)
            require_consistent(record)
            assert record.ride.status == model.wire_status
            assert record.ride.expires_at == model.expires_at
            assert record.ride.scheduled_for == model.scheduled_for
            assert {offer.id: str(offer.status) for offer in record.offers} == {
                number: offer.status for number, offer in model.offers.items()
            }
            assert [
                (str(payment.state), payment.amount, payment.captured) for payment in record.payments
            ] == [(payment.state, payment.amount, payment.captured) for payment in model.payments]
            assert without_payments(record.events) == [f"{model.kind}.{event}" for event in model.events]
            assert [step.action for step in record.steps] == model.steps


def _add_providers(core: Core, clock: FrozenClock) -> None:
    """Add some providers of each kind around the pickup."""
    fields: dict[str, Any] = {
        "id": 0,
        "environment": Environment.TEST,
        "time_zone": "UTC",
        "created_at": clock(),
        "updated_at": clock(),
    }
    with core.storage.transaction() as work:
        for number in range(PROVIDERS - 3):
            person = {**fields, "phone": f"+1202555010{number}", "name": f"Number {number}"}
            point = Point(PICKUP.latitude + number / 1000, PICKUP.longitude)
            jumper, flatbed = frozenset({Service.BATTERY_JUMP_START}), frozenset({RideType.FLATBED})
            work.drivers.add(Driver(ref=f"drv_{number}", abilities=jumper, point=point, **person))
            work.businesses.add(Business(ref=f"biz_{number}", abilities=flatbed, point=point, **person))


def test_rides_agree_with_a_plain_model(core: Core, clock: FrozenClock) -> None:
    _add_providers(core, clock)

    class Machine(Roadside):
        pass

    Machine.core, Machine.clock = core, clock
    Machine.caller = add_partner(core.storage.database)
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=LENGTH,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate],  # shrinking 2,000 steps takes too long
        ),
    )
    assert Machine.steps_taken >= STEPS
