"""The revision that lets accounts own webhooks, with existing rows: on SQLite it recreates the tables."""

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from repaircore.adapters.sql.engine.storage import Storage
from repaircore.adapters.sql.schema import migrate

TABLES = ("events", "webhook_subscriptions", "webhook_deliveries", "webhook_attempts")
OLD = "0005"
CREATED_AT = {"created_at": 1, "updated_at": 1, "version": 1, "url": "https://example.com", "events": '["*"]'}
PENDING = {"state": "pending", "attempts": 1, "due_at": 1, "created_at": 1}
EVENT = {"sequence": 1, "payload": "{}", "created_at": 1}


def insert(connection: sa.Connection, table: str, **values: object) -> None:
    names = ", ".join(values)
    marks = ", ".join(f":{name}" for name in values)
    connection.execute(sa.text(f"INSERT INTO {table} ({names}) VALUES ({marks})"), values)  # noqa: S608


def add_event(connection: sa.Connection, ref: str, **owner: int | None) -> None:
    insert(connection, "events", id=ref, environment="test", type="x", subject=ref, **EVENT, **owner)


def add_subscription(connection: sa.Connection, number: int, **owner: int) -> None:
    values = {"ref": f"whs_{number}", "environment": "test", "active": 1, "sealed": "s", **CREATED_AT}
    insert(connection, "webhook_subscriptions", id=number, **values, **owner)


def fill(connection: sa.Connection) -> None:
    """Store the rows of a partner; the last ones are deleted again, so their numbers must not be reused."""
    insert(connection, "partners", id=1, name="Roadside", created_at=1)
    add_event(connection, "evt_1", partner_id=1)
    for number in (1, 2):
        add_subscription(connection, number, partner_id=1)
    for number in (4, 7):
        insert(connection, "webhook_deliveries", id=number, event_id="evt_1", subscription_id=1, **PENDING)
    insert(connection, "webhook_attempts", id=3, delivery_id=4, at=1, status=500, milliseconds=9)
    connection.execute(sa.text("DELETE FROM webhook_deliveries WHERE id = 7"))
    connection.execute(sa.text("DELETE FROM webhook_subscriptions WHERE id = 2"))


def add_account(connection: sa.Connection) -> None:
    user = {"name": "Ada", "email": "ada@example.com", "password_hash": "x", "role": "user"}
    insert(connection, "users", id=5, created_at=1, **user)
    add_event(connection, "evt_2", user_id=5)
    add_subscription(connection, 9, user_id=5)
    insert(connection, "webhook_deliveries", id=19, event_id="evt_2", subscription_id=9, **PENDING)


def open_storage(url: str) -> Storage:
    made = Storage(url)
    with made.database.transaction() as connection:
        migrate.upgrade_to(connection, OLD)
        fill(connection)
    return made


@pytest.fixture
def storage(empty_url: str) -> Iterator[Storage]:
    made = open_storage(empty_url)
    yield made
    made.close()


def rows(storage: Storage) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the partner, without the new column."""
    with storage.database.transaction(write=False) as connection:
        return {
            table: [
                {name: value for name, value in row.items() if name != "user_id"}
                for row in connection.exec_driver_sql(f"SELECT * FROM {table}").mappings()  # noqa: S608
            ]
            for table in TABLES
        }


def test_rows_survive_upgrade_and_downgrade(storage: Storage) -> None:
    before = rows(storage)

    storage.upgrade()

    assert rows(storage) == before
    with storage.database.transaction() as connection:
        add_account(connection)
    storage.downgrade(OLD)
    assert rows(storage) == before
    storage.upgrade()
    assert rows(storage) == before


def test_numbers_of_deleted_rows_are_not_reused(empty_sqlite_url: str) -> None:
    storage = open_storage(empty_sqlite_url)
    try:
        storage.upgrade()

        with storage.database.transaction() as connection:
            insert(connection, "webhook_deliveries", event_id="evt_1", subscription_id=1, **PENDING)

        assert [row["id"] for row in rows(storage)["webhook_deliveries"]] == [4, 8]
    finally:
        storage.close()


def test_references_are_still_enforced(storage: Storage) -> None:
    storage.upgrade()

    with pytest.raises(sa.exc.IntegrityError), storage.database.transaction() as connection:
        connection.execute(sa.text("UPDATE webhook_deliveries SET event_id = 'evt_9'"))
    with storage.database.transaction() as connection:
        connection.execute(sa.text("DELETE FROM webhook_subscriptions WHERE id = 1"))
    assert rows(storage)["webhook_deliveries"] == rows(storage)["webhook_attempts"] == []


@pytest.mark.parametrize("owner", [{}, {"partner_id": 1, "user_id": 5}])
def test_event_has_one_owner(storage: Storage, owner: dict[str, int | None]) -> None:
    storage.upgrade()

    with pytest.raises(sa.exc.IntegrityError), storage.database.transaction() as connection:
        add_event(connection, "evt_3", **owner)
