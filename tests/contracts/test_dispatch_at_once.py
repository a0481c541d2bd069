"""Concurrent answers and background work, and crashes at each write: one winner, each provider asked once."""

from collections.abc import Callable
from functools import partial
from typing import Final

import pytest
from attrs import evolve
from tests.contracts.dispatching import Town, caller_of, noted
from tests.contracts.partners import add_partner
from tests.contracts.rides import charges_of
from tests.contracts.test_rides_at_once import run_at_once
from tests.threads import at_once

from repaircore.core import Core
from repaircore.dispatch.errors import NoRequest
from repaircore.dispatch.model import DispatchRequest
from repaircore.dispatch.requests import GiveReason, MakeOffer
from repaircore.dispatch.waves import WavePlan
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.payments.model import GatewayState
from repaircore.rides.model import Ride, RideKind, Status

PROVIDERS: Final = 50
SOON = MakeOffer(eta_minutes=12)


@pytest.fixture
def town(core: Core) -> Town:
    partner = add_partner(core.storage.database, environment=Environment.LIVE)
    return Town.of(core, partner, RideKind.TOW)


class Crash(BaseException):
    """The process ends here."""


def crash_at(moment: int) -> Callable[[str], None]:
    """Return a failpoint that crashes when it is passed for the ``moment``-th time, counted from 0."""
    passed = iter(range(10_000))

    def failpoint(_name: str) -> None:
        if next(passed) == moment:
            raise Crash

    return failpoint


def test_one_of_fifty_concurrent_offers_is_chosen_and_all_notified(town: Town) -> None:
    town.add_providers(PROVIDERS)
    ride = town.create()
    evolve(town.dispatch, plan=WavePlan(sizes=(PROVIDERS,))).run()
    requests = town.requests(ride.ref)
    offers = [
        lambda request=request: town.provider_requests.offer(request.ref, SOON, caller_of(request))
        for request in requests
    ]
    failures = run_at_once(offers)
    acceptances = [
        lambda ref=request.provider_ref: town.rides.accept_offer(ride.ref, ref, town.partner, claim=ref)
        for request in requests[:8]
    ]
    refused = run_at_once(acceptances)
    town.dispatch.settle()

    assert failures == [None] * PROVIDERS
    assert refused.count(None) == 1
    assert sorted(town.statuses(ride.ref)) == ["chosen"] + ["not_chosen"] * (PROVIDERS - 1)
    notices = [kind for _, kind in noted(town.core)[PROVIDERS:]]
    assert sorted(notices) == ["request.chosen"] + ["request.not_chosen"] * (PROVIDERS - 1)
    with town.core.storage.read() as work:
        payments = work.payments.list_for(ride.ref, environment=Environment.LIVE)
    charges = [*charges_of(town.core, payments).values()]
    assert charges.count(GatewayState.AUTHORIZED) == 1


def test_concurrently_used_links_answer_only_for_their_own_job(town: Town) -> None:
    refs = town.add_providers(PROVIDERS)
    ride, other = town.create(), town.create()
    evolve(town.dispatch, plan=WavePlan(sizes=(PROVIDERS,))).run()
    requests = town.requests(ride.ref)
    tokens = [town.token(request) for request in requests]
    guessed = [token[:-1] + ("A" if token[-1] != "A" else "B") for token in tokens]
    answers = [partial(_offer_by_link, town, token) for token in (*tokens, *tokens, *guessed)]
    failures = run_at_once(answers)
    (elsewhere, *_) = town.requests(other.ref)
    caller, _ = town.provider_requests.open(tokens[0])
    others_request = next(request for request in requests if request.provider_ref != caller.provider_ref)

    assert failures[: 2 * PROVIDERS] == [None] * 2 * PROVIDERS
    assert {type(failure) for failure in failures[2 * PROVIDERS :]} == {NoRequest}
    assert sorted(offer.provider_ref for offer in town.rides.list_offers(ride.ref)) == sorted(refs)
    assert town.rides.list_offers(other.ref) == []
    assert [step for step, _ in town.steps(ride.ref)].count("offer") == PROVIDERS
    assert elsewhere.ref not in {request.ref for request in requests}
    with pytest.raises(NoRequest):
        town.provider_requests.decline(others_request.ref, GiveReason(), caller)

    town.rides.accept_offer(ride.ref, refs[0], town.partner)
    town.dispatch.settle()
    replayed = run_at_once([partial(_offer_by_link, town, token) for token in tokens])

    assert sorted(town.statuses(ride.ref)) == ["chosen"] + ["not_chosen"] * (PROVIDERS - 1)
    assert [isinstance(failure, Conflict) for failure in replayed].count(True) == PROVIDERS
    assert town.ride(ride.ref).provider_ref == refs[0]
    assert len(town.rides.list_offers(ride.ref)) == PROVIDERS


def test_concurrent_workers_ask_each_provider_once(town: Town) -> None:
    refs = town.add_providers(3)
    ride = town.create()
    at_once(6, town.dispatch.run)

    assert sorted(request.provider_ref for request in town.requests(ride.ref)) == sorted(refs)
    assert sorted(noted(town.core)) == sorted((ref, "request.requested") for ref in refs)


def test_concurrent_acceptance_and_withdrawal_have_one_winner(town: Town) -> None:
    town.add_providers(1)
    for _ in range(5):
        ride = town.create()
        town.dispatch.run()
        (request,) = town.requests(ride.ref)
        town.provider_requests.offer(request.ref, SOON, caller_of(request))
        accepted, withdrawn = run_at_once(_accept_and_withdraw(town, ride, request))
        status = town.ride(ride.ref).status
        town.dispatch.settle()

        assert [accepted, withdrawn].count(None) == 1
        assert status is (Status.ACCEPTED if accepted is None else Status.PENDING)
        assert town.statuses(ride.ref) == (["chosen"] if accepted is None else ["declined"])
        if accepted is None:
            town.rides.call_off(ride.ref)
            town.dispatch.settle()


def test_concurrent_drop_outs_free_the_ride_once(town: Town) -> None:
    (ref,) = town.add_providers(1)
    ride = town.create()
    town.dispatch.run()
    (request,) = town.requests(ride.ref)
    town.provider_requests.offer(request.ref, SOON, caller_of(request))
    town.rides.accept_offer(ride.ref, ref, town.partner)
    failures = run_at_once(
        [
            lambda: town.provider_requests.drop_out(request.ref, GiveReason(), caller_of(request)),
            lambda: town.rides.drop_out(ride.ref),
        ]
    )

    assert failures.count(None) == 1
    assert [isinstance(failure, Conflict) for failure in failures].count(True) == 1
    assert [step for step, _ in town.steps(ride.ref)].count("drop_out") == 1


@pytest.mark.parametrize("moment", range(8))
def test_crash_while_storing_a_wave_asks_each_provider_once(town: Town, moment: int) -> None:
    refs = town.add_providers(3)
    ride = town.create()
    crashed = _run_crashes(town, moment)
    town.dispatch.run()

    assert crashed == (moment < 5)  # before each of three messages, before and after the commit
    assert [request.provider_ref for request in town.requests(ride.ref)] == refs
    assert noted(town.core) == [(ref, "request.requested") for ref in refs]
    assert town.steps(ride.ref).count(("ask_providers", "system")) == 1


@pytest.mark.parametrize("moment", range(6))
def test_crash_while_notifying_notifies_each_provider_once(town: Town, moment: int) -> None:
    refs = town.add_providers(2)
    ride = town.create()
    town.dispatch.run()
    for request in town.requests(ride.ref):
        town.provider_requests.offer(request.ref, SOON, caller_of(request))
    town.rides.accept_offer(ride.ref, refs[0], town.partner)
    crashed = _run_crashes(town, moment)
    town.dispatch.run()

    assert crashed == (moment < 4)  # for each of two, before and after the commit
    assert noted(town.core)[2:] == [(refs[0], "request.chosen"), (refs[1], "request.not_chosen")]


@pytest.mark.parametrize("answer", ["offer", "decline"])
def test_crash_while_storing_an_answer_leaves_the_request_open(town: Town, answer: str) -> None:
    town.add_providers(1)
    ride = town.create()
    town.dispatch.run()
    (request,) = town.requests(ride.ref)
    requests, caller = evolve(town.provider_requests, failpoint=crash_at(0)), caller_of(request)
    answers = {
        "offer": lambda: requests.offer(request.ref, SOON, caller),
        "decline": lambda: requests.decline(request.ref, GiveReason(), caller),
    }
    with pytest.raises(Crash):
        answers[answer]()

    assert town.statuses(ride.ref) == ["sent"]
    assert town.rides.list_offers(ride.ref) == []
    assert [step for step in town.steps(ride.ref) if step[1] == "provider"] == []


def _offer_by_link(town: Town, token: str) -> None:
    """Make an offer by the link's token."""
    caller, job = town.provider_requests.open(token)
    town.provider_requests.offer(job.request.ref, SOON, caller)


def _accept_and_withdraw(town: Town, ride: Ride, request: DispatchRequest) -> list[Callable[[], object]]:
    return [
        lambda: town.rides.accept_offer(ride.ref, request.provider_ref, town.partner),
        lambda: town.provider_requests.decline(request.ref, GiveReason(), caller_of(request)),
    ]


def _run_crashes(town: Town, moment: int) -> bool:
    """Run the background work with a crash at a moment; return whether it crashed."""
    try:
        evolve(town.dispatch, failpoint=crash_at(moment)).run()
    except Crash:
        return True
    return False
