"""Queue lengths, as both databases report them."""

from datetime import datetime, timedelta

import pytest
from tests.contracts.conftest import NOW
from tests.contracts.partners import add_partner
from tests.unit.payments.payments import make_payment

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.queues import SqlQueues
from repaircore.checkup.model import QueueLength
from repaircore.checkup.ports import QueueReader
from repaircore.kernel.callers import Environment
from repaircore.messages.model import Channel, NewMessage
from repaircore.payments.model import STEPS, PaymentState
from repaircore.webhooks.model import Backlog

MINUTE = timedelta(minutes=1)


@pytest.fixture
def queues(database: Database) -> QueueReader:
    return SqlQueues(lambda: database)


def test_queues_are_empty_in_an_empty_database(queues: QueueReader) -> None:
    found = queues.queues(now=NOW)

    assert found.webhooks == Backlog(pending=0, due=0, oldest=None)
    assert found.payments == QueueLength(number=0, oldest=None)
    assert found.messages == dict.fromkeys(Channel, found.payments)
    assert found.jobs == {}


def test_queues_ignore_sent_messages(database: Database, queues: QueueReader) -> None:
    with work.open_work(database, write=True) as unit:
        for minutes in (3, 2, 1):
            mail = NewMessage(
                channel=Channel.EMAIL,
                environment=Environment.LIVE,
                recipient="ada@example.org",
                subject="s",
                body="b",
                about="apt_1",
            )
            unit.messages.add(mail, NOW - minutes * MINUTE)
        (first,) = unit.messages.claim(Channel.EMAIL, NOW, until=NOW + MINUTE, limit=1)
        unit.messages.sent(first, NOW)

    assert queues.queues(now=NOW).messages[Channel.EMAIL] == QueueLength(number=2, oldest=NOW - 2 * MINUTE)
    assert queues.queues(now=NOW - 3 * MINUTE).messages[Channel.EMAIL] == QueueLength(number=2, oldest=None)


@pytest.mark.parametrize("state", [PaymentState.AUTHORIZING, PaymentState.AUTHORIZED])
def test_queues_count_payments_with_a_pending_step(
    database: Database, queues: QueueReader, state: PaymentState
) -> None:
    add_partner(database, "Towify")
    payment = make_payment(state=state, updated_at=NOW - MINUTE)
    with work.open_work(database, write=True) as unit:
        unit.payments.add(payment)
    expected = (
        QueueLength(number=1, oldest=NOW - MINUTE) if state in STEPS else QueueLength(number=0, oldest=None)
    )

    assert queues.queues(now=NOW).payments == expected


def test_queues_report_the_last_run_and_failure_of_jobs(database: Database, queues: QueueReader) -> None:
    with work.open_work(database, write=True) as unit:
        unit.job_leases.initialize("fine", at=NOW - MINUTE)
        unit.job_leases.acquire(unit.job_leases.find("broken"), holder="me", until=NOW)
        unit.job_leases.release("broken", holder="me", began_at=NOW, at=NOW, failure="It is broken.")
    found = queues.queues(now=NOW)

    assert found.jobs == {"fine": NOW - MINUTE, "broken": NOW}
    assert found.failed == {"broken"}


@pytest.mark.parametrize(("later", "oldest"), [(timedelta(microseconds=-1), None), (timedelta(0), NOW)])
def test_queues_tell_the_age_of_what_is_due(
    database: Database, queues: QueueReader, *, later: timedelta, oldest: datetime | None
) -> None:
    add_partner(database, "Towify")
    with work.open_work(database, write=True) as unit:
        for number, minutes in enumerate((0, 2, 1)):
            unit.payments.add(
                make_payment(
                    id=f"pay_{number}",
                    subject=f"ride_{number}",
                    state=PaymentState.AUTHORIZING,
                    updated_at=NOW + minutes * MINUTE,
                )
            )

    assert queues.queues(now=NOW + later).payments == QueueLength(number=3, oldest=oldest)
    assert queues.queues(now=NOW + 9 * MINUTE).payments == QueueLength(number=3, oldest=NOW)
