"""The contract of the port ``Sessions``, on both databases."""

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


def stored_hashes(database: Database) -> set[bytes]:
    with database.transaction(write=False) as connection:
        return {bytes(one) for one in connection.execute(sa.select(sessions.c.token_hash)).scalars()}


def test_delete_removes_one_session(database: Database, ada: User) -> None:
    with work.open_work(database, write=True) as unit:
        for token_hash in (b"1", b"2", b"\x00\xff"):
            unit.sessions.add(session(ada, token_hash))
    with work.open_work(database, write=True) as unit:
        unit.sessions.delete(b"1")
    assert stored_hashes(database) == {b"2", b"\x00\xff"}


def test_delete_ignores_an_unknown_session(database: Database, ada: User) -> None:
    with work.open_work(database, write=True) as unit:
        unit.sessions.add(session(ada, b"1"))
        unit.sessions.delete(b"2")
    assert stored_hashes(database) == {b"1"}


def test_delete_for_user_removes_only_that_users_sessions(database: Database, ada: User, eve: User) -> None:
    with work.open_work(database, write=True) as unit:
        for user, token_hash in ((ada, b"1"), (ada, b"2"), (eve, b"3")):
            unit.sessions.add(session(user, token_hash))
        unit.sessions.delete_for_user(ada.id)
    assert stored_hashes(database) == {b"3"}


def test_session_needs_a_user(database: Database, ada: User) -> None:
    stranger = evolve(session(ada, b"1"), user_id=ada.id + 1000)
    with pytest.raises(sa.exc.IntegrityError), work.open_work(database, write=True) as unit:
        unit.sessions.add(stranger)


def test_add_deletes_expired_sessions(database: Database, ada: User) -> None:
    ended = [number.to_bytes(1, "big") for number in range(PRUNED_AT_ONCE + 2)]
    later = NOW + SESSION_LIFETIME
    lasting = evolve(session(ada, b"lasting"), expires_at=later + timedelta(microseconds=1))
    with work.open_work(database, write=True) as unit:
        for token_hash in ended:
            unit.sessions.add(session(ada, token_hash))
        unit.sessions.add(lasting)
        unit.sessions.add(evolve(session(ada, b"new"), created_at=later, expires_at=later + SESSION_LIFETIME))
    assert stored_hashes(database) - set(ended) == {b"lasting", b"new"}
    assert len(stored_hashes(database)) == 4


def test_delete_for_user_keeps_one_session(database: Database, ada: User, eve: User) -> None:
    with work.open_work(database, write=True) as unit:
        for user, token_hash in ((ada, b"1"), (ada, b"2"), (ada, b"3"), (eve, b"4")):
            unit.sessions.add(session(user, token_hash))
        assert unit.sessions.delete_for_user(ada.id, except_hash=b"2") == 2
    assert stored_hashes(database) == {b"2", b"4"}


def test_list_has_only_the_users_sessions_last_used_first(database: Database, ada: User, eve: User) -> None:
    hour = timedelta(hours=1)
    first = evolve(session(ada, b"1"), seen_at=NOW, browser="Firefox on Linux", network="192.0.2.0/24")
    later = evolve(first, token_hash=b"2", seen_at=NOW + hour, browser=None, network=None)
    ended = evolve(first, token_hash=b"3", expires_at=NOW + hour)
    with work.open_work(database, write=True) as unit:
        for one in (first, later, ended, session(eve, b"4")):
            unit.sessions.add(one)
    with work.open_work(database, write=False) as unit:
        assert unit.sessions.list_for_user(ada.id, now=NOW + hour, limit=10) == [later, first]
        assert unit.sessions.list_for_user(ada.id, now=NOW + hour, limit=1) == [later]


def test_delete_by_id_works_once_and_for_the_user_alone(database: Database, ada: User, eve: User) -> None:
    mine = session(ada, bytes(range(32)))
    near = session(ada, bytes(range(7)) + bytes(25))
    with work.open_work(database, write=True) as unit:
        unit.sessions.add(mine)
        unit.sessions.add(near)
        assert not unit.sessions.delete_by_id(mine.id, user_id=eve.id)
        assert unit.sessions.delete_by_id(mine.id, user_id=ada.id)
        assert not unit.sessions.delete_by_id(mine.id, user_id=ada.id)
    assert stored_hashes(database) == {near.token_hash}


@pytest.mark.parametrize("session_id", ["", "00", "x" * 16, "00 01 02 03 04 05 06 07", "é" * 16, "0" * 64])
def test_invalid_id_removes_no_session(database: Database, ada: User, session_id: str) -> None:
    mine = session(ada, bytes(range(32)))
    with work.open_work(database, write=True) as unit:
        unit.sessions.add(mine)
        assert not unit.sessions.delete_by_id(session_id, user_id=ada.id)
    assert stored_hashes(database) == {mine.token_hash}
