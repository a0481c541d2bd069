"""The schema of a database, brought up and taken back by Alembic, which is imported only then."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from repaircore.adapters.sql.database import Database
from repaircore.adapters.sql.storage import HEAD
from repaircore.kernel.errors import Invalid

if TYPE_CHECKING:
    from alembic.config import Config

__all__ = ["downgrade", "upgrade"]

_LOCK: Final = 7_205_759_403
"""PostgreSQL's advisory lock while a migration runs; any number that nobody else uses."""


def upgrade(database: Database) -> None:
    """Bring the database to the newest revision; several workers may try at once."""
    from alembic import command  # noqa: PLC0415 - takes most of a second

    with _alone(database) as connection:
        if _standing(connection) != HEAD:
            command.upgrade(_config(connection), "head")


def downgrade(database: Database, revision: str) -> None:
    """Take the database back to an earlier revision (``base``: nothing is left).

    Raises:
        Invalid: on ``revision``.
    """
    from alembic import command  # noqa: PLC0415 - takes most of a second
    from alembic.util import CommandError  # noqa: PLC0415 - takes most of a second

    try:
        with _alone(database) as connection:
            command.downgrade(_config(connection), revision)
    except CommandError as error:
        raise Invalid({"revision": [f"{error}."]}) from error


def _standing(connection: Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    return found


@contextmanager
def _alone(database: Database) -> Iterator[Connection]:
    with database.begin() as connection:
        if not database.is_sqlite:  # on SQLite, BEGIN IMMEDIATE keeps the others out already
            connection.execute(sa.text("SET LOCAL lock_timeout = 0"))
            connection.execute(sa.text("SET LOCAL statement_timeout = 0"))
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        yield connection


def _config(connection: Connection) -> "Config":
    from alembic.config import Config  # noqa: PLC0415 - takes most of a second

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config
