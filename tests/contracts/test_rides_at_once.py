"""Concurrent actions on a ride have the result of running them in some order."""

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from threading import Lock
from typing import Final

import pytest
import sqlalchemy as sa
from tests.contracts.partners import add_partner
from tests.contracts.rides import (
    add_offers,
    charges_of,
    create_ride,
    read_record,
    require_consistent,
    require_settled,
)
from tests.threads import at_once

from repaircore.adapters.sql.schema.payments import sandbox_charges
from repaircore.core import Core
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Conflict, Failure
from repaircore.payments.model import GatewayState, PaymentState, ReconciliationResult
from repaircore.payments.reconciliation import OLDER_THAN
from repaircore.rides.model import Ride, RideKind, RideOutcome, Status
from repaircore.rides.service import Rides
from repaircore.testing.clock import FrozenClock

DRIVERS: Final = 50
ROUNDS: Final = 20

Action = Callable[[], object]


@pytest.fixture(params=["rides", "tows"])
def rides(request: pytest.FixtureRequest, core: Core) -> Rides:
    service: Rides = getattr(core, request.param)
    return service


@pytest.fixture
def caller(core: Core) -> PartnerCaller:
    return add_partner(core.storage.database)


def attempt(act: Action) -> Failure | None:
    try:
        act()
    except Failure as failure:
        return failure
    return None


def run_at_once(actions: Sequence[Action]) -> list[Failure | None]:
    """Run actions at once; return how each failed, or None, in their order."""
    numbers, lock = iter(range(len(actions))), Lock()

    def run_next() -> tuple[int, Failure | None]:
        with lock:
            number = next(numbers)
        return number, attempt(actions[number])

    return [failure for _, failure in sorted(at_once(len(actions), run_next), key=lambda pair: pair[0])]


def test_one_of_fifty_concurrent_acceptances_wins(
    core: Core, rides: Rides, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = create_ride(core, rides, caller)
    providers = add_offers(DRIVERS, core, rides, ride.ref)
    actions = [lambda ref=ref: rides.accept_offer(ride.ref, ref, caller, claim=ref) for ref in providers]
    failures = run_at_once(actions)

    assert failures.count(None) == 1
    assert all(failure is None or isinstance(failure, Conflict) for failure in failures)

    record = read_record(core, rides, ride.ref)
    require_consistent(record)

    assert record.ride.provider_ref == providers[failures.index(None)]
    assert [str(offer.status) for offer in record.offers].count("accepted") == 1
    assert [*record.events].count(f"{rides.kind}.accepted") == 1
    assert [*charges_of(core, record.payments).values()].count(GatewayState.AUTHORIZED) == 1

    clock.advance(OLDER_THAN)
    core.payment_reconciliation.reconcile()
    require_settled(core, read_record(core, rides, ride.ref))
    with core.storage.database.transaction(write=False) as connection:
        states = [row.state for row in connection.execute(sa.select(sandbox_charges.c.state))]

    assert states.count(GatewayState.AUTHORIZED) == 1


def test_concurrent_repeats_of_one_acceptance_are_one(
    core: Core, rides: Rides, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = create_ride(core, rides, caller)
    (first, *_) = rides.list_acceptable_offers(ride.ref, caller)
    actions = [lambda: rides.accept_offer(ride.ref, first.provider_ref, caller, claim="once")] * 8
    failures = run_at_once(actions)

    assert None in failures
    assert all(failure is None or isinstance(failure, Conflict) for failure in failures)

    clock.advance(OLDER_THAN)

    assert core.payment_reconciliation.reconcile() == ReconciliationResult()

    record = read_record(core, rides, ride.ref)
    require_consistent(record)
    require_settled(core, record)

    assert (record.ride.status, len(record.payments)) == (Status.ACCEPTED, 1)


# The status of a ride and of its first offer, and what each action makes of them; an absent one is refused.
State = tuple[str, str]
TRANSITIONS: Final[dict[str, dict[State, State]]] = {
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


def possible_results(
    kind: RideKind, actions: Sequence[str], start: State
) -> Iterator[tuple[tuple[bool, ...], State]]:
    """Yield what each order of the actions results in: which succeed, and the final state."""
    transitions = (
        TRANSITIONS if kind is RideKind.MOBILE else {**TRANSITIONS, "decline": {}}
    )  # offers for tows cannot be declined
    for order in permutations(range(len(actions))):
        state, done = start, [False] * len(actions)
        for number in order:
            after = transitions[actions[number]].get(state)
            if after is not None:
                state, done[number] = after, True
        yield tuple(done), state


def actions_on(rides: Rides, ride: Ride, provider: str, caller: PartnerCaller) -> dict[str, Action]:
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
def test_concurrent_actions_have_the_result_of_some_order(
    core: Core, caller: PartnerCaller, clock: FrozenClock, status: str
) -> None:
    for number in range(ROUNDS // len(MIXES)):
        rides = (core.rides, core.tows)[number % 2]
        ride = create_ride(core, rides, caller)
        (offer, *_) = rides.list_acceptable_offers(ride.ref, caller)
        actions = actions_on(rides, ride, offer.provider_ref, caller)
        for before, action in (
            ("accepted", "accept"),
            ("driver_arrived", "arrive"),
            ("in_progress", "start"),
        ):
            if [*MIXES].index(before) <= [*MIXES].index(status):
                actions[action]()
        failures = run_at_once([actions[action] for action in MIXES[status]])
        assert all(failure is None or isinstance(failure, Conflict) for failure in failures), failures
        clock.advance(OLDER_THAN)
        assert core.payment_reconciliation.reconcile().stuck == ()
        record = read_record(core, rides, ride.ref)
        require_consistent(record)
        require_settled(core, record)
        offer_status = next(each.status for each in record.offers if each.id == offer.id)
        result = (
            tuple(failure is None for failure in failures),
            (record.ride.status.replace("provider_", "driver_"), str(offer_status)),
        )
        start = (status, "offered" if status == "pending" else "accepted")
        assert result in set(possible_results(rides.kind, MIXES[status], start))
        captured = [payment.captured for payment in record.payments if payment.state is PaymentState.CAPTURED]
        assert captured == ([record.ride.fee] if record.ride.fee else [])
