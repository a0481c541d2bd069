"""An installation's database: connections, units of work and upgrades.

SQLAlchemy is imported when the first unit of work opens, so that a cached prediction at the command
line never pays for it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from repaircore.adapters.fast_path.driver import Driver, driver_of
from repaircore.addresses import database_address
from repaircore.questionnaire.editions import is_outdated

if TYPE_CHECKING:
    from repaircore.adapters.fast_path.driver import Row
    from repaircore.adapters.sql.engine.database import Database
    from repaircore.adapters.sql.engine.work import SqlWork
    from repaircore.book.model import Category, Problem
    from repaircore.persons.exported_marks import PersonalMarks
    from repaircore.questionnaire.model import QuestionCategory


HEAD: Final = "0026"
"""The newest revision of the schema; a test compares it with the migrations."""

CONNECTIONS: Final = 4
"""How many connections a process may open to a server by default: two workers and their jobs need 12."""

_SHARE: Final = 4
"""One connection in four is for single statements, which are short; the others are for units of work."""

_FEW: Final = 2
"""At least this many connections are for single statements, unless that is more than half: threads that queue for one
connection cost more CPU than their statements."""

_REVISION: Final = "SELECT version_num FROM alembic_version"
_BOOK_EDITION: Final = "SELECT value FROM settings WHERE name = 'book_edition'"
_QUESTIONNAIRE_EDITION: Final = "SELECT value FROM settings WHERE name = 'questionnaire_edition'"
_ADMIN: Final = "SELECT 1 FROM users WHERE role = 'admin' LIMIT 1"


class Storage:
    """The database at a URL; this process opens at most ``connections`` connections (2 or more) to a server."""

    head: Final = HEAD

    def __init__(self, url: str, *, connections: int = CONNECTIONS) -> None:
        self.url = url
        single = max(min(_FEW, connections // 2), connections // _SHARE)
        self.driver: Driver = driver_of(url, connections=single)
        self._connections = connections - single
        self._outer: ContextVar[SqlWork | None] = ContextVar("outer", default=None)
        self._deferred: ContextVar[list[Callable[[], None]] | None] = ContextVar("deferred", default=None)

    @cached_property
    def database(self) -> "Database":
        """The database for units of work."""
        from repaircore.adapters.sql.engine.database import Database  # noqa: PLC0415 - slow to import

        return Database(self.url, connections=self._connections)

    @contextmanager
    def transaction(self) -> Iterator["SqlWork"]:
        """Open a unit of work that may write; inside ``outer_transaction``, it is a savepoint."""
        with self._open(write=True) as unit:
            yield unit

    @contextmanager
    def read(self) -> Iterator["SqlWork"]:
        """Open a unit of work that only reads."""
        with self._open(write=False) as unit:
            yield unit

    @contextmanager
    def outer_transaction(self) -> Iterator["SqlWork"]:
        """Open a unit of work; units of work that this thread opens inside it are savepoints.

        They are committed or rolled back together, as are the effect of a request and its stored reply
        (docs/decisions/one-transaction.md). When an inner one raises, only its own writes are rolled back, so that
        the caller may catch the exception and go on.
        """
        with self.transaction() as unit:
            token = self._outer.set(unit)
            try:
                yield unit
            finally:
                self._outer.reset(token)

    def fetch_one(self, sql: str, values: "Row") -> "Row | None":
        """Return the first row of ``sql`` (with ``?`` placeholders), or None if there is none, without SQLAlchemy.

        Inside ``outer_transaction``, the query runs in that transaction, so that it sees what was written there.

        Raises:
            Unavailable: the database is not responding.
        """
        outer = self._outer.get()
        return self.driver.fetch_one(sql, values) if outer is None else outer.fetch_one(sql, values)

    def after_transaction(self, act: Callable[[], None]) -> None:
        """Call ``act`` once this thread's unit of work has ended, committed or not, or immediately if none is open."""
        deferred = self._deferred.get()
        if deferred is None:
            act()
        else:
            deferred.append(act)

    @contextmanager
    def _open(self, *, write: bool) -> Iterator["SqlWork"]:
        outer = self._outer.get()
        if outer is not None:
            with outer.savepoint() if write else nullcontext():
                yield outer
            return
        from repaircore.adapters.sql.engine import work  # noqa: PLC0415 - slow to import

        deferred: list[Callable[[], None]] = []
        token = self._deferred.set(deferred)
        try:
            with work.open_work(self.database, write=write) as unit:
                yield unit
        finally:
            self._deferred.reset(token)
            for act in deferred:
                act()

    @property
    def path(self) -> Path | None:
        """The file of a SQLite database, or None for PostgreSQL."""
        return database_address(self.url).file

    def revision(self) -> str | None:
        """Return the revision of the schema, or None in an empty database.

        Raises:
            Unavailable: the database is not responding.
        """
        return cast("str | None", self._first(_REVISION))

    def book_edition(self) -> str | None:
        """Return the edition of the repair book in the database, or None if there is none.

        Raises:
            Unavailable: the database is not responding.
        """
        return cast("str | None", self._first(_BOOK_EDITION))

    def questionnaire_edition(self) -> str | None:
        """Return the edition of the questionnaire in the database, or None if there is none.

        Raises:
            Unavailable: the database is not responding.
        """
        return cast("str | None", self._first(_QUESTIONNAIRE_EDITION))

    def has_admin(self) -> bool:
        """Return whether there is an admin.

        Raises:
            Unavailable: the database is not responding.
        """
        return self._first(_ADMIN) is not None

    def upgrade(self) -> None:
        """Upgrade the schema to ``HEAD``; several processes may try at once.

        Raises:
            Unavailable: the database is not responding, or is from a newer version or another program.
        """
        from repaircore.adapters.sql.schema import migrate  # noqa: PLC0415 - slow to import

        migrate.upgrade(self.database)

    def upgrade_blocker(self) -> str | None:
        """Return why the schema cannot be upgraded to ``HEAD``, or None if it can.

        Raises:
            Unavailable: the database is not responding.
        """
        if self.path is not None and not self.path.exists():
            return None
        from repaircore.adapters.sql.schema import migrate  # noqa: PLC0415 - slow to import

        return migrate.upgrade_blocker(self.database)

    def downgrade(self, revision: str) -> None:
        """Downgrade the schema to an earlier revision (``base`` removes everything).

        Raises:
            Invalid: on ``revision``; there is no such revision, or it is not an earlier one.
            Unavailable: the database is not responding.
        """
        from repaircore.adapters.sql.schema import migrate  # noqa: PLC0415 - slow to import

        migrate.downgrade(self.database, revision)

    def import_book(
        self, edition: str, categories: "Sequence[Category]", problems: "Sequence[Problem]"
    ) -> None:
        """Import an edition of the repair book."""
        from repaircore.adapters.sql.settings import BOOK_EDITION  # noqa: PLC0415 - slow to import

        with self.transaction() as unit:
            unit.problems.store_entries(categories, problems)
            unit.settings.set(BOOK_EDITION, edition)

    def import_questionnaire(self, edition: str, categories: "Sequence[QuestionCategory]") -> None:
        """Import an edition of the questionnaire, unless an operator has imported one meanwhile."""
        with self.transaction() as unit:
            if is_outdated(unit.questionnaire.lock() or None, edition):
                unit.questionnaire.replace(edition, categories)

    def sweep(self, marks: "PersonalMarks") -> "Sequence[str]":
        """Remove copies of erased data from the database's files; return a sentence for each file left uncleaned."""
        if self.path is None:
            return []  # PostgreSQL manages its own files
        from repaircore.adapters.sql.engine.file_scan import sweep  # noqa: PLC0415 - only for an erasure

        return sweep(self.path, marks)

    def close(self) -> None:
        """Close the engine and the driver's connections.

        Other threads' connections to a file close when those threads end.
        """
        self.driver.close()
        if "database" in self.__dict__:
            self.database.close()

    def _first(self, sql: str) -> Any:
        # A query would create the file.
        if self.path is not None and not self.path.exists():
            return None
        row = self.driver.fetch_one_if_exists(sql)
        return None if row is None else row[0]
