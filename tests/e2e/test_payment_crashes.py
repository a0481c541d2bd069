"""The process is killed at every failpoint of a payment: afterwards there is one charge or none, and the ledgers agree."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import TypeAlias

import pytest
import sqlalchemy as sa
from tests.docs.examples import ROOT
from tests.e2e.payment_process import RIDE, TOW, PaymentSteps, open_core

from repaircore.adapters.sql.schema.payments import sandbox_charges
from repaircore.core import Core
from repaircore.kernel.callers import Environment
from repaircore.payments import books
from repaircore.payments.model import (
    STEPS,
    Account,
    GatewayState,
    Payment,
    PaymentFilter,
    PaymentState,
    ReconciliationResult,
)
from repaircore.payments.ports import FAILPOINTS, ignore_failpoint
from repaircore.payments.reconciliation import Reconciliation

pytestmark = pytest.mark.long

S, H = PaymentState, GatewayState

RunUntilKilled: TypeAlias = Callable[[str, Path, str], int]


@pytest.fixture
def core(database_url: str, tmp_path: Path) -> Iterator[Core]:
    opened = open_core(database_url, tmp_path)
    opened.partners.create("Towify", "test")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def run_until_killed() -> Iterator[RunUntilKilled]:
    """Return a function that runs the steps in a process killed at a failpoint, and returns its exit status."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.e2e.payment_process"],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def run(url: str, folder: Path, moment: str) -> int:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"{url}\t{folder}\t{moment}\n")
            process.stdin.flush()
            return int(process.stdout.readline())

        yield run
        assert process.stdin is not None
        process.stdin.close()


def all_payments(core: Core) -> list[Payment]:
    return [*core.payments.list_page(PaymentFilter(environment=Environment.TEST), per_page=100)]


def charges(core: Core) -> dict[str, GatewayState]:
    """Return the sandbox's charges by the keys of their orders."""
    with core.storage.database.transaction(write=False) as connection:
        return {row.key: GatewayState(row.state) for row in connection.execute(sa.select(sandbox_charges))}


def require_agreement(core: Core) -> None:
    """Assert that ledgers, payments, the gateway and the paid subjects agree."""
    held = charges(core)
    steps = PaymentSteps(core, ignore_failpoint)
    for payment in all_payments(core):
        lines = core.payments.get(payment.id, environment=Environment.TEST).entries
        assert books.balances(lines) == books.position(payment)
        assert payment.state not in STEPS
        there = held.pop(f"{payment.id}/authorize", None)
        expected: dict[PaymentState, set[GatewayState | None]] = {
            S.AUTHORIZED: {H.AUTHORIZED},
            S.CAPTURED: {H.CAPTURED},
            S.REFUNDED: {H.CAPTURED},
            S.VOIDED: {H.CANCELED, None},
        }
        assert there in expected[payment.state]
        is_assigned = steps.state(payment.subject) is not None
        if payment.state is not S.VOIDED:
            assert is_assigned
    assert held == {}, "the sandbox has an unknown charge"
    for subject in (RIDE, TOW):
        active = [one for one in all_payments(core) if one.subject == subject and one.state is not S.VOIDED]
        wanted = steps.state(subject) in {"accepted", "completed", "refunded"}
        assert len(active) == wanted


@pytest.mark.parametrize("moment", FAILPOINTS)
def test_kill_leaves_one_charge_or_none(
    core: Core, run_until_killed: RunUntilKilled, database_url: str, tmp_path: Path, moment: str
) -> None:
    assert run_until_killed(database_url, tmp_path, moment) == -signal.SIGKILL
    reconciliation = Reconciliation(payments=core.payments)
    result = reconciliation.reconcile(timedelta(0))
    assert (result.waiting, result.stuck) == (0, ())
    require_agreement(core)
    assert reconciliation.reconcile(timedelta(0)) == ReconciliationResult()
    PaymentSteps(core, ignore_failpoint).run()
    require_agreement(core)
    earned = [
        line.cents
        for payment in all_payments(core)
        for line in core.payments.get(payment.id, environment=Environment.TEST).entries
        if line.account is Account.PARTNER_REVENUE
    ]
    assert sum(earned) == 1500
    assert H.AUTHORIZED not in charges(core).values()
    assert [*charges(core).values()].count(H.CAPTURED) == 1


def test_life_without_a_kill_has_the_same_result(
    core: Core, run_until_killed: RunUntilKilled, database_url: str, tmp_path: Path
) -> None:
    assert run_until_killed(database_url, tmp_path, "never") == 0
    require_agreement(core)
    assert charges(core) == {
        f"{payment.id}/authorize": H.CAPTURED if payment.subject == RIDE else H.CANCELED
        for payment in all_payments(core)
    }
    assert len(all_payments(core)) == 2
