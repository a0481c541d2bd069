"""Mails on both databases: each is sent by one worker at a time, until it is sent or given up."""

from collections.abc import Callable
from datetime import timedelta

import pytest
import sqlalchemy as sa
from attrs import define, evolve, field
from tests.threads import at_once
from typing_extensions import override

from repaircore.adapters.sql.schema.operations import mails
from repaircore.core import Core
from repaircore.kernel.errors import Failure, Unavailable
from repaircore.mails.errors import MailRejected
from repaircore.mails.model import DeliveryCounts, Mail, NewMail
from repaircore.mails.ports import Mailer
from repaircore.mails.retries import LEASE, RETENTION, pause_after
from repaircore.mails.service import Mails
from repaircore.testing.clock import FrozenClock


@define
class ScriptedMailer(Mailer):
    """Sends, or fails as scripted, mail by mail."""

    failures: Callable[[Mail], Failure | None] = field(default=lambda _: None)
    sent: list[Mail] = field(factory=list)

    @override
    def send(self, mail: Mail) -> None:
        failure = self.failures(mail)
        if failure is not None:
            raise failure
        self.sent.append(mail)


def keep(core: Core, clock: FrozenClock, *subjects: str) -> None:
    with core.storage.transaction() as work:
        for subject in subjects:
            mail = NewMail(recipient="Ada@Example.org", subject=subject, body="Hello\n", about="apt_1")
            work.mails.add(mail, clock())


def states(core: Core) -> list[str]:
    with core.storage.database.transaction(write=False) as connection:
        return list(connection.execute(sa.select(mails.c.state).order_by(mails.c.id)).scalars())


@pytest.fixture
def mailer() -> ScriptedMailer:
    return ScriptedMailer()


@pytest.fixture
def post(core: Core, mailer: ScriptedMailer) -> Mails:
    return evolve(core.mails, mailer=mailer)


def test_deliver_due_sends_each_mail_once_oldest_first(
    core: Core, clock: FrozenClock, mailer: ScriptedMailer, post: Mails
) -> None:
    keep(core, clock, "one", "two", "three")

    assert post.deliver_due(limit=2) == DeliveryCounts(sent=2)
    assert post.deliver_due() == DeliveryCounts(sent=1)
    assert post.deliver_due() == DeliveryCounts()
    assert [mail.mail.subject for mail in mailer.sent] == ["one", "two", "three"]
    assert mailer.sent[0].mail.recipient == "Ada@Example.org"


def test_concurrent_workers_send_each_mail_once(
    core: Core, clock: FrozenClock, mailer: ScriptedMailer, post: Mails
) -> None:
    keep(core, clock, *map(str, range(30)))

    at_once(6, lambda: post.deliver_due(limit=10))

    assert sorted(int(mail.mail.subject) for mail in mailer.sent) == list(range(30))


def test_mail_of_a_dead_worker_is_due_after_its_lease(
    core: Core, clock: FrozenClock, mailer: ScriptedMailer, post: Mails
) -> None:
    keep(core, clock, "one")
    with core.storage.transaction() as work:
        (claimed,) = work.mails.claim(clock(), until=clock() + LEASE, limit=5)

    assert post.deliver_due() == DeliveryCounts()
    clock.advance(LEASE)

    assert post.deliver_due() == DeliveryCounts(sent=1)
    assert (mailer.sent[0].id, mailer.sent[0].attempts) == (claimed.id, 2)


def test_unanswered_mail_is_retried_then_given_up(
    core: Core, clock: FrozenClock, mailer: ScriptedMailer, post: Mails
) -> None:
    mailer.failures = lambda _: Unavailable("The mail server does not answer.")
    keep(core, clock, "one")
    attempts = 1
    while pause := pause_after(attempts):
        assert post.deliver_due() == DeliveryCounts(postponed=1)
        clock.advance(pause - timedelta(seconds=1))
        assert post.deliver_due() == DeliveryCounts()
        clock.advance(timedelta(seconds=1))
        attempts += 1

    assert post.deliver_due() == DeliveryCounts(dead=1)
    assert states(core) == ["dead"]
    assert mailer.sent == []


def test_rejected_mail_is_given_up_without_blocking_others(
    core: Core, clock: FrozenClock, mailer: ScriptedMailer, post: Mails
) -> None:
    mailer.failures = lambda mail: MailRejected("No such recipient.") if mail.mail.subject == "one" else None
    keep(core, clock, "one", "two")

    assert post.deliver_due() == DeliveryCounts(sent=1, dead=1)
    assert states(core) == ["dead", "sent"]


def test_prune_deletes_ended_mails_after_a_month(
    core: Core, clock: FrozenClock, mailer: ScriptedMailer, post: Mails
) -> None:
    keep(core, clock, "one")
    post.deliver_due()
    mailer.failures = lambda _: Unavailable("Later.")
    keep(core, clock, "two")
    post.deliver_due()
    clock.advance(RETENTION)

    assert post.prune() == 0
    assert states(core) == ["sent", "pending"]

    clock.advance(timedelta(seconds=1))
    # Also where no mails are sent any more.
    assert core.mails.prune() == 1
    assert states(core) == ["pending"]


def test_mail_of_a_rolled_back_change_is_never_sent(core: Core, clock: FrozenClock, post: Mails) -> None:
    def undone() -> None:
        with core.storage.transaction() as work:
            work.mails.add(NewMail(recipient="a@b.example", subject="x", body="x", about="apt_1"), clock())
            raise RuntimeError

    with pytest.raises(RuntimeError):
        undone()

    assert post.deliver_due() == DeliveryCounts()


def test_deliver_due_sends_nothing_without_a_server(core: Core, clock: FrozenClock) -> None:
    keep(core, clock, "one")

    assert not core.mails.is_on
    assert core.mails.deliver_due() == DeliveryCounts()
    assert states(core) == ["pending"]


def test_erasure_deletes_pending_mails(
    core: Core, clock: FrozenClock, mailer: ScriptedMailer, post: Mails
) -> None:
    keep(core, clock, "one")
    with core.storage.transaction() as work:
        work.mails.add(NewMail(recipient="bo@example.org", subject="x", body="x", about="apt_1"), clock())

    core.persons.erase("ada@example.org")

    assert post.deliver_due() == DeliveryCounts(sent=1)
    assert [mail.mail.recipient for mail in mailer.sent] == ["bo@example.org"]


def test_mail_that_expired_is_not_sent(
    core: Core, clock: FrozenClock, mailer: ScriptedMailer, post: Mails
) -> None:
    ends_at = clock() + timedelta(hours=1)
    mail = NewMail(
        recipient="ada@example.org", subject="one", body="a link", about="password", expires_at=ends_at
    )
    with core.storage.transaction() as work:
        work.mails.add(mail, clock())
    clock.advance(timedelta(hours=1))

    assert post.deliver_due() == DeliveryCounts(dead=1)
    assert mailer.sent == []
    assert states(core) == ["dead"]


def test_body_of_a_mail_that_expires_is_deleted_when_it_is_sent(
    core: Core, clock: FrozenClock, mailer: ScriptedMailer, post: Mails
) -> None:
    keep(core, clock, "lasting")
    ends_at = clock() + timedelta(hours=1)
    mail = NewMail(
        recipient="ada@example.org", subject="one", body="a link", about="password", expires_at=ends_at
    )
    with core.storage.transaction() as work:
        work.mails.add(mail, clock())

    assert post.deliver_due() == DeliveryCounts(sent=2)
    assert [sent.mail.body for sent in mailer.sent] == ["Hello\n", "a link"]
    with core.storage.database.transaction(write=False) as connection:
        bodies = connection.execute(sa.select(mails.c.body).order_by(mails.c.id)).scalars()
        assert list(bodies) == ["Hello\n", ""]
