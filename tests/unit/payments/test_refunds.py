"""Refunds by operators on both databases, with the sandbox as the gateway."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from tests.unit.payments.payments import new_payment

from repaircore.adapters.sql.schema.payments import sandbox_charges
from repaircore.core import Core
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


def create_captured(core: Core, **changes: str) -> Payment:
    with core.payments.transaction() as work:
        payment = core.payments.start(work, new_payment(**changes))
    authorized = core.payments.finish(payment)
    with core.payments.transaction() as work:
        payment = core.payments.start_capture(work, authorized, 2000)
    return core.payments.finish(payment)


def refund(core: Core, payment: Payment, amount: int | None = None, reason: str | None = None) -> Payment:
    return core.refunds.refund(payment.id, LOCAL, environment=TEST, amount=amount, reason=reason)


def total_refunded(core: Core) -> int:
    """Return what the sandbox refunded in total."""
    with core.storage.database.transaction(write=False) as connection:
        return int(connection.execute(sa.select(sa.func.sum(sandbox_charges.c.refunded))).scalar_one())


def require_earned(core: Core, payment: Payment, earned: int) -> None:
    detail = core.payments.get(payment.id, environment=TEST)
    assert books.balances(detail.entries) == books.position(detail.payment)
    assert (
        books.balances(detail.entries).get(Account.PARTNER_REVENUE, 0)
        == earned
        == 2000 - total_refunded(core)
    )


def test_refund_without_an_amount_refunds_all_once(core: Core) -> None:
    payment = create_captured(core)
    refunded = refund(core, payment, reason="Towed late")

    assert (refunded.state, refunded.refunded, refunded.reason) == (PaymentState.REFUNDED, 2000, "Towed late")
    assert refund(core, payment) == refunded
    require_earned(core, payment, earned=0)


def test_refund_amount_is_the_total(core: Core) -> None:
    payment = create_captured(core)
    for amount, earned in ((500, 1500), (500, 1500), (700, 1300), (2000, 0)):
        assert refund(core, payment, amount).refunded == amount
        require_earned(core, payment, earned=earned)


def test_refund_records_actor_and_reason(core: Core) -> None:
    payment = create_captured(core)
    refund(core, payment, 500, "Towed late")
    timeline = core.payments.get(payment.id, environment=TEST).timeline

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
def test_refund_refuses_an_impossible_total(core: Core, amount: int) -> None:
    payment = create_captured(core)
    refund(core, payment, 500)
    with pytest.raises(Invalid, match=r"\$5\.01 and \$20\.00"):
        refund(core, payment, amount)

    require_earned(core, payment, earned=1500)


def test_refund_after_a_full_refund_is_refused(core: Core) -> None:
    payment = create_captured(core)
    refund(core, payment)
    with pytest.raises(Conflict, match="refunded in full"):
        refund(core, payment, 500)

    assert refund(core, payment).refunded == 2000


def test_refund_limits_the_length_of_the_reason(core: Core) -> None:
    payment = create_captured(core)
    with pytest.raises(Invalid):
        refund(core, payment, reason="x" * 256)

    assert refund(core, payment, reason="x" * 255).refunded == 2000


def test_refund_of_an_uncaptured_payment_is_refused(core: Core) -> None:
    with core.payments.transaction() as work:
        payment = core.payments.start(work, new_payment())
    authorized = core.payments.finish(payment)
    with pytest.raises(Conflict, match="Cannot refund an authorized payment"):
        refund(core, authorized)
    with pytest.raises(NoPayment):
        core.refunds.refund(authorized.id, LOCAL, environment=Environment.LIVE)


def test_refund_without_an_answer_is_finished_by_repeating_it(core: Core) -> None:
    payment = create_captured(core, sandbox="refund_timeout")
    with pytest.raises(GatewayUnavailable):
        refund(core, payment, 500)
    with pytest.raises(Conflict, match="Another refund"):
        refund(core, payment)

    assert refund(core, payment, 500).refunded == 500
    require_earned(core, payment, earned=1500)


def test_refund_left_by_a_crash_is_finished_by_the_reconciler(core: Core, clock: FrozenClock) -> None:
    payment = create_captured(core, sandbox="refund_timeout")
    with pytest.raises(GatewayUnavailable):
        refund(core, payment)
    clock.advance(timedelta(minutes=1))

    assert core.payment_reconciliation.reconcile() == ReconciliationResult(finished=1)
    assert refund(core, payment).refunded == 2000
    require_earned(core, payment, earned=0)
