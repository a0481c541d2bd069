"""The process is killed at every named moment of accepting, completing and canceling rides and tows.

What it leaves is settled within a minute of a restart without the partner's doing, with no charge twice and none that nobody
knows; and the partner, who asks again under the same keys, gets the outcome. Once for each moment and database; ``nox -s
crashes`` does it twenty times (REPAIRCORE_TEST_CRASHES).
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Final, TypeAlias

import pytest
import sqlalchemy as sa
from attrs import evolve, frozen
from tests.contracts.rides import (
    RideRecord,
    create_ride,
    read_record,
    require_consistent,
    require_settled,
    without_payments,
)
from tests.docs.examples import ROOT
from tests.e2e.processes import PATIENCE
from tests.e2e.ride_life import MOMENTS, ROLES, Partner

from repaircore.adapters.sql.schema.payments import sandbox_charges
from repaircore.core import Core
from repaircore.idempotency.model import Reply
from repaircore.jobs.service import Jobs
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.payments.model import STEPS, GatewayState, PaymentFilter
from repaircore.payments.ports import Failpoint, ignore_failpoint
from repaircore.rides.service import Rides
from repaircore.testing.clock import FrozenClock

pytestmark = pytest.mark.long

CRASHES: Final = min(20, int(os.environ.get("REPAIRCORE_TEST_CRASHES", "1")))
WITHIN: Final = timedelta(seconds=60)
LOOKS_EVERY: Final = timedelta(seconds=5)

Mortal: TypeAlias = Callable[["Scene", str, int], int]
Owned: TypeAlias = dict[str, tuple[Rides, str]]


@frozen(kw_only=True)
class Scene:
    """An installation, a partner, and the partner's rides by what becomes of them, with whose they are."""

    core: Core
    clock: FrozenClock
    caller: PartnerCaller
    owned: Owned

    def lead(self, failpoint: Failpoint = ignore_failpoint) -> list[Reply]:
        """Lead the rides to their ends in this process."""
        partner = Partner(core=self.core, caller=self.caller, clock=self.clock, failpoint=failpoint)
        return [*partner.lead()]

    def records(self) -> dict[str, RideRecord]:
        return {role: read_record(self.core, rides, ref) for role, (rides, ref) in self.owned.items()}


@pytest.fixture
def scene(core: Core, clock: FrozenClock) -> Scene:
    made = core.partners.create("Towify", "test")
    caller = PartnerCaller(partner_id=made.partner.id, environment=Environment.TEST)
    kinds = zip(ROLES, (core.rides, core.tows, core.rides), strict=True)
    owned = {role: (rides, create_ride(core, rides, caller).ref) for role, rides in kinds}
    return Scene(core=core, clock=clock, caller=caller, owned=owned)


@pytest.fixture(scope="module")
def mortal() -> Iterator[Mortal]:
    """Return a function that runs the lives in a process that is killed at a moment, and returns its exit status."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.e2e.ride_life"],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def lead(scene: Scene, moment: str, before: int) -> int:
            assert process.stdin is not None
            assert process.stdout is not None
            where, at = scene.core.settings, scene.clock().isoformat()
            arguments = (where.url, where.state, scene.caller.partner_id, at, moment, before)
            process.stdin.write("\t".join(map(str, arguments)) + "\n")
            process.stdin.flush()
            return int(process.stdout.readline())

        yield lead
        assert process.stdin is not None
        process.stdin.close()


def restarted(core: Core, clock: FrozenClock) -> Jobs:
    """Return the jobs of a new process."""
    return evolve(core.jobs, workers=(), holder=lambda: "another", is_alive=lambda _: False, clock=clock)


def require_agreement(scene: Scene) -> None:
    """Assert that rides, payments, books and the sandbox agree, and no step is pending."""
    core, known = scene.core, set[str]()
    for record in scene.records().values():
        require_consistent(record)
        require_settled(core, record)
        known |= {f"{payment.id}/authorize" for payment in record.payments}
    with core.storage.database.transaction(write=False) as connection:
        charges = {row.key: row.state for row in connection.execute(sa.select(sandbox_charges))}
    assert charges.keys() <= known, "the sandbox holds something that nobody knows"
    every = core.payments.list_page(PaymentFilter(environment=Environment.TEST), per_page=100)
    assert not [payment for payment in every if payment.state in STEPS]


def require_ends(scene: Scene) -> None:
    """Assert the result of three lives without a kill."""
    core, records = scene.core, scene.records()
    done, charged, free = (records[role].ride for role in ROLES)
    assert [str(one.status) for one in (done, charged, free)] == ["completed", "cancelled", "cancelled"]
    assert (done.fee, free.fee) == (done.fare.total, 0)
    assert charged.fee is not None
    assert 0 < charged.fee < charged.fare.total
    for role, ends in zip(ROLES, ("completed", "cancelled", "cancelled"), strict=True):
        one = records[role]
        assert sum(payment.captured for payment in one.payments) == one.ride.fee
        what = [event.split(".")[1] for event in without_payments(one.events)]
        assert (what.count("accepted"), what.count(ends), what[-1]) == (1, 1, ends)
    with core.storage.database.transaction(write=False) as connection:
        states = [row.state for row in connection.execute(sa.select(sandbox_charges))]
    assert (states.count(GatewayState.CAPTURED), states.count(GatewayState.AUTHORIZED)) == (2, 0)


@pytest.mark.parametrize("crash", range(CRASHES))
@pytest.mark.parametrize("moment", MOMENTS)
def test_reconciliation_repairs_a_kill_at_every_moment(
    scene: Scene, mortal: Mortal, moment: str, crash: int
) -> None:
    assert mortal(scene, moment, crash % MOMENTS[moment]) == -signal.SIGKILL
    jobs, restart = restarted(scene.core, scene.clock), scene.clock()
    while scene.clock() <= restart + WITHIN:
        assert not [done.failure for done in jobs.run_due() if done.failure]
        scene.clock.advance(LOOKS_EVERY)
    require_agreement(scene)
    assert {reply.status for reply in scene.lead()} == {200}
    require_agreement(scene)
    require_ends(scene)


@pytest.mark.parametrize("moment", ["payments.authorize.after_call", "rides.accept.after_assign"])
def test_retry_right_after_a_kill_gets_the_outcome(scene: Scene, mortal: Mortal, moment: str) -> None:
    assert mortal(scene, moment, 0) == -signal.SIGKILL
    answers = [reply.body for reply in scene.lead()]
    assert [reply.body for reply in scene.lead()] == answers
    require_agreement(scene)
    require_ends(scene)
    assert [len(record.payments) for record in scene.records().values()] == [1, 1, 1]


def test_lives_without_a_kill_pass_every_moment(scene: Scene) -> None:
    passed: list[str] = []
    assert {reply.status for reply in scene.lead(passed.append)} == {200}
    require_agreement(scene)
    require_ends(scene)
    assert {moment: passed.count(moment) for moment in MOMENTS} == MOMENTS
    assert set(passed) == set(MOMENTS)


@pytest.mark.parametrize("moment", ["payments.authorize.after_call", "rides.accept.before_assign"])
def test_jobs_process_repairs_a_kill(scene: Scene, mortal: Mortal, moment: str) -> None:
    # The clock of tests stands in the past: what the kill leaves is old enough for the real one.
    assert mortal(scene, moment, 0) == -signal.SIGKILL
    settings = {
        "REPAIRCORE_DATABASE_URL": scene.core.settings.url,
        "REPAIRCORE_STATE_FOLDER": str(scene.core.settings.state),
        "REPAIRCORE_SECRET_KEY": "0" * 64,
        "PYTHONPATH": str(ROOT / "src"),
    }
    own = {name: value for name, value in os.environ.items() if not name.startswith("REPAIRCORE_")}
    subprocess.run(
        [sys.executable, "-m", "repaircore_cli", "jobs", "run", "--once"],
        env={**own, **settings},
        check=True,
        capture_output=True,
        timeout=PATIENCE,
    )
    require_agreement(scene)
    assert [str(payment.state) for payment in scene.records()["done"].payments] == ["voided"]
