"""Settings in the database, so that a change takes effect in every worker immediately."""

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.operations import settings

BOOK_EDITION = "book_edition"
PRICE_ADJUSTMENT = "price_adjustment"
QUESTIONNAIRE_EDITION = "questionnaire_edition"


class SqlSettings:
    """The stored settings."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, name: str) -> str | None:
        """Return the value of a setting, or None if it is not set."""
        query = sa.select(settings.c.value).where(settings.c.name == name)
        value: str | None = self._connection.execute(query).scalar_one_or_none()
        return value

    def lock(self, name: str, default: str) -> str:
        """Return the value of a setting, locked until the transaction ends; store ``default`` if it is not set."""
        insert = upsert(self._connection, settings).values(name=name, value=default)
        self._connection.execute(insert.on_conflict_do_nothing(index_elements=["name"]))
        query = sa.select(settings.c.value).where(settings.c.name == name).with_for_update()
        value: str = self._connection.execute(query).scalar_one()
        return value

    def set(self, name: str, value: str) -> None:
        """Store a value for a setting, replacing any other."""
        insert = upsert(self._connection, settings).values(name=name, value=value)
        self._connection.execute(
            insert.on_conflict_do_update(index_elements=["name"], set_={"value": insert.excluded.value})
        )
