"""What is asked of one ride at once comes to what it would come to one after the other."""

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from threading import Lock
from typing import Final

import pytest
import sqlalchemy as sa
from tests.contracts.partners import a_partner
from tests.contracts.rides import asked, charges_of, offered_by, require_settled, require_sound, told_of
from tests.threads import at_once

from repaircore.adapters.sql.schema.payments import sandbox_charges
from repaircore.bootstrap import Core
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Conflict, Failure
from repaircore.payments.model import HeldState, PaymentState, ReconciliationResult
from repaircore.payments.reconciliation import OLDER_THAN
from repaircore.rides.model import Ride, RideKind, RideOutcome, Status
from repaircore.rides.service import Rides
from repaircore.testing.clock import FrozenClock

DRIVERS: Final = 50
ROUNDS: Final = 20

Does = Callable[[], object]


@pytest.fixture(params=["rides", "tows"])
def rides(request: pytest.FixtureRequest, core: Core) -> Rides:
    one: Rides = getattr(core, request.param)
    return one


@pytest.fixture
def caller(core: Core) -> PartnerCaller:
    return a_partner(core.storage.database)


def tried(act: Does) -> Failure | None:
    try:
        act()
    except Failure as failure:
        return failure
    return None


def together(acts: Sequence[Does]) -> list[Failure | None]:
    """Do them at once; give how each failed, or None, in their order."""
    numbers, lock = iter(range(len(acts))), Lock()

    def one() -> tuple[int, Failure | None]:
        with lock:
            number = next(numbers)
        return number, tried(acts[number])

    return [failure for _, failure in sorted(at_once(len(acts), one), key=lambda done: done[0])]


def test_of_fifty_acceptances_at_once_one_wins(
    core: Core, rides: Rides, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = asked(core, rides, caller)
    providers = offered_by(DRIVERS, core, rides, ride.ref)
    acts = [lambda who=who: rides.accept_offer(ride.ref, who, caller, claim=who) for who in providers]
    failures = together(acts)
    assert failures.count(None) == 1
    assert all(failure is None or isinstance(failure, Conflict) for failure in failures)
    told = told_of(core, rides, ride.ref)
    require_sound(told)
    assert told.ride.provider_ref == providers[failures.index(None)]
    assert [str(offer.status) for offer in told.offers].count("accepted") == 1
    assert [*told.events].count(f"{rides.kind}.accepted") == 1
    assert [*charges_of(core, told.payments).values()].count(HeldState.AUTHORIZED) == 1
    clock.advance(OLDER_THAN)
    core.payment_reconciliation.reconcile()
    require_settled(core, told_of(core, rides, ride.ref))
    with core.storage.database.transaction(write=False) as connection:
        states = [row.state for row in connection.execute(sa.select(sandbox_charges.c.state))]
    assert states.count(HeldState.AUTHORIZED) == 1


def test_the_same_request_many_times_at_once_is_one_acceptance(
    core: Core, rides: Rides, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = asked(core, rides, caller)
    (first, *_) = rides.offers(ride.ref, caller)
    acts = [lambda: rides.accept_offer(ride.ref, first.provider_ref, caller, claim="once")] * 8
    failures = together(acts)
    assert None in failures
    assert all(failure is None or isinstance(failure, Conflict) for failure in failures)
    clock.advance(OLDER_THAN)
    assert core.payment_reconciliation.reconcile() == ReconciliationResult()
    told = told_of(core, rides, ride.ref)
    require_sound(told)
    require_settled(core, told)
    assert (told.ride.status, len(told.payments)) == (Status.ACCEPTED, 1)


# A ride's state and its first offer's, and what each of four actions makes of them; absent: it is refused.
State = tuple[str, str]
LED_TO: Final[dict[str, dict[State, State]]] = {
    "accept": {("pending", "offered"): ("accepted", "accepted")},
    "decline": {("pending", "offered"): ("pending", "declined")},
    "cancel": {
        ("pending", "offered"): ("cancelled", "withdrawn"),
        ("pending", "declined"): ("cancelled", "declined"),
    },
    "update": {
        (status, offer): (status, offer)
        for status in ("pending", "accepted", "driver_arrived", "in_progress")
        for offer in ("offered", "accepted", "declined")
    },
    "cancel_accepted": {
        (status, "accepted"): ("cancelled", "accepted") for status in ("accepted", "driver_arrived")
    },
    "call_off": {
        ("pending", "offered"): ("cancelled", "withdrawn"),
        **{
            (status, "accepted"): ("cancelled", "accepted")
            for status in ("accepted", "driver_arrived", "in_progress")
        },
    },
    "arrive": {("accepted", "accepted"): ("driver_arrived", "accepted")},
    "start": {("driver_arrived", "accepted"): ("in_progress", "accepted")},
    "gone": {("driver_arrived", "accepted"): ("completed", "accepted")},
    "complete": {("in_progress", "accepted"): ("completed", "accepted")},
}
MIXES: Final = {
    "pending": ("accept", "cancel", "decline", "complete", "update"),
    "accepted": ("arrive", "cancel_accepted", "decline", "gone", "update"),
    "driver_arrived": ("start", "cancel_accepted", "gone", "complete", "accept"),
    "in_progress": ("complete", "call_off", "complete", "accept", "update"),
}


def explained(
    kind: RideKind, actions: Sequence[str], start: State
) -> Iterator[tuple[tuple[bool, ...], State]]:
    """Give everything that the actions may come to, one after the other: what is done, and how it ends."""
    led_to = (
        LED_TO if kind is RideKind.MOBILE else {**LED_TO, "decline": {}}
    )  # offers of tows are not declined
    for order in permutations(range(len(actions))):
        state, done = start, [False] * len(actions)
        for number in order:
            after = led_to[actions[number]].get(state)
            if after is not None:
                state, done[number] = after, True
        yield tuple(done), state


def acts_on(rides: Rides, ride: Ride, provider: str, caller: PartnerCaller) -> dict[str, Does]:
    ref = ride.ref
    return {
        "accept": lambda: rides.accept_offer(ref, provider, caller),
        "decline": lambda: rides.decline_offer(ref, provider, caller),
        "cancel": lambda: rides.cancel(ref, caller),
        "update": lambda: rides.update(ref, lambda _: {"notes": "blue door"}, caller),
        "cancel_accepted": lambda: rides.cancel_accepted(ref, caller),
        "call_off": lambda: rides.call_off(ref),
        "arrive": lambda: rides.arrive(ref, caller),
        "start": lambda: rides.start(ref, caller),
        "gone": lambda: rides.complete(ref, caller, outcome=RideOutcome.GONE_ON_ARRIVAL),
        "complete": lambda: rides.complete(ref, caller),
    }


@pytest.mark.parametrize("status", MIXES)
def test_what_comes_of_everything_at_once_is_explained_by_an_order(
    core: Core, caller: PartnerCaller, clock: FrozenClock, status: str
) -> None:
    for number in range(ROUNDS // len(MIXES)):
        rides = (core.rides, core.tows)[number % 2]
        ride = asked(core, rides, caller)
        (offer, *_) = rides.offers(ride.ref, caller)
        acts = acts_on(rides, ride, offer.provider_ref, caller)
        for before, action in (
            ("accepted", "accept"),
            ("driver_arrived", "arrive"),
            ("in_progress", "start"),
        ):
            if [*MIXES].index(before) <= [*MIXES].index(status):
                acts[action]()
        failures = together([acts[action] for action in MIXES[status]])
        assert all(failure is None or isinstance(failure, Conflict) for failure in failures), failures
        clock.advance(OLDER_THAN)
        assert core.payment_reconciliation.reconcile().stuck == ()
        told = told_of(core, rides, ride.ref)
        require_sound(told)
        require_settled(core, told)
        standing = next(one.status for one in told.offers if one.id == offer.id)
        came_to = (
            tuple(failure is None for failure in failures),
            (told.ride.status.replace("provider_", "driver_"), str(standing)),
        )
        start = (status, "offered" if status == "pending" else "accepted")
        assert came_to in set(explained(rides.kind, MIXES[status], start))
        taken = [one.captured for one in told.payments if one.state is PaymentState.CAPTURED]
        assert taken == ([told.ride.fee] if told.ride.fee else [])
