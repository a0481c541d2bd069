"""The dispatch process is killed again and again at random moments, while providers answer and partners choose.

Each provider is asked at most once per wave and notified of each request once, waves continue, and each ride has one
winner. ``nox -s crashes`` kills it more often (REPAIRCORE_TEST_CRASHES).
"""

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from random import Random
from typing import Final, TypeAlias

import pytest
from tests.contracts.dispatching import Town, caller_of, noted
from tests.contracts.partners import add_partner
from tests.docs.examples import ROOT

from repaircore.core import Core
from repaircore.dispatch.model import DispatchRequest, RequestStatus
from repaircore.dispatch.requests import GiveReason, MakeOffer
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.rides.model import DispatchStatus, RideKind, Status
from repaircore.testing.clock import FrozenClock

pytestmark = pytest.mark.long

KILLS: Final = 10 * min(20, int(os.environ.get("REPAIRCORE_TEST_CRASHES", "1")))
RIDES: Final = 6
PROVIDERS: Final = 12
LONGEST: Final = 600
"""Milliseconds until the first kill at most; later kills adapt to the machine."""

Kill: TypeAlias = Callable[[Town, int], int]


@pytest.fixture(scope="module")
def kill() -> Iterator[Kill]:
    """Return a function that runs dispatch in a process, kills it after some milliseconds, and returns its exit status."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.e2e.dispatch_process"],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def run(town: Town, milliseconds: int) -> int:
            assert process.stdin is not None
            assert process.stdout is not None
            where, at = town.core.settings, town.core.clock().isoformat()
            arguments = (where.url, where.state, town.partner.partner_id, at, milliseconds)
            process.stdin.write("\t".join(map(str, arguments)) + "\n")
            process.stdin.flush()
            return int(process.stdout.readline())

        yield run
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture
def town(core: Core) -> Town:
    partner = add_partner(core.storage.database, environment=Environment.LIVE)
    return Town.of(core, partner, RideKind.TOW)


def answer(town: Town, request: DispatchRequest, *, offers: bool) -> None:
    """Answer a request, unless that is no longer possible."""
    with suppress(Conflict):
        if offers:
            town.provider_requests.offer(request.ref, MakeOffer(eta_minutes=12), caller_of(request))
        else:
            town.provider_requests.decline(request.ref, GiveReason(), caller_of(request))


def answer_all(town: Town, refs: list[str], chance: Random) -> None:
    """Answer some of the requests; nobody offers in a first wave, so that more waves follow."""
    for ref in refs:
        for request in town.requests(ref):
            if request.status is RequestStatus.SENT and chance.random() < 0.7:
                answer(town, request, offers=request.wave > 1 and chance.random() < 0.6)


def choose(town: Town, refs: list[str]) -> None:
    """Accept an offer of each ride that has one."""
    for ref in refs:
        for offer in town.rides.list_acceptable_offers(ref, None)[:1]:
            with suppress(Conflict):
                town.rides.accept_offer(ref, offer.provider_ref, town.partner)


def require_asked_once(town: Town, refs: list[str]) -> None:
    """Assert that nobody was asked twice in a wave, and that each request has exactly one notice."""
    requests = [request for ref in refs for request in town.requests(ref)]
    asked = Counter((request.ride_ref, request.wave, request.provider_ref) for request in requests)
    assert set(asked.values()) <= {1}
    notices = Counter(to for to, kind in noted(town.core) if kind == "request.requested")
    assert notices == Counter(request.provider_ref for request in requests)


def test_work_that_is_killed_asks_each_provider_once_and_has_one_winner(
    town: Town, clock: FrozenClock, kill: Kill
) -> None:
    chance = Random(7)  # noqa: S311 - no secret
    town.add_providers(PROVIDERS)
    refs = [town.create().ref for _ in range(RIDES)]
    kills, halves, longest = 0, 0, float(LONGEST)
    while kills < KILLS or not halves:
        kills += 1
        assert kills < 10 * KILLS, "no kill interrupted any work: this shows nothing"
        refs += [town.create().ref] if kills > KILLS else []  # or no work would be left
        before = len(noted(town.core))
        assert kill(town, chance.randrange(int(longest))) == -signal.SIGKILL
        reached = len(noted(town.core)) - before
        require_asked_once(town, refs)
        town.dispatch.run()  # what a restarted process does first
        done = len(noted(town.core)) - before
        halves += 0 < reached < done
        longest = max(2.0, longest * 0.7) if reached == done else min(LONGEST, longest * 1.2)
        require_asked_once(town, refs)
        answer_all(town, refs, chance)
        choose(town, refs)
        clock.advance(timedelta(seconds=20))

    while any(town.ride(ref).status is Status.PENDING and not _is_over(town, ref) for ref in refs):
        town.dispatch.run()
        answer_all(town, refs, chance)
        choose(town, refs)
        clock.advance(timedelta(minutes=1))
        town.rides.expire_due()
    town.dispatch.run()
    require_asked_once(town, refs)
    assert any(town.ride(ref).status is Status.ACCEPTED for ref in refs)
    for ref in refs:
        require_one_winner(town, ref)


def require_one_winner(town: Town, ref: str) -> None:
    """Assert that a ride has the chosen provider, all others are notified, and its waves have no gap."""
    ride, requests = town.ride(ref), town.requests(ref)
    chosen = [request.provider_ref for request in requests if request.status is RequestStatus.CHOSEN]
    assert chosen == ([ride.provider_ref] if ride.status is Status.ACCEPTED else [])
    assert not [request for request in requests if request.status is RequestStatus.OFFERED]
    waves = sorted({request.wave for request in requests})
    assert waves == [*range(1, len(waves) + 1)]
    notices = Counter(kind for to, kind in noted(town.core) if to in chosen)
    assert notices["request.chosen"] >= len(chosen)
    steps = [step for step, _ in town.steps(ref)]
    assert steps.count("accept_offer") == len(chosen)
    assert steps.count("ask_providers") == len(waves)


def _is_over(town: Town, ref: str) -> bool:
    return town.ride(ref).dispatch is DispatchStatus.NOBODY_LEFT
