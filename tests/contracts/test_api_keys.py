"""The contract of the port ``ApiKeys``, on both databases."""

from datetime import UTC, datetime, timedelta

from attrs import evolve
from tests.threads import at_once

from repaircore.accounts.model import ApiKey, User
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.kernel.callers import Environment

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


def add(database: Database, user: User, name: str, environment: Environment = Environment.LIVE) -> ApiKey:
    with work.open_work(database, write=True) as unit:
        return unit.api_keys.add(
            user_id=user.id,
            name=name,
            environment=environment,
            public_key=f"pk_{name}",
            secret_hash=name.encode(),
            secret_last4="wxyz",
            at=NOW,
        )


def test_key_is_loaded_as_stored(database: Database, ada: User) -> None:
    key = add(database, ada, "shop ä", Environment.TEST)
    assert key == ApiKey(
        id=key.id,
        user_id=ada.id,
        name="shop ä",
        environment=Environment.TEST,
        public_key="pk_shop ä",
        secret_last4="wxyz",
        created_at=NOW,
        last_used_at=None,
    )
    with work.open_work(database, write=False) as unit:
        assert unit.api_keys.list_for_user(ada.id) == [key]


def test_list_has_only_the_users_keys_oldest_first(database: Database, ada: User, eve: User) -> None:
    mine = [add(database, ada, "b"), add(database, ada, "a")]
    add(database, eve, "c")
    with work.open_work(database, write=False) as unit:
        assert unit.api_keys.list_for_user(ada.id) == mine
        assert unit.api_keys.list_for_user(eve.id + 1000) == []


def test_delete_removes_a_key_once(database: Database, ada: User) -> None:
    key, other = add(database, ada, "a"), add(database, ada, "b")
    with work.open_work(database, write=True) as unit:
        assert unit.api_keys.delete(key.id, user_id=ada.id)
        assert not unit.api_keys.delete(key.id, user_id=ada.id)
    with work.open_work(database, write=False) as unit:
        assert unit.api_keys.list_for_user(ada.id) == [other]


def test_another_users_key_is_not_deleted(database: Database, ada: User, eve: User) -> None:
    theirs = add(database, eve, "a")
    with work.open_work(database, write=True) as unit:
        assert not unit.api_keys.delete(theirs.id, user_id=ada.id)
    with work.open_work(database, write=False) as unit:
        assert unit.api_keys.list_for_user(eve.id) == [theirs]


def test_id_of_a_deleted_key_is_never_reused(database: Database, ada: User) -> None:
    gone = add(database, ada, "a")
    with work.open_work(database, write=True) as unit:
        unit.api_keys.delete(gone.id, user_id=ada.id)
    assert add(database, ada, "b").id > gone.id


def rotate(
    database: Database, key: ApiKey, secret: bytes, old_ends_at: datetime | None = None
) -> ApiKey | None:
    with work.open_work(database, write=True) as unit:
        return unit.api_keys.replace_secret(
            key.id, user_id=key.user_id, secret_hash=secret, secret_last4="abcd", old_ends_at=old_ends_at
        )


def test_rename_changes_only_the_name(database: Database, ada: User) -> None:
    key, other = add(database, ada, "a"), add(database, ada, "b")
    with work.open_work(database, write=True) as unit:
        assert unit.api_keys.rename(key.id, user_id=ada.id, name="b") == evolve(key, name="b")
    with work.open_work(database, write=False) as unit:
        assert unit.api_keys.list_for_user(ada.id) == [evolve(key, name="b"), other]


def test_replace_secret_changes_nothing_else(database: Database, ada: User) -> None:
    key, ends_at = add(database, ada, "a"), NOW + timedelta(hours=3)
    rotated = evolve(key, secret_last4="abcd")
    assert rotate(database, key, b"1", ends_at) == evolve(rotated, old_secret_ends_at=ends_at)
    with work.open_work(database, write=False) as unit:
        assert unit.api_keys.find(key.id, user_id=ada.id) == evolve(rotated, old_secret_ends_at=ends_at)
    assert rotate(database, key, b"2") == rotated


def test_another_users_key_is_neither_found_nor_changed(database: Database, ada: User, eve: User) -> None:
    theirs = add(database, eve, "a")
    assert rotate(database, evolve(theirs, user_id=ada.id), b"1") is None
    with work.open_work(database, write=True) as unit:
        assert unit.api_keys.find(theirs.id, user_id=ada.id) is None
        assert unit.api_keys.rename(theirs.id, user_id=ada.id, name="b") is None
    with work.open_work(database, write=False) as unit:
        assert unit.api_keys.list_for_user(eve.id) == [theirs]


def test_concurrent_rotations_of_a_key_all_succeed(database: Database, ada: User) -> None:
    key, secrets = add(database, ada, "a"), iter(bytes([number]) for number in range(9))
    results = at_once(4, lambda: rotate(database, key, next(secrets), NOW + timedelta(hours=1)))
    assert all(results)
    with work.open_work(database, write=True) as unit:
        assert unit.api_keys.delete(key.id, user_id=ada.id)
