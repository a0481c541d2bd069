"""The process is killed at every named moment of a money operation: afterwards there is one charge, or none, and books that agree."""

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
from tests.e2e.payment_life import RIDE, TOW, Lives, a_core

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

Mortal: TypeAlias = Callable[[str, Path, str], int]


@pytest.fixture
def core(database_url: str, tmp_path: Path) -> Iterator[Core]:
    opened = a_core(database_url, tmp_path)
    opened.partners.create("Towify", "test")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def mortal() -> Iterator[Mortal]:
    """Return a function that runs the lives in a process that is killed at a moment, and returns its exit status."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.e2e.payment_life"],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def lead(url: str, folder: Path, moment: str) -> int:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"{url}\t{folder}\t{moment}\n")
            process.stdin.flush()
            return int(process.stdout.readline())

        yield lead
        assert process.stdin is not None
        process.stdin.close()


def every(core: Core) -> list[Payment]:
    return [*core.payments.list_page(PaymentFilter(environment=Environment.TEST), per_page=100)]


def charges(core: Core) -> dict[str, GatewayState]:
    """Return all charges of the sandbox, by the key of their order."""
    with core.storage.database.transaction(write=False) as connection:
        return {row.key: GatewayState(row.state) for row in connection.execute(sa.select(sandbox_charges))}


def require_agreement(core: Core) -> None:
    """Assert that books, payments, the gateway and the paid subjects agree."""
    held = charges(core)
    lives = Lives(core, ignore_failpoint)
    for payment in every(core):
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
        is_assigned = lives.state(payment.subject) is not None
        if payment.state is not S.VOIDED:
            assert is_assigned
    assert held == {}, "the sandbox holds something that nobody knows"
    for subject in (RIDE, TOW):
        living = [one for one in every(core) if one.subject == subject and one.state is not S.VOIDED]
        wanted = lives.state(subject) in {"accepted", "completed", "given back"}
        assert len(living) == wanted


@pytest.mark.parametrize("moment", FAILPOINTS)
def test_kill_leaves_one_charge_or_none(
    core: Core, mortal: Mortal, database_url: str, tmp_path: Path, moment: str
) -> None:
    assert mortal(database_url, tmp_path, moment) == -signal.SIGKILL
    reconciliation = Reconciliation(payments=core.payments)
    healed = reconciliation.reconcile(timedelta(0))
    assert (healed.waiting, healed.stuck) == (0, ())
    require_agreement(core)
    assert reconciliation.reconcile(timedelta(0)) == ReconciliationResult()
    Lives(core, ignore_failpoint).lead()
    require_agreement(core)
    earned = [
        line.cents
        for payment in every(core)
        for line in core.payments.get(payment.id, environment=Environment.TEST).entries
        if line.account is Account.PARTNER_REVENUE
    ]
    assert sum(earned) == 1500
    assert H.AUTHORIZED not in charges(core).values()
    assert [*charges(core).values()].count(H.CAPTURED) == 1


def test_life_without_a_kill_has_the_same_result(
    core: Core, mortal: Mortal, database_url: str, tmp_path: Path
) -> None:
    assert mortal(database_url, tmp_path, "never") == 0
    require_agreement(core)
    assert charges(core) == {
        f"{payment.id}/authorize": H.CAPTURED if payment.subject == RIDE else H.CANCELED
        for payment in every(core)
    }
    assert len(every(core)) == 2
