"""The schema of a database, brought up and taken back by Alembic, which is imported only then."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.storage import HEAD
from repaircore.adapters.sql.engine.timeouts import take_time
from repaircore.adapters.sql.schema.metadata import METADATA
from repaircore.kernel.errors import Invalid, Unavailable

if TYPE_CHECKING:
    from alembic.config import Config


_LOCK: Final = 7_205_759_403
"""PostgreSQL's advisory lock while a migration runs; any number that nobody else uses."""

_NEWER: Final = (
    "The database is of a newer version of repaircore: it is at revision {}, this version knows {}."
)
_FOREIGN: Final = "The database is another program's: it has tables, and none says that repaircore made them."


def upgrade(database: Database) -> None:
    """Bring the database to the newest revision; several workers may try at once.

    Raises:
        Unavailable: it does not answer, or is not one that this version can bring up.
    """
    from alembic import command  # noqa: PLC0415 - takes most of a second

    with alone(database) as connection:
        if standing_of(connection) == HEAD:
            return
        found = obstacle_of(connection)
        if found:
            raise Unavailable(found)
        command.upgrade(_config(connection), "head")


def bring(connection: Connection, revision: str = HEAD) -> None:
    """Bring the schema to a revision, in the transaction that is open.

    Raises:
        Invalid: on ``revision``: there is no such one.
    """
    from alembic import command  # noqa: PLC0415 - takes most of a second
    from alembic.util import CommandError  # noqa: PLC0415 - takes most of a second

    try:
        command.upgrade(_config(connection), revision)
    except CommandError as error:
        raise Invalid({"revision": [f"{error}."]}) from error


def obstacle(database: Database) -> str | None:
    """Say why the database cannot be brought to the newest revision, None when it can.

    Raises:
        Unavailable: the database does not answer.
    """
    with database.transaction(write=False) as connection:
        return obstacle_of(connection)


def downgrade(database: Database, revision: str) -> None:
    """Take the database back to an earlier revision (``base``: nothing is left).

    Raises:
        Invalid: on ``revision``.
    """
    from alembic import command  # noqa: PLC0415 - takes most of a second
    from alembic.util import CommandError  # noqa: PLC0415 - takes most of a second

    try:
        with alone(database) as connection:
            command.downgrade(_config(connection), revision)
    except CommandError as error:
        raise Invalid({"revision": [f"{error}."]}) from error


def obstacle_of(connection: Connection) -> str | None:
    """Say why it cannot be brought to the newest revision, None when it can."""
    standing = standing_of(connection)
    if standing is not None:  # revisions are numbers with leading zeros
        return None if standing <= HEAD else _NEWER.format(standing, HEAD)
    names = set(sa.inspect(connection).get_table_names()) - {"alembic_version"}
    # A file is one program's; in a PostgreSQL database extensions keep tables as well.
    theirs = names if connection.dialect.name == "sqlite" else names & METADATA.tables.keys()
    return _FOREIGN if theirs else None


def standing_of(connection: Connection) -> str | None:
    """Return the revision, None when there is none yet."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    return found


@contextmanager
def alone(database: Database) -> Iterator[Connection]:
    """Open a transaction that may take its time, and in which nobody else changes the schema."""
    with database.transaction() as connection:
        if not database.is_sqlite:  # on SQLite, BEGIN IMMEDIATE keeps the others out already
            connection.execute(sa.text("SET LOCAL lock_timeout = 0"))
            take_time(connection)
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        yield connection


def _config(connection: Connection) -> "Config":
    from alembic.config import Config  # noqa: PLC0415 - takes most of a second

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parents[1] / "migrations"))
    config.attributes["connection"] = connection
    return config
