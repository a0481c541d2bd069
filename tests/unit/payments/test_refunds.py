"""Operators give money back: over both databases, with the sandbox as the gateway."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from tests.unit.payments.payments import wanted

from repaircore.adapters.sql.schema.payments import sandbox_charges
from repaircore.bootstrap import Core
from repaircore.kernel.callers import LOCAL, Environment
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.payments import books
from repaircore.payments.errors import GatewayUnavailable, NoPayment
from repaircore.payments.model import Account, Payment, PaymentState, ReconciliationResult
from repaircore.testing.clock import FrozenClock

TEST = Environment.TEST


@pytest.fixture(autouse=True)
def partner(core: Core) -> None:
    core.partners.create("Towify", "test")


def captured(core: Core, **changes: str) -> Payment:
    with core.payments.transaction() as work:
        payment = core.payments.start(work, wanted(**changes))
    held = core.payments.finish(payment)
    with core.payments.transaction() as work:
        payment = core.payments.start_capture(work, held, 2000)
    return core.payments.finish(payment)


def refund(core: Core, payment: Payment, amount: int | None = None, reason: str | None = None) -> Payment:
    return core.refunds.refund(payment.id, LOCAL, environment=TEST, amount=amount, reason=reason)


def given_back(core: Core) -> int:
    """Add up what the sandbox gave back."""
    with core.storage.database.transaction(write=False) as connection:
        return int(connection.execute(sa.select(sa.func.sum(sandbox_charges.c.refunded))).scalar_one())


def require_books(core: Core, payment: Payment, earned: int) -> None:
    report = core.payments.show(payment.id, environment=TEST)
    assert books.balances(report.entries) == books.position(report.payment)
    assert books.balances(report.entries).get(Account.PARTNER_REVENUE, 0) == earned == 2000 - given_back(core)


def test_all_that_was_taken_is_given_back_once(core: Core) -> None:
    payment = captured(core)
    done = refund(core, payment, reason="Towed late")
    assert (done.state, done.refunded, done.reason) == (PaymentState.REFUNDED, 2000, "Towed late")
    assert refund(core, payment) == done
    require_books(core, payment, earned=0)


def test_an_amount_is_what_is_given_back_in_all(core: Core) -> None:
    payment = captured(core)
    for amount, earned in ((500, 1500), (500, 1500), (700, 1300), (2000, 0)):
        assert refund(core, payment, amount).refunded == amount
        require_books(core, payment, earned=earned)


def test_who_gave_it_back_and_why_is_kept(core: Core) -> None:
    payment = captured(core)
    refund(core, payment, 500, "Towed late")
    timeline = core.payments.show(payment.id, environment=TEST).timeline
    assert [(step.action, step.actor) for step in timeline[-2:]] == [
        ("refund", "operator"),
        ("return", "system"),
    ]
    assert timeline[-2].detail == {"reason": "Towed late", "amount": 5.0}
    with core.storage.read() as work:
        (entry, *_) = work.audit.list_newest(limit=1)
    assert (entry.action, entry.subject) == ("payment.refund", f"payments/{payment.id}")
    assert (entry.before, entry.after) == ({"refunded": 0.0}, {"refunded": 5.0, "reason": "Towed late"})


@pytest.mark.parametrize("amount", [2001, 499])
def test_what_cannot_be_given_back_in_all_is_refused(core: Core, amount: int) -> None:
    payment = captured(core)
    refund(core, payment, 500)
    with pytest.raises(Invalid, match=r"5\.01 to 20\.00"):
        refund(core, payment, amount)
    require_books(core, payment, earned=1500)


def test_of_what_was_all_given_back_nothing_is_left(core: Core) -> None:
    payment = captured(core)
    refund(core, payment)
    with pytest.raises(Conflict, match="All that was taken"):
        refund(core, payment, 500)
    assert refund(core, payment).refunded == 2000


def test_a_reason_has_an_end(core: Core) -> None:
    payment = captured(core)
    with pytest.raises(Invalid):
        refund(core, payment, reason="x" * 256)
    assert refund(core, payment, reason="x" * 255).refunded == 2000


def test_what_was_never_taken_is_not_given_back(core: Core) -> None:
    with core.payments.transaction() as work:
        held = core.payments.start(work, wanted())
    held = core.payments.finish(held)
    with pytest.raises(Conflict, match="Cannot refund an authorized payment"):
        refund(core, held)
    with pytest.raises(NoPayment):
        core.refunds.refund(held.id, LOCAL, environment=Environment.LIVE)


def test_a_refund_without_an_answer_is_ended_by_the_same_command(core: Core) -> None:
    payment = captured(core, sandbox="refund_timeout")
    with pytest.raises(GatewayUnavailable):
        refund(core, payment, 500)
    with pytest.raises(Conflict, match="Another refund"):
        refund(core, payment)
    assert refund(core, payment, 500).refunded == 500
    require_books(core, payment, earned=1500)


def test_a_refund_that_a_crash_left_is_finished_by_the_reconciler(core: Core, clock: FrozenClock) -> None:
    payment = captured(core, sandbox="refund_timeout")
    with pytest.raises(GatewayUnavailable):
        refund(core, payment)
    clock.advance(timedelta(minutes=1))
    assert core.payment_reconciliation.reconcile() == ReconciliationResult(finished=1)
    assert refund(core, payment).refunded == 2000
    require_books(core, payment, earned=0)
