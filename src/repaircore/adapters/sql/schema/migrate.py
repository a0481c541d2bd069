"""Upgrade and downgrade the schema with Alembic, which is imported only when it is needed."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.storage import HEAD
from repaircore.adapters.sql.engine.timeouts import extend_timeouts
from repaircore.adapters.sql.schema.metadata import METADATA
from repaircore.kernel.errors import Invalid, Unavailable

if TYPE_CHECKING:
    from alembic.config import Config


_LOCK: Final = 7_205_759_403
"""The key of PostgreSQL's advisory lock during migrations: an arbitrary number."""

_NEWER: Final = (
    "The database is from a newer version of repaircore: it is at revision {}, this version supports {}."
    " Install that version, or restore an older backup."
)
_FOREIGN: Final = "The database belongs to another program: it has tables that repaircore did not create."


def upgrade(database: Database) -> None:
    """Upgrade the database to the newest revision; several workers may try at once.

    Raises:
        Unavailable: the database is not responding, or this version cannot upgrade it.
    """
    from alembic import command  # noqa: PLC0415 - takes most of a second

    with exclusive(database) as connection:
        if revision_of(connection) == HEAD:
            return
        blocker = upgrade_blocker_of(connection)
        if blocker:
            raise Unavailable(blocker)
        command.upgrade(_config(connection), "head")


def upgrade_to(connection: Connection, revision: str = HEAD) -> None:
    """Upgrade the schema to a revision in the open transaction.

    Raises:
        Invalid: on ``revision``; there is no such revision.
    """
    from alembic import command  # noqa: PLC0415 - takes most of a second
    from alembic.util import CommandError  # noqa: PLC0415 - takes most of a second

    try:
        command.upgrade(_config(connection), revision)
    except CommandError as error:
        raise Invalid({"revision": [f"{error}."]}) from error


def upgrade_blocker(database: Database) -> str | None:
    """Return why the database cannot be upgraded to the newest revision, or None if it can.

    Raises:
        Unavailable: the database is not responding.
    """
    with database.transaction(write=False) as connection:
        return upgrade_blocker_of(connection)


def downgrade(database: Database, revision: str) -> None:
    """Downgrade the database to an earlier revision (``base`` removes everything).

    Raises:
        Invalid: on ``revision``; there is no such revision, or it is not an earlier one.
        Unavailable: the database is not responding.
    """
    from alembic import command  # noqa: PLC0415 - takes most of a second
    from alembic.util import CommandError  # noqa: PLC0415 - takes most of a second

    try:
        with exclusive(database) as connection:
            command.downgrade(_config(connection), revision)
    except CommandError as error:
        raise Invalid({"revision": [f"{error}."]}) from error


def upgrade_blocker_of(connection: Connection) -> str | None:
    """Return why the database cannot be upgraded to the newest revision, or None if it can."""
    revision = revision_of(connection)
    if revision is not None:  # revisions are numbers with leading zeros
        return None if revision <= HEAD else _NEWER.format(revision, HEAD)
    names = set(sa.inspect(connection).get_table_names()) - {"alembic_version"}
    # A SQLite file belongs to one program; a PostgreSQL database may hold tables of extensions too.
    foreign = names if connection.dialect.name == "sqlite" else names & METADATA.tables.keys()
    return _FOREIGN if foreign else None


def revision_of(connection: Connection) -> str | None:
    """Return the revision of the schema, or None in an empty database."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    return revision


@contextmanager
def exclusive(database: Database) -> Iterator[Connection]:
    """Open a long transaction that excludes other changes to the schema."""
    with database.transaction() as connection:
        if not database.is_sqlite:  # on SQLite, BEGIN IMMEDIATE excludes other writers already
            connection.execute(sa.text("SET LOCAL lock_timeout = 0"))
            extend_timeouts(connection)
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        yield connection


def _config(connection: Connection) -> "Config":
    from alembic.config import Config  # noqa: PLC0415 - takes most of a second

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parents[1] / "migrations"))
    config.attributes["connection"] = connection
    return config
