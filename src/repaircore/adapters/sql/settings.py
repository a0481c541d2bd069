"""Settings that are kept in the database because every worker must feel a change at once."""

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from repaircore.adapters.sql.dialects import upsert
from repaircore.adapters.sql.tables import settings

__all__ = ["BOOK_EDITION", "PRICE_ADJUSTMENT", "SqlSettings"]

BOOK_EDITION = "book_edition"
PRICE_ADJUSTMENT = "price_adjustment"


class SqlSettings:
    """Names and texts."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, name: str) -> str | None:
        """Give the text, or None where none was set."""
        query = sa.select(settings.c.value).where(settings.c.name == name)
        value: str | None = self._connection.execute(query).scalar_one_or_none()
        return value

    def set(self, name: str, value: str) -> None:
        """Keep the text under the name."""
        insert = upsert(self._connection, settings).values(name=name, value=value)
        self._connection.execute(
            insert.on_conflict_do_update(index_elements=["name"], set_={"value": insert.excluded.value})
        )
