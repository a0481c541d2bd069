"""The process is killed at every failpoint of accepting, completing and canceling rides and tows.

The jobs settle the rest within a minute of a restart, without duplicate or unknown charges, and a partner that repeats its
requests with the same keys gets the outcome. Once for each failpoint and database; ``nox -s
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
from tests.e2e.ride_process import MOMENTS, ROLES, Partner

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
INTERVAL: Final = timedelta(seconds=5)

RunUntilKilled: TypeAlias = Callable[["RideInstallation", str, int], int]
RidesByRole: TypeAlias = dict[str, tuple[Rides, str]]


@frozen(kw_only=True)
class RideInstallation:
    """An installation, a partner, and the partner's rides by their role."""

    core: Core
    clock: FrozenClock
    caller: PartnerCaller
    owned: RidesByRole

    def run(self, failpoint: Failpoint = ignore_failpoint) -> list[Reply]:
        """Run the rides in this process."""
        partner = Partner(core=self.core, caller=self.caller, clock=self.clock, failpoint=failpoint)
        return [*partner.run()]

    def records(self) -> dict[str, RideRecord]:
        return {role: read_record(self.core, rides, ref) for role, (rides, ref) in self.owned.items()}


@pytest.fixture
def installation(core: Core, clock: FrozenClock) -> RideInstallation:
    created = core.partners.create("Towify", "test")
    caller = PartnerCaller(partner_id=created.partner.id, environment=Environment.TEST)
    kinds = zip(ROLES, (core.rides, core.tows, core.rides), strict=True)
    owned = {role: (rides, create_ride(core, rides, caller).ref) for role, rides in kinds}
    return RideInstallation(core=core, clock=clock, caller=caller, owned=owned)


@pytest.fixture(scope="module")
def run_until_killed() -> Iterator[RunUntilKilled]:
    """Return a function that runs the rides in a process killed at a failpoint, and returns its exit status."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.e2e.ride_process"],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def run(installation: RideInstallation, moment: str, before: int) -> int:
            assert process.stdin is not None
            assert process.stdout is not None
            where, at = installation.core.settings, installation.clock().isoformat()
            arguments = (where.url, where.state, installation.caller.partner_id, at, moment, before)
            process.stdin.write("\t".join(map(str, arguments)) + "\n")
            process.stdin.flush()
            return int(process.stdout.readline())

        yield run
        assert process.stdin is not None
        process.stdin.close()


def restarted_jobs(core: Core, clock: FrozenClock) -> Jobs:
    """Return the jobs of a new process."""
    return evolve(core.jobs, workers=(), holder=lambda: "another", is_alive=lambda _: False, clock=clock)


def require_agreement(installation: RideInstallation) -> None:
    """Assert that rides, payments, books and the sandbox agree, and no step is pending."""
    core, known = installation.core, set[str]()
    for record in installation.records().values():
        require_consistent(record)
        require_settled(core, record)
        known |= {f"{payment.id}/authorize" for payment in record.payments}
    with core.storage.database.transaction(write=False) as connection:
        charges = {row.key: row.state for row in connection.execute(sa.select(sandbox_charges))}
    assert charges.keys() <= known, "the sandbox has an unknown charge"
    every = core.payments.list_page(PaymentFilter(environment=Environment.TEST), per_page=100)
    assert not [payment for payment in every if payment.state in STEPS]


def require_final_state(installation: RideInstallation) -> None:
    """Assert the result of a run without a kill."""
    core, records = installation.core, installation.records()
    done, charged, free = (records[role].ride for role in ROLES)
    assert [str(one.status) for one in (done, charged, free)] == ["completed", "cancelled", "cancelled"]
    assert (done.fee, free.fee) == (done.fare.total, 0)
    assert charged.fee is not None
    assert 0 < charged.fee < charged.fare.total
    for role, ends in zip(ROLES, ("completed", "cancelled", "cancelled"), strict=True):
        one = records[role]
        assert sum(payment.captured for payment in one.payments) == one.ride.fee
        event_names = [event.split(".")[1] for event in without_payments(one.events)]
        assert (event_names.count("accepted"), event_names.count(ends), event_names[-1]) == (1, 1, ends)
    with core.storage.database.transaction(write=False) as connection:
        states = [row.state for row in connection.execute(sa.select(sandbox_charges))]
    assert (states.count(GatewayState.CAPTURED), states.count(GatewayState.AUTHORIZED)) == (2, 0)


@pytest.mark.parametrize("crash", range(CRASHES))
@pytest.mark.parametrize("moment", MOMENTS)
def test_reconciliation_repairs_a_kill_at_every_moment(
    installation: RideInstallation, run_until_killed: RunUntilKilled, moment: str, crash: int
) -> None:
    assert run_until_killed(installation, moment, crash % MOMENTS[moment]) == -signal.SIGKILL
    jobs, restart = restarted_jobs(installation.core, installation.clock), installation.clock()
    while installation.clock() <= restart + WITHIN:
        assert not [done.failure for done in jobs.run_due() if done.failure]
        installation.clock.advance(INTERVAL)
    require_agreement(installation)
    assert {reply.status for reply in installation.run()} == {200}
    require_agreement(installation)
    require_final_state(installation)


@pytest.mark.parametrize("moment", ["payments.authorize.after_call", "rides.accept.after_assign"])
def test_retry_right_after_a_kill_gets_the_outcome(
    installation: RideInstallation, run_until_killed: RunUntilKilled, moment: str
) -> None:
    assert run_until_killed(installation, moment, 0) == -signal.SIGKILL
    answers = [reply.body for reply in installation.run()]
    assert [reply.body for reply in installation.run()] == answers
    require_agreement(installation)
    require_final_state(installation)
    assert [len(record.payments) for record in installation.records().values()] == [1, 1, 1]


def test_lives_without_a_kill_pass_every_moment(installation: RideInstallation) -> None:
    passed: list[str] = []
    assert {reply.status for reply in installation.run(passed.append)} == {200}
    require_agreement(installation)
    require_final_state(installation)
    assert {moment: passed.count(moment) for moment in MOMENTS} == MOMENTS
    assert set(passed) == set(MOMENTS)


@pytest.mark.parametrize("moment", ["payments.authorize.after_call", "rides.accept.before_assign"])
def test_jobs_process_repairs_a_kill(
    installation: RideInstallation, run_until_killed: RunUntilKilled, moment: str
) -> None:
    # The test clock is in the past, so the real one finds the killed steps old enough.
    assert run_until_killed(installation, moment, 0) == -signal.SIGKILL
    settings = {
        "REPAIRCORE_DATABASE_URL": installation.core.settings.url,
        "REPAIRCORE_STATE_FOLDER": str(installation.core.settings.state),
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
    require_agreement(installation)
    assert [str(payment.state) for payment in installation.records()["done"].payments] == ["voided"]
