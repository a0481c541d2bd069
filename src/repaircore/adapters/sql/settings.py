"""Settings that are kept in the database because every worker must feel a change at once."""

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.operations import settings

BOOK_EDITION = "book_edition"
PRICE_ADJUSTMENT = "price_adjustment"
QUESTIONNAIRE_EDITION = "questionnaire_edition"


class SqlSettings:
    """Names and texts."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, name: str) -> str | None:
        """Return the text, or None where none was set."""
        query = sa.select(settings.c.value).where(settings.c.name == name)
        value: str | None = self._connection.execute(query).scalar_one_or_none()
        return value

    def hold(self, name: str, otherwise: str) -> str:
        """Return the text, and keep others from changing it until this transaction ends.

        Where none was set it is ``otherwise``, and that is kept.
        """
        first = upsert(self._connection, settings).values(name=name, value=otherwise)
        self._connection.execute(first.on_conflict_do_nothing(index_elements=["name"]))
        held = sa.select(settings.c.value).where(settings.c.name == name).with_for_update()
        value: str = self._connection.execute(held).scalar_one()
        return value

    def set(self, name: str, value: str) -> None:
        """Keep the text under the name."""
        insert = upsert(self._connection, settings).values(name=name, value=value)
        self._connection.execute(
            insert.on_conflict_do_update(index_elements=["name"], set_={"value": insert.excluded.value})
        )
