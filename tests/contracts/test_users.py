"""The contract of the port ``Users``, on both databases."""

import contextlib
import threading
from datetime import UTC, datetime
from itertools import count

import pytest
from attrs import evolve
from tests.threads import at_once

from repaircore.accounts.errors import EmailTaken
from repaircore.accounts.model import User
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.kernel.callers import Role

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


def test_user_is_loaded_as_stored(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        stored = unit.users.add(name="Ada", email="ada@example.org", password_hash="x", at=NOW)
    with work.open_work(database, write=False) as unit:
        assert unit.users.find_by_email("ada@example.org") == stored
        assert unit.users.find(stored.id) == stored
    assert (stored.role, stored.created_at) == (Role.USER, NOW)


def test_email_is_unique(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        unit.users.add(name="Ada", email="ada@example.org", password_hash="x", at=NOW)
    with pytest.raises(EmailTaken), work.open_work(database, write=True) as unit:
        unit.users.add(name="Eve", email="ada@example.org", password_hash="y", at=NOW)


def test_one_of_concurrent_callers_gets_an_email(database: Database) -> None:
    start, taken = threading.Barrier(6), []

    def ask(name: str) -> None:
        start.wait(10)
        try:
            with work.open_work(database, write=True) as unit:
                unit.users.add(name=name, email="ada@example.org", password_hash="x", at=NOW)
        except EmailTaken:
            taken.append(name)

    threads = [threading.Thread(target=ask, args=(name,)) for name in "abcdef"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with work.open_work(database, write=False) as unit:
        (winner,) = unit.users.list_all()
    assert {winner.name, *taken} == set("abcdef")


def test_rolled_back_add_stores_nothing(database: Database) -> None:
    with contextlib.suppress(RuntimeError), work.open_work(database, write=True) as unit:
        unit.users.add(name="Ada", email="ada@example.org", password_hash="x", at=NOW)
        raise RuntimeError("stop")
    with work.open_work(database, write=False) as unit:
        assert unit.users.list_all() == []


def test_unknown_user_is_none(database: Database, ada: User) -> None:
    with work.open_work(database, write=False) as unit:
        assert unit.users.find_by_email("ADA@example.org") is None
        assert unit.users.find(ada.id + 1000) is None


def test_users_are_listed_by_id(database: Database, eve: User, ada: User) -> None:
    with work.open_work(database, write=True) as unit:
        assert eve.id < ada.id
        unit.users.set_role(eve.id, Role.ADMIN)  # a changed row moves to the end of a table on PostgreSQL
    with work.open_work(database, write=False) as unit:
        assert [user.name for user in unit.users.list_all()] == ["eve", "ada"]


def test_role_and_password_change_for_one_user_only(database: Database, ada: User, eve: User) -> None:
    with work.open_work(database, write=True) as unit:
        unit.users.set_role(ada.id, Role.ADMIN)
        unit.users.set_password(ada.id, "new")
    with work.open_work(database, write=False) as unit:
        changed = unit.users.find(ada.id)
        assert changed is not None
        assert (changed.role, changed.password_hash, changed.email) == (Role.ADMIN, "new", ada.email)
        assert unit.users.find(eve.id) == eve


def test_replace_password_requires_the_old_one(database: Database, ada: User, eve: User) -> None:
    with work.open_work(database, write=True) as unit:
        assert unit.users.replace_password(ada.id, old="x", new="x")
        assert unit.users.replace_password(ada.id, old="x", new="y")
        assert not unit.users.replace_password(ada.id, old="x", new="z")
    with work.open_work(database, write=False) as unit:
        assert unit.users.find(ada.id) == evolve(ada, password_hash="y")
        assert unit.users.find(eve.id) == eve


def test_has_admin_once_there_is_one(database: Database, ada: User) -> None:
    with work.open_work(database, write=True) as unit:
        assert not unit.users.has_admin()
        unit.users.set_role(ada.id, Role.ADMIN)
        assert unit.users.has_admin()


def test_lock_admins_lets_one_of_many_become_the_first(database: Database) -> None:
    numbers = count()

    def become_admin() -> bool:
        with work.open_work(database, write=True) as unit:
            unit.users.lock_admins()
            if unit.users.has_admin():
                return False
            email = f"{next(numbers)}@example.org"
            user = unit.users.add(name="Root", email=email, password_hash="x", at=NOW)
            unit.users.set_role(user.id, Role.ADMIN)
            return True

    assert sorted(at_once(6, become_admin)) == [False] * 5 + [True]


def test_replace_password_locks_until_the_end(database: Database, ada: User) -> None:
    held, ends = threading.Event(), []

    def reset() -> None:
        held.wait(30)
        with work.open_work(database, write=True) as unit:
            unit.users.set_password(ada.id, "reset")
            ends.append("reset")

    thread = threading.Thread(target=reset)
    thread.start()
    with work.open_work(database, write=True) as unit:
        assert unit.users.replace_password(ada.id, old="x", new="x")
        held.set()
        thread.join(0.1)
        ends.append("renewed")
    thread.join(30)
    assert ends == ["renewed", "reset"]
