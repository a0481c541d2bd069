"""The revision that replaces mails by messages, with existing rows: pending mails are kept, and numbers continue."""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from repaircore.adapters.sql.engine.storage import Storage
from repaircore.adapters.sql.schema import migrate
from repaircore.kernel.callers import Environment
from repaircore.messages.model import Channel, NewMessage
from repaircore.testing.clock import EPOCH

OLD = "0014"
INSERT = (
    "INSERT INTO mails (recipient, recipient_key, subject, body, about, state, attempts, due_at, created_at)"
    " VALUES ('Ada@example.org', 'ada@example.org', :subject, 'Hello', 'apt_1', 'pending', 0, 1, 1)"
)


@pytest.fixture
def storage(empty_url: str) -> Iterator[Storage]:
    made = Storage(empty_url)
    with made.database.transaction() as connection:
        migrate.upgrade_to(connection, OLD)
        for subject in ("one", "two", "gone"):
            connection.execute(sa.text(INSERT), {"subject": subject})
        connection.execute(sa.text("DELETE FROM mails WHERE subject = 'gone'"))
    yield made
    made.close()


def test_upgrade_keeps_mails_and_their_numbers(storage: Storage) -> None:
    migrate.upgrade(storage.database)
    new = NewMessage(
        channel=Channel.EMAIL,
        environment=Environment.LIVE,
        recipient="bo@example.org",
        subject="new",
        body="Hello",
        about="apt_2",
    )
    with storage.transaction() as work:
        work.messages.add(new, EPOCH)
        found = work.messages.claim(Channel.EMAIL, EPOCH, until=EPOCH, limit=9)

    assert [(message.id, message.content.subject) for message in found] == [
        (1, "one"),
        (2, "two"),
        (4, "new"),
    ]
    assert {message.content.environment for message in found} == {Environment.LIVE}


def test_downgrade_restores_only_mails(storage: Storage) -> None:
    migrate.upgrade(storage.database)
    text = NewMessage(
        channel=Channel.SMS,
        environment=Environment.LIVE,
        recipient="+13105550123",
        subject="",
        body="Hello",
        about="ride_1",
    )
    with storage.transaction() as work:
        work.messages.add(text, EPOCH)
    migrate.downgrade(storage.database, OLD)
    with storage.database.transaction(write=False) as connection:
        mails = connection.execute(sa.text("SELECT id, subject FROM mails ORDER BY id")).all()

    assert [tuple(row) for row in mails] == [(1, "one"), (2, "two")]
