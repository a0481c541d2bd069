"""What the port ``ApiKeys`` promises, on both databases."""

from datetime import UTC, datetime

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


def test_a_kept_key_comes_back_as_it_was(database: Database, ada: User) -> None:
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


def test_keys_are_listed_oldest_first_and_only_the_users_own(
    database: Database, ada: User, eve: User
) -> None:
    mine = [add(database, ada, "b"), add(database, ada, "a")]
    add(database, eve, "c")
    with work.open_work(database, write=False) as unit:
        assert unit.api_keys.list_for_user(ada.id) == mine
        assert unit.api_keys.list_for_user(eve.id + 1000) == []


def test_a_removed_key_is_gone_once(database: Database, ada: User) -> None:
    key, other = add(database, ada, "a"), add(database, ada, "b")
    with work.open_work(database, write=True) as unit:
        assert unit.api_keys.delete(key.id, user_id=ada.id)
        assert not unit.api_keys.delete(key.id, user_id=ada.id)
    with work.open_work(database, write=False) as unit:
        assert unit.api_keys.list_for_user(ada.id) == [other]


def test_anothers_key_is_not_removed(database: Database, ada: User, eve: User) -> None:
    theirs = add(database, eve, "a")
    with work.open_work(database, write=True) as unit:
        assert not unit.api_keys.delete(theirs.id, user_id=ada.id)
    with work.open_work(database, write=False) as unit:
        assert unit.api_keys.list_for_user(eve.id) == [theirs]


def test_the_number_of_a_removed_key_is_never_given_again(database: Database, ada: User) -> None:
    gone = add(database, ada, "a")
    with work.open_work(database, write=True) as unit:
        unit.api_keys.delete(gone.id, user_id=ada.id)
    assert add(database, ada, "b").id > gone.id
