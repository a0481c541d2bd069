"""The contract of the ports ``ResetRequests`` and ``PasswordResets``, on both databases."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.threads import at_once

from repaircore.accounts.model import User
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.passwords.model import LINK_LIFETIME, PasswordReset, ResetRequest

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)


def request(name: str) -> ResetRequest:
    return ResetRequest(email=f"{name}@example.org", requested_at=NOW)


@pytest.fixture
def reset(database: Database, ada: User) -> PasswordReset:
    created = PasswordReset(user_id=ada.id, token_hash=b"1", expires_at=NOW + LINK_LIFETIME)
    with work.open_work(database, write=True) as unit:
        unit.password_resets.put(created)
    return created


def test_requests_are_taken_once_oldest_first(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        for name in ("ada", "eve", "ada"):
            unit.reset_requests.add(request(name))
    with work.open_work(database, write=True) as unit:
        assert unit.reset_requests.take(2) == [request("ada"), request("eve")]
        assert unit.reset_requests.take(2) == [request("ada")]
        assert unit.reset_requests.take(2) == []


def test_each_request_is_taken_by_one_worker(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        for number in range(20):
            unit.reset_requests.add(request(str(number)))

    def take() -> list[str]:
        with work.open_work(database, write=True) as unit:
            return [found.email for found in unit.reset_requests.take(5)]

    taken = [email for emails in at_once(4, take) for email in emails]
    assert len(taken) == len(set(taken))


def test_requests_of_a_rolled_back_take_return(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        unit.reset_requests.add(request("ada"))

    def fail() -> None:
        with work.open_work(database, write=True) as unit:
            unit.reset_requests.take(5)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with work.open_work(database, write=True) as unit:
        assert unit.reset_requests.take(5) == [request("ada")]


def test_link_is_found_until_it_expires(database: Database, reset: PasswordReset) -> None:
    with work.open_work(database, write=True) as unit:
        assert unit.password_resets.find_user(b"1", now=reset.expires_at - MOMENT) == reset.user_id
        assert unit.password_resets.find_user(b"1", now=reset.expires_at) is None
        assert unit.password_resets.take(b"1", now=reset.expires_at) is None
        assert unit.password_resets.find_user(b"2", now=NOW) is None


def test_link_is_taken_once(database: Database, reset: PasswordReset) -> None:
    def take() -> int | None:
        with work.open_work(database, write=True) as unit:
            return unit.password_resets.take(b"1", now=NOW)

    assert sorted(at_once(4, take), key=str) == sorted([reset.user_id, None, None, None], key=str)


def test_link_replaces_an_earlier_one_of_the_user(
    database: Database, reset: PasswordReset, eve: User
) -> None:
    with work.open_work(database, write=True) as unit:
        unit.password_resets.put(evolve(reset, user_id=eve.id, token_hash=b"eve"))
        unit.password_resets.put(evolve(reset, token_hash=b"2"))
    with work.open_work(database, write=False) as unit:
        found = [unit.password_resets.find_user(token, now=NOW) for token in (b"1", b"2", b"eve")]
    assert found == [None, reset.user_id, eve.id]


def test_delete_for_user_keeps_other_links(database: Database, reset: PasswordReset, eve: User) -> None:
    with work.open_work(database, write=True) as unit:
        unit.password_resets.put(evolve(reset, user_id=eve.id, token_hash=b"eve"))
        unit.password_resets.delete_for_user(reset.user_id)
    with work.open_work(database, write=False) as unit:
        assert unit.password_resets.find_user(b"1", now=NOW) is None
        assert unit.password_resets.find_user(b"eve", now=NOW) == eve.id


def test_link_ends_when_the_password_is_set(database: Database, reset: PasswordReset) -> None:
    with work.open_work(database, write=True) as unit:
        unit.users.set_password(reset.user_id, "new")
        assert unit.password_resets.find_user(b"1", now=NOW) is None


def test_link_needs_a_user(database: Database, reset: PasswordReset) -> None:
    stranger = evolve(reset, user_id=reset.user_id + 1000, token_hash=b"3")
    with pytest.raises(sa.exc.IntegrityError), work.open_work(database, write=True) as unit:
        unit.password_resets.put(stranger)
