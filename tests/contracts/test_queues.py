"""What waits, as both databases tell it."""

from datetime import timedelta

import pytest
from tests.contracts.conftest import NOW
from tests.contracts.partners import add_partner
from tests.unit.payments.payments import make_payment

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.queues import SqlQueues
from repaircore.checkup.model import QueueLength
from repaircore.checkup.ports import QueueReader
from repaircore.mails.model import NewMail
from repaircore.payments.model import STEPS, PaymentState
from repaircore.webhooks.model import Backlog

MINUTE = timedelta(minutes=1)


@pytest.fixture
def queues(database: Database) -> QueueReader:
    return SqlQueues(lambda: database)


def test_where_nothing_waits_every_figure_is_nothing(queues: QueueReader) -> None:
    told = queues.queues(now=NOW)
    assert told.webhooks == Backlog(pending=0, due=0, oldest=None)
    assert told.mails == told.payments == QueueLength(number=0, oldest=None)
    assert told.jobs == {}


def test_mails_that_are_sent_do_not_wait(database: Database, queues: QueueReader) -> None:
    with work.open_work(database, write=True) as unit:
        for minutes in (3, 2, 1):
            mail = NewMail(recipient="ada@example.org", subject="s", body="b", about="apt_1")
            unit.mails.add(mail, NOW - minutes * MINUTE)
        (first,) = unit.mails.claim(NOW, until=NOW + MINUTE, limit=1)
        unit.mails.sent(first, NOW)
    assert queues.queues(now=NOW).mails == QueueLength(number=2, oldest=NOW - 2 * MINUTE)
    assert queues.queues(now=NOW - 3 * MINUTE).mails == QueueLength(number=2, oldest=None)


@pytest.mark.parametrize("state", [PaymentState.AUTHORIZING, PaymentState.AUTHORIZED])
def test_payments_under_way_are_those_with_a_step_that_is_begun(
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


def test_jobs_are_told_with_when_they_were_done_and_that_they_failed(
    database: Database, queues: QueueReader
) -> None:
    with work.open_work(database, write=True) as unit:
        unit.job_leases.initialize("fine", at=NOW - MINUTE)
        unit.job_leases.acquire(unit.job_leases.find("broken"), holder="me", until=NOW)
        unit.job_leases.release("broken", holder="me", at=NOW, failure="It is broken.")
    told = queues.queues(now=NOW)
    assert told.jobs == {"fine": NOW - MINUTE, "broken": NOW}
    assert told.failed == {"broken"}
