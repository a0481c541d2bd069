"""What the port ``Sessions`` promises, on both databases."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from attrs import evolve

from repaircore.accounts.model import SESSION_LIFETIME, Session, User
from repaircore.adapters.sql.accounts import PRUNED_AT_ONCE
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.schema.accounts import sessions

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


def session(user: User, token_hash: bytes) -> Session:
    return Session(token_hash=token_hash, user_id=user.id, created_at=NOW, expires_at=NOW + SESSION_LIFETIME)


def kept(database: Database) -> set[bytes]:
    with database.transaction(write=False) as connection:
        return {bytes(one) for one in connection.execute(sa.select(sessions.c.token_hash)).scalars()}


def test_a_removed_session_is_gone_and_the_others_stay(database: Database, ada: User) -> None:
    with work.open_work(database, write=True) as unit:
        for token_hash in (b"1", b"2", b"\x00\xff"):
            unit.sessions.add(session(ada, token_hash))
    with work.open_work(database, write=True) as unit:
        unit.sessions.delete(b"1")
    assert kept(database) == {b"2", b"\x00\xff"}


def test_removing_an_unknown_session_is_fine(database: Database, ada: User) -> None:
    with work.open_work(database, write=True) as unit:
        unit.sessions.add(session(ada, b"1"))
        unit.sessions.delete(b"2")
    assert kept(database) == {b"1"}


def test_all_of_a_users_sessions_are_removed_and_nobody_elses(
    database: Database, ada: User, eve: User
) -> None:
    with work.open_work(database, write=True) as unit:
        for user, token_hash in ((ada, b"1"), (ada, b"2"), (eve, b"3")):
            unit.sessions.add(session(user, token_hash))
        unit.sessions.delete_for_user(ada.id)
    assert kept(database) == {b"3"}


def test_a_session_needs_a_user(database: Database, ada: User) -> None:
    stranger = evolve(session(ada, b"1"), user_id=ada.id + 1000)
    with pytest.raises(sa.exc.IntegrityError), work.open_work(database, write=True) as unit:
        unit.sessions.add(stranger)


def test_sessions_that_ended_are_forgotten_as_others_begin(database: Database, ada: User) -> None:
    ended = [number.to_bytes(1, "big") for number in range(PRUNED_AT_ONCE + 2)]
    later = NOW + SESSION_LIFETIME
    lasting = evolve(session(ada, b"lasting"), expires_at=later + timedelta(microseconds=1))
    with work.open_work(database, write=True) as unit:
        for token_hash in ended:
            unit.sessions.add(session(ada, token_hash))
        unit.sessions.add(lasting)
        unit.sessions.add(evolve(session(ada, b"new"), created_at=later, expires_at=later + SESSION_LIFETIME))
    assert kept(database) - set(ended) == {b"lasting", b"new"}
    assert len(kept(database)) == 4
