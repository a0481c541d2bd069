"""Rides and tows are driven through 2,000 steps on each database, beside a model in plain Python that must agree."""

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
from tests.contracts.partners import a_partner
from tests.contracts.rides import PICKUP, asked, require_settled, require_sound, told_of
from typing_extensions import override

from repaircore.bootstrap import Core
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict, Failure
from repaircore.kernel.geo import Point
from repaircore.payments.errors import GatewayUnavailable
from repaircore.payments.model import Authorization, GatewayName, GatewayPayment, PaymentOrder
from repaircore.payments.ports import PaymentGateway
from repaircore.payments.reconciliation import OLDER_THAN, Reconciliation
from repaircore.providers.businesses import Business, RideType
from repaircore.providers.drivers import Driver, Service
from repaircore.rides.errors import BeingAccepted, OfferGone, PaidOtherwise
from repaircore.rides.model import CancelReason, Offer, Ride, RideOutcome, Scenario
from repaircore.rides.service import Rides
from repaircore.testing.clock import FrozenClock

STEPS, EXAMPLES, LENGTH = 2_000, 25, 100
SEED = os.environ.get("REPAIRCORE_TEST_SEED", "")
"""Another one drives the rides along other ways."""
AT_ONCE = 4
MOST = 5
STAND = timedelta(minutes=10)
EVERYBODY = 7
"""Three stand-ins of the sandbox, and four who are in the directory."""
ARRIVED = {"ride": "driver_arrived", "tow": "provider_arrived"}
ACTIONS = {
    "pending": {"update", "accept_offer", "decline_offer", "cancel", "call_off"},
    "accepted": {"update", "cancel_accepted", "call_off", "drop_out", "driver_arrived"},
    "arrived": {
        "update",
        "cancel_accepted",
        "call_off",
        "drop_out",
        "start",
        "gone_on_arrival",
        "unsuccessful",
        "convert",
    },
    "in_progress": {"update", "call_off", "complete", "unsuccessful", "convert"},
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
    "go elsewhere": "go_elsewhere",
    "pay otherwise": "pay_otherwise",
    "call_off": "call_off",
    "drop_out": "drop_out",
}
USUAL = [*METHODS, *3 * ["accept_offer"], *2 * ["driver_arrived", "start", "complete"]]
T = TypeVar("T")


class Mood(StrEnum):
    """How the gateway is."""

    WELL = "well"
    AWAY = "away"
    """It hears nothing."""
    LOST = "lost"
    """It does what it is asked to, and its answers are lost."""


class Moody(PaymentGateway):
    """A gateway with moods."""

    def __init__(self, gateway: PaymentGateway) -> None:
        self.gateway = gateway
        self.mood = Mood.WELL

    @property
    @override
    def name(self) -> GatewayName:
        return self.gateway.name

    @override
    def authorize(self, order: PaymentOrder) -> Authorization:
        return self._asked(lambda: self.gateway.authorize(order))

    @override
    def capture(self, gateway_ref: str, cents: int, key: str) -> None:
        self._asked(lambda: self.gateway.capture(gateway_ref, cents, key))

    @override
    def void(self, gateway_ref: str, key: str) -> None:
        self._asked(lambda: self.gateway.void(gateway_ref, key))

    @override
    def refund(self, gateway_ref: str, cents: int, key: str) -> None:
        self._asked(lambda: self.gateway.refund(gateway_ref, cents, key))

    @override
    def look(self, gateway_ref: str) -> GatewayPayment | None:
        return self._asked(lambda: self.gateway.look(gateway_ref))

    @override
    def find(self, key: str, *, since: datetime) -> GatewayPayment | None:
        return self._asked(lambda: self.gateway.find(key, since=since))

    def _asked(self, act: Callable[[], T]) -> T:
        if self.mood is Mood.AWAY:
            raise GatewayUnavailable("It hears nothing.")
        try:
            answer = act()
        except Failure:
            if self.mood is Mood.WELL:
                raise
        if self.mood is Mood.LOST:
            raise GatewayUnavailable("Its answer is lost.")
        return answer


@define
class Money:
    """A payment, as it should be."""

    state: str
    since: datetime
    provider: str
    amount: int
    claim: str | None
    card: str | None
    charge: str | None = None
    captured: int = 0
    fee: int = 0

    @property
    def is_living(self) -> bool:
        return self.state not in {"declined", "voided"}


@define
class Bid:
    """An offer, as it should be."""

    provider: str
    status: str
    expires_at: datetime
    price: int


@define
class Model:
    """A ride, as it should be."""

    rides: Rides
    ref: str
    scenario: Scenario
    total: int
    dropoff: Point
    expires_at: datetime
    status: str = "pending"
    accepted: int | None = None
    refused: set[str] = Factory(set)
    is_rated: bool = False
    notes: str | None = None
    card: str | None = None
    bids: dict[int, Bid] = Factory(dict)
    payments: list[Money] = Factory(list)
    events: list[str] = Factory(lambda: ["created"])
    steps: list[str] = Factory(lambda: ["create"])

    @property
    def kind(self) -> str:
        return str(self.rides.kind)

    @property
    def wire_status(self) -> str:
        return ARRIVED[self.kind] if self.status == "arrived" else self.status

    @property
    def living(self) -> Money | None:
        return next((one for one in self.payments if one.is_living), None)

    def allows(self, action: str) -> bool:
        if self.kind == "tow" and action in {"convert", "rate", "decline_offer"}:
            return False
        if action in {"go elsewhere", "pay otherwise"}:
            return self.status == "pending"
        return action in ACTIONS[self.status]

    def open_bids(self, now: datetime) -> dict[str, int]:
        return {
            bid.provider: number
            for number, bid in self.bids.items()
            if bid.status == "offered" and now < bid.expires_at and now < self.expires_at
        }

    def did(self, step: str, event: str | None = None, status: str | None = None) -> None:
        self.steps.append(step)
        if event is not None:
            self.events.append(event)
        if status is not None:
            self.status = status

    def is_over(self, now: datetime) -> bool:
        return self.status == "pending" and now >= self.expires_at

    def close(self, status: str, now: datetime) -> None:
        for bid in self.bids.values():
            if bid.status == "offered":
                bid.status = status if now < bid.expires_at else "expired"


class Roadside(RuleBasedStateMachine):
    """What partners, operators and the clock do to some rides."""

    core: Core
    clock: FrozenClock
    caller: PartnerCaller
    taken = 0

    def __init__(self) -> None:
        super().__init__()
        self.models: list[Model] = []

    @initialize()
    def open(self) -> None:
        self.gateway = Moody(self.core.payments.gateways[Environment.TEST])  # type: ignore[arg-type]
        payments = evolve(self.core.payments, gateways={Environment.TEST: self.gateway})
        self.both = [evolve(one, payments=payments) for one in (self.core.rides, self.core.tows)]
        self.reconciliation = Reconciliation(payments=payments)

    @override
    def teardown(self) -> None:
        """Leave nothing that the next example would meet."""
        if not self.models:
            return
        self.gateway.mood = Mood.WELL
        self.clock.advance(OLDER_THAN)
        self._reconcile()
        for model in self.models:
            if model.status == "pending":
                model.rides.cancel(model.ref, self.caller)
            require_settled(self.core, told_of(self.core, model.rides, model.ref))

    # One generator for a whole example, from a seed that Hypothesis chooses and prints: drawn step by step, it likes
    # to do the same thing again and again.
    @initialize(seed=st.integers(0, 2**32 - 1))
    def begin(self, seed: int) -> None:
        self.chance = Random(f"{SEED} {seed}")  # noqa: S311 - no secret

    @rule()
    def step(self) -> None:
        """Ask for a ride, do something with one, or let time pass."""
        chance = self.chance
        what = chance.choices(["create", "ask", "go on"], weights=[2, 8, 2])[0]
        if what == "create" and self._has_room():
            self.create(chance)
        elif what == "go on" or not self.models:
            self.go_on(chance)
        else:
            self.ask(chance)

    def ask(self, chance: Random) -> None:
        """Do something with a ride: mostly with one that allows it, and sometimes with one that does not."""
        action = chance.choice(USUAL)
        able = [model for model in self.models if model.allows(action)]
        model = chance.choice(able if able and chance.random() < 0.7 else self.models)
        does: Callable[[Model, int], None] = getattr(self, METHODS[action])
        does(model, chance.randrange(60))

    def create(self, chance: Random) -> None:
        rides, scenario = chance.choice(self.both), chance.choice([*3 * [Scenario.NORMAL], *Scenario])
        done = [model for model in self.models if self._is_done(model)]
        if len(self.models) == AT_ONCE:
            self.models.remove(done[0])
        ride = asked(self.core, rides, self.caller, sandbox=scenario)
        model = Model(
            rides=rides,
            ref=ride.ref,
            scenario=scenario,
            total=ride.fare.total,
            dropoff=ride.dropoff,
            expires_at=self.clock() + timedelta(minutes=30),
        )
        self.models.append(model)
        is_short = scenario is Scenario.OFFERS_EXPIRE
        self._came_in(model, stand=timedelta(seconds=1) if is_short else STAND)
        self._compare(model)

    def accept(self, model: Model, by: int) -> None:
        provider = self._provider(model, by)
        claim = f"{model.ref} {provider}" if by % 2 else None

        def act() -> Ride:
            return model.rides.accept_offer(model.ref, provider, self.caller, claim=claim)

        expected = self._accepting(model, provider, claim)
        if expected is None:
            assert act().ref == model.ref
        else:
            with pytest.raises(expected) as refused:
                act()
            self._require_details(refused.value, model.wire_status)
        self._compare(model)

    def decline(self, model: Model, by: int) -> None:
        provider = None if by % 3 == 0 else self._provider(model, by)
        standing = model.open_bids(self.clock())
        is_open = bool(standing) if provider is None else provider in standing
        done = self._tried(
            model,
            "decline_offer",
            lambda: model.rides.decline_offer(model.ref, provider, self.caller),
            also=is_open,
        )
        if done is None:
            return
        (number,) = [
            one.id
            for one in told_of(self.core, model.rides, model.ref).offers
            if one.status == "declined" and model.bids[one.id].status == "offered"
        ]
        assert number in standing.values()
        assert provider in {None, model.bids[number].provider}
        model.bids[number].status = "declined"
        model.refused.add(model.bids[number].provider)
        model.did("decline_offer")
        self._compare(model)

    def cancel(self, model: Model, _by: int) -> None:
        if self._tried(model, "cancel", lambda: model.rides.cancel(model.ref, self.caller)):
            model.close("withdrawn", self.clock())
            model.did("cancel", "cancelled", "cancelled")
            self._compare(model)

    def cancel_accepted(self, model: Model, by: int) -> None:
        reason = [None, None, *CancelReason][by % (2 + len(CancelReason))]
        self._end(
            model,
            "cancel_accepted",
            lambda: model.rides.cancel_accepted(model.ref, self.caller, reason=reason),
            step="cancel_accepted",
            event="cancelled",
        )

    def call_off(self, model: Model, _by: int) -> None:
        was_on = model.status != "pending"
        if self._tried(model, "call_off", lambda: model.rides.call_off(model.ref)):
            model.close("withdrawn", self.clock())
            model.did("call_off", "cancelled", "cancelled")
            if was_on:
                self._moved(model, fee=0)
            self._compare(model)

    def complete(self, model: Model, by: int) -> None:
        outcome, caller = [*RideOutcome][by % len(RideOutcome)], self.caller if by % 3 else None
        action, step = ENDINGS[outcome]
        self._end(
            model,
            action,
            lambda: model.rides.complete(model.ref, caller, outcome=outcome),
            step=step,
            event="completed",
        )

    def arrive(self, model: Model, _by: int) -> None:
        if self._tried(model, "driver_arrived", lambda: model.rides.arrive(model.ref, self.caller)):
            model.did("driver_arrived", "driver_arrived", "arrived")
            self._compare(model)

    def start(self, model: Model, _by: int) -> None:
        if self._tried(model, "start", lambda: model.rides.start(model.ref, self.caller)):
            model.did("start", "started", "in_progress")
            self._compare(model)

    def rate(self, model: Model, by: int) -> None:
        rated = self._tried(
            model,
            "rate",
            lambda: model.rides.rate(model.ref, 1 + by % 5, None, self.caller),
            also=not model.is_rated,
        )
        if rated is not None:
            model.is_rated = True
            model.did("rate_driver", "rated")
            self._compare(model)

    def update(self, model: Model, by: int) -> None:
        changes = {"notes": f"gate code {by}"}
        if self._tried(
            model,
            "update",
            lambda: model.rides.update(model.ref, lambda _: changes, self.caller),
            also=not model.is_over(self.clock()),
        ):
            if changes["notes"] != model.notes:
                model.notes = changes["notes"]
                model.did("update", "updated")
            self._compare(model)

    def go_elsewhere(self, model: Model, by: int) -> None:
        place = PLACES[by % len(PLACES)]
        is_other = place != model.dropoff
        changed = self._tried(
            model,
            "update",
            lambda: model.rides.update(model.ref, lambda _: {"dropoff": place}, self.caller),
            also=not model.is_over(self.clock()) and (not is_other or model.status == "pending"),
        )
        if changed is None:
            return
        if is_other:
            model.did("update", "updated")
            model.close("withdrawn", self.clock())
            model.dropoff, model.total = place, changed.fare.total
            self._came_in(model)
        self._compare(model)

    def pay_otherwise(self, model: Model, by: int) -> None:
        card = f"pm_{by % 3}"
        is_other = card != model.card
        changed = self._tried(
            model,
            "update",
            lambda: model.rides.update(model.ref, lambda _: {"payment_method": card}, self.caller),
            also=not model.is_over(self.clock()) and (not is_other or model.status == "pending"),
        )
        if changed is None:
            return
        if is_other:
            model.card = card
            model.did("update", "updated")
        self._compare(model)

    def drop_out(self, model: Model, _by: int) -> None:
        if self._tried(model, "drop_out", lambda: model.rides.drop_out(model.ref)):
            self._dropped_out(model)
            self._compare(model)

    # What happens to rides.

    def go_on(self, chance: Random) -> None:
        """Let time pass, and what comes with it."""
        self.clock.advance(timedelta(seconds=chance.choice([0, 2, 2, 21, 21, 21, 200, 200, 700, 1900])))
        what = chance.choice(["expire_due", "ask_others", "ask_others", "reconcile", "reconcile", "mood"])
        if what == "mood":
            self.gateway.mood = chance.choice([Mood.WELL, Mood.WELL, Mood.AWAY, Mood.LOST])
            self._count()
            return
        {"expire_due": self.expire_due, "ask_others": self.ask_others, "reconcile": self._reconcile}[what]()
        self._compare(*self.models)

    def expire_due(self) -> None:
        now = self.clock()
        due = [one for one in self.models if one.status == "pending" and one.expires_at <= now]
        assert sum(rides.expire_due() for rides in self.both) == len(due)
        for model in due:
            model.close("expired", now)
            model.did("expire", "expired", "expired")

    def ask_others(self) -> None:
        now = self.clock()
        waiting = [
            one
            for one in self.models
            if one.status == "pending" and now < one.expires_at and not one.open_bids(now)
        ]
        came = sum(rides.ask_others() for rides in self.both)
        counted = 0
        for model in waiting:
            expected = self._expected(model)
            if expected:
                model.close("withdrawn", now)
                model.did("ask_others")
                self._came_in(model)
                counted += expected
        assert came == counted

    # The model.

    def _accepting(self, model: Model, provider: str, claim: str | None) -> type[Failure] | None:
        """Foretell what becomes of an acceptance: None when it does well."""
        now, living = self.clock(), model.living
        if claim is not None and living is not None and living.claim == claim and model.accepted is not None:
            return None if model.bids[model.accepted].provider == provider else Conflict
        if not model.allows("accept_offer"):
            return Conflict
        number = model.open_bids(now).get(provider)
        if number is None:
            return OfferGone
        price = model.bids[number].price
        if living is None:
            living = Money(
                state="authorizing",
                since=now,
                provider=provider,
                amount=price,
                claim=claim,
                card=model.card,
            )
            model.payments.append(living)
        elif claim is None or (living.claim, living.amount, living.state) != (claim, price, "authorizing"):
            return BeingAccepted
        return self._asked_for(model, living, number)

    def _asked_for(self, model: Model, money: Money, number: int) -> type[Failure] | None:
        mood, is_new = self.gateway.mood, money.charge is None
        if mood is Mood.AWAY:
            return GatewayUnavailable
        if is_new:
            is_bad = model.scenario is Scenario.PAYMENT_DECLINED and money.card == model.payments[0].card
            money.charge = "declined" if is_bad else "held"
        is_slow = is_new and money is model.payments[0]
        if mood is Mood.LOST or (is_slow and model.scenario is Scenario.PAYMENT_TIMEOUT):
            return GatewayUnavailable
        if money.charge == "declined":
            money.state = "declined"
            return Conflict
        if money.card != model.card:
            money.state = "voided"
            return PaidOtherwise
        money.state = "authorized"
        is_first = "accept_offer" not in model.steps
        model.bids[number].status = "accepted"
        model.accepted = number
        model.close("withdrawn", self.clock())
        model.did("accept_offer", "accepted", "accepted")
        if is_first and model.scenario is Scenario.DRIVER_CANCELS:
            self._will_drop_out = model
        return None

    _will_drop_out: Model | None = None

    def _dropped_out(self, model: Model) -> None:
        assert model.accepted is not None
        model.refused.add(model.bids[model.accepted].provider)
        model.bids[model.accepted].status = "withdrawn"
        model.accepted = None
        model.expires_at = max(model.expires_at, self.clock() + timedelta(minutes=10))
        model.did("drop_out", "reopened", "pending")
        self._moved(model, fee=0)
        self._came_in(model)

    def _moved(self, model: Model, fee: int) -> None:
        """Move what is held."""
        money = model.living
        assert money is not None
        money.since, money.fee = self.clock(), fee
        money.state = "capturing" if fee else "voiding"
        if self.gateway.mood is Mood.WELL:
            self._finished(money)

    def _finished(self, money: Money) -> None:
        if money.state == "capturing":
            money.state, money.captured = "captured", money.fee
        elif money.charge == "declined":
            money.state = "declined"
        else:
            money.state = "voided"

    def _end(
        self, model: Model, action: str, act: Callable[[], tuple[Ride, Any]], *, step: str, event: str
    ) -> None:
        ended = self._tried(model, action, act)
        if ended is None:
            return
        _, settlement = ended
        assert 0 <= settlement.fee <= model.total
        assert settlement.fee + settlement.refund == model.total
        model.did(step, event, "cancelled" if event == "cancelled" else "completed")
        self._moved(model, settlement.fee)
        self._compare(model)

    def _reconcile(self) -> None:
        due = [
            money
            for model in self.models
            for money in model.payments
            if money.state in {"authorizing", "capturing", "voiding"}
            and money.since <= self.clock() - OLDER_THAN
        ]
        done = self.reconciliation.reconcile()
        assert done.stuck == ()
        if self.gateway.mood is not Mood.WELL:
            assert (done.waiting, done.finished, done.undone) == (len(due), 0, 0)
            return
        undone = [one for one in due if one.state == "authorizing" and one.charge != "declined"]
        assert (done.waiting, done.finished, done.undone) == (0, len(due) - len(undone), len(undone))
        for money in due:
            self._finished(money)

    def _expected(self, model: Model) -> int:
        return 0 if model.scenario is Scenario.NO_DRIVER else min(MOST, EVERYBODY - len(model.refused))

    def _came_in(self, model: Model, *, stand: timedelta = STAND) -> None:
        """Take over the offers that came in, which must be of others than those who were refused, and stand as long as they should."""
        with self.core.storage.read() as work:
            new: Sequence[Offer] = [one for one in work.offers.of(model.ref) if one.id not in model.bids]
        expires_at = min(self.clock() + stand, model.expires_at)
        assert len({one.provider_ref for one in new}) == len(new) == self._expected(model)
        assert not model.refused & {one.provider_ref for one in new}
        assert {one.expires_at for one in new} <= {expires_at}
        assert {one.price for one in new} <= {model.total}
        for one in new:
            model.bids[one.id] = Bid(one.provider_ref, "offered", expires_at, one.price)
            model.events.append("offer_received")

    # Bookkeeping.

    def _has_room(self) -> bool:
        return len(self.models) < AT_ONCE or any(map(self._is_done, self.models))

    def _is_done(self, model: Model) -> bool:
        over = {"declined", "voided", "captured"}
        ended = model.status in {"completed", "cancelled", "expired"}
        return ended and all(money.state in over for money in model.payments)

    def _provider(self, model: Model, by: int) -> str:
        """Choose one who offers, or sometimes one who does not (any more)."""
        standing, known = sorted(model.open_bids(self.clock())), {bid.provider for bid in model.bids.values()}
        among = (standing if by % 5 else sorted(known)) or ["drv_nobody"]
        return among[by % len(among)]

    def _tried(self, model: Model, action: str, act: Callable[[], T], *, also: bool = True) -> T | None:
        """Do it if the model allows it, and demand that it is refused if not."""
        if model.allows(action) and also:
            done = act()
            assert done is not None
            return done
        with pytest.raises(Conflict) as refused:
            act()
        stands = "expired" if action == "update" and model.is_over(self.clock()) else model.wire_status
        self._require_details(refused.value, stands)
        self._compare(model)
        return None

    def _require_details(self, failure: Failure, stands: str) -> None:
        if isinstance(failure, Conflict):
            assert failure.details is not None
            assert failure.details["status"] == stands

    def _count(self) -> None:
        type(self).taken += 1

    def _compare(self, *models: Model) -> None:
        self._count()
        if self._will_drop_out is not None:
            self._dropped_out(self._will_drop_out)
            self._will_drop_out = None
        for model in models:
            told = told_of(self.core, model.rides, model.ref)
            require_sound(told)
            assert told.ride.status == model.wire_status
            assert told.ride.expires_at == model.expires_at
            assert {one.id: str(one.status) for one in told.offers} == {
                number: bid.status for number, bid in model.bids.items()
            }
            assert [(str(one.state), one.amount, one.captured) for one in told.payments] == [
                (one.state, one.amount, one.captured) for one in model.payments
            ]
            assert [*told.events] == [f"{model.kind}.{what}" for what in model.events]
            assert [step.action for step in told.steps] == model.steps


def _directory(core: Core, clock: FrozenClock) -> None:
    """Put some providers of each kind around the pickup into the directory."""
    usual: dict[str, Any] = {
        "id": 0,
        "environment": Environment.TEST,
        "time_zone": "UTC",
        "created_at": clock(),
        "updated_at": clock(),
    }
    with core.storage.transaction() as work:
        for number in range(EVERYBODY - 3):
            told = {**usual, "phone": f"+1202555010{number}", "name": f"Number {number}"}
            point = Point(PICKUP.latitude + number / 1000, PICKUP.longitude)
            jumper, flatbed = frozenset({Service.BATTERY_JUMP_START}), frozenset({RideType.FLATBED})
            work.drivers.add(Driver(ref=f"drv_{number}", abilities=jumper, point=point, **told))
            work.businesses.add(Business(ref=f"biz_{number}", abilities=flatbed, point=point, **told))


def test_rides_and_tows_agree_with_a_plain_model(core: Core, clock: FrozenClock) -> None:
    _directory(core, clock)

    class Driven(Roadside):
        pass

    Driven.core, Driven.clock = core, clock
    Driven.caller = a_partner(core.storage.database)
    run_state_machine_as_test(
        Driven,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=LENGTH,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate],  # two thousand steps are enough to look at
        ),
    )
    assert Driven.taken >= STEPS
