"""The process is killed at every named moment of a money operation: afterwards there is one charge, or none, and books that agree."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.docs.examples import ROOT
from tests.e2e.payment_life import RIDE, TOW, Lives, a_core

from repaircore.adapters.sql.tables import sandbox_charges
from repaircore.bootstrap import Core
from repaircore.kernel.callers import Environment
from repaircore.payments import books
from repaircore.payments.model import (
    STEPS,
    Account,
    HeldState,
    Payment,
    PaymentFilter,
    PaymentState,
    Reconciled,
)
from repaircore.payments.ports import FAILPOINTS, pass_by
from repaircore.payments.reconciling import Reconciliation, unwanted

S, H = PaymentState, HeldState


@pytest.fixture
def core(database_url: str, tmp_path: Path) -> Iterator[Core]:
    opened = a_core(database_url, tmp_path)
    opened.partners.create("Towify", "test")
    yield opened
    opened.close()


def killed_at(moment: str, url: str, folder: Path) -> int:
    """Lead the lives in a process that ends at a moment; give its exit status."""
    done = subprocess.run(  # noqa: S603 - this interpreter, our own program
        [sys.executable, "-m", "tests.e2e.payment_life", url, str(folder), moment],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        check=False,
        timeout=120,
    )
    return done.returncode


def every(core: Core) -> list[Payment]:
    return [*core.payments.page(PaymentFilter(environment=Environment.TEST), per_page=100)]


def charges(core: Core) -> dict[str, HeldState]:
    """Give all that the sandbox has ever held, by the order's key."""
    with core.storage.database.begin(write=False) as connection:
        return {row.key: HeldState(row.state) for row in connection.execute(sa.select(sandbox_charges))}


def demand_agreement(core: Core) -> None:
    """Demand that books, payments, the gateway and what is paid for tell the same."""
    held = charges(core)
    lives = Lives(core, pass_by)
    for payment in every(core):
        lines = core.payments.show(payment.id, environment=Environment.TEST).entries
        assert books.balances(lines) == books.position(payment)
        assert payment.state not in STEPS
        there = held.pop(f"{payment.id}/authorize", None)
        expected: dict[PaymentState, set[HeldState | None]] = {
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
def test_a_kill_leaves_one_charge_or_none(core: Core, database_url: str, tmp_path: Path, moment: str) -> None:
    assert killed_at(moment, database_url, tmp_path) == -signal.SIGKILL
    reconciliation = Reconciliation(payments=core.payments, wanted=unwanted)
    healed = reconciliation.reconcile(timedelta(0))
    assert (healed.waiting, healed.stuck) == (0, ())
    demand_agreement(core)
    assert reconciliation.reconcile(timedelta(0)) == Reconciled()
    Lives(core, pass_by).lead()
    demand_agreement(core)
    earned = [
        line.cents
        for payment in every(core)
        for line in core.payments.show(payment.id, environment=Environment.TEST).entries
        if line.account is Account.PARTNER_REVENUE
    ]
    assert sum(earned) == 1500
    assert H.AUTHORIZED not in charges(core).values()
    assert [*charges(core).values()].count(H.CAPTURED) == 1


def test_a_life_without_a_kill_comes_to_the_same(core: Core, database_url: str, tmp_path: Path) -> None:
    assert killed_at("never", database_url, tmp_path) == 0
    demand_agreement(core)
    assert charges(core) == {
        f"{payment.id}/authorize": H.CAPTURED if payment.subject == RIDE else H.CANCELED
        for payment in every(core)
    }
    assert len(every(core)) == 2
