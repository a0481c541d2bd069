"""The database of an installation: opened late, brought up to date, and ready for every slice.

SQLAlchemy is imported when the first unit of work opens, so that a remembered prediction at the command
line never pays for it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from repaircore.adapters.sql.engine.driver import Driver, driver_of
from repaircore.addresses import database_address
from repaircore.questionnaire.editions import is_outdated

if TYPE_CHECKING:
    from repaircore.adapters.sql.engine.database import Database
    from repaircore.adapters.sql.engine.work import SqlWork
    from repaircore.book.model import Category, Problem
    from repaircore.persons.exported_marks import PersonalMarks
    from repaircore.questionnaire.model import QuestionCategory


HEAD: Final = "0001"
"""The newest revision of the schema; a test holds it against the migrations."""

_STANDING: Final = "SELECT version_num FROM alembic_version"
_EDITION: Final = "SELECT value FROM settings WHERE name = 'book_edition'"
_QUESTIONNAIRE: Final = "SELECT value FROM settings WHERE name = 'questionnaire_edition'"


class Storage:
    """A database by its URL."""

    head: Final = HEAD

    def __init__(self, url: str) -> None:
        self.url = url
        self.driver: Driver = driver_of(url)
        self._joined: ContextVar[SqlWork | None] = ContextVar("joined", default=None)
        self._waiting: ContextVar[list[Callable[[], None]] | None] = ContextVar("waiting", default=None)

    @cached_property
    def database(self) -> "Database":
        """Return the database for units of work."""
        from repaircore.adapters.sql.engine.database import Database  # noqa: PLC0415 - slow to import

        return Database(self.url)

    @contextmanager
    def transaction(self) -> Iterator["SqlWork"]:
        """Open a unit of work that may write; inside another it is a part of that one (see ``together``)."""
        with self._opened(write=True) as unit:
            yield unit

    @contextmanager
    def read(self) -> Iterator["SqlWork"]:
        """Open a unit of work that only reads."""
        with self._opened(write=False) as unit:
            yield unit

    @contextmanager
    def together(self) -> Iterator["SqlWork"]:
        """Open a unit of work that those which this thread opens inside it are parts of.

        What they write is kept, or lost, together with what the outer one writes: a reply and the effect that it
        tells of (docs/decisions/one-transaction.md). A part that fails undoes
        what it wrote, and only that, so that whoever caught the failure can go on.
        """
        with self.transaction() as unit:
            mark = self._joined.set(unit)
            try:
                yield unit
            finally:
                self._joined.reset(mark)

    def afterwards(self, act: Callable[[], None]) -> None:
        """Do something once this thread has no unit of work open, however that one ends; at once when it has none."""
        waiting = self._waiting.get()
        if waiting is None:
            act()
        else:
            waiting.append(act)

    @contextmanager
    def _opened(self, *, write: bool) -> Iterator["SqlWork"]:
        joined = self._joined.get()
        if joined is not None:
            with joined.part() if write else nullcontext():
                yield joined
            return
        from repaircore.adapters.sql.engine import work  # noqa: PLC0415 - slow to import

        waiting: list[Callable[[], None]] = []
        mark = self._waiting.set(waiting)
        try:
            with work.open_work(self.database, write=write) as unit:
                yield unit
        finally:
            self._waiting.reset(mark)
            for act in waiting:
                act()

    @property
    def path(self) -> Path | None:
        """Return the file of a SQLite database, None for PostgreSQL."""
        return database_address(self.url).file

    def standing(self) -> str | None:
        """Return the revision of the schema, None when there is none yet.

        Raises:
            Unavailable: the database does not answer.
        """
        return cast("str | None", self._first(_STANDING))

    def edition(self) -> str | None:
        """Return the edition of the repair book that was read in last, None when none was.

        Raises:
            Unavailable: the database does not answer.
        """
        return cast("str | None", self._first(_EDITION))

    def questionnaire_edition(self) -> str | None:
        """Return the edition of the questionnaire that is kept, None when there is none.

        Raises:
            Unavailable: the database does not answer.
        """
        return cast("str | None", self._first(_QUESTIONNAIRE))

    def upgrade(self) -> None:
        """Bring the schema to ``HEAD``; several processes may try at once.

        Raises:
            Unavailable: the database does not answer, is of a newer version, or another program's.
        """
        from repaircore.adapters.sql.schema import migrate  # noqa: PLC0415 - slow to import

        migrate.upgrade(self.database)

    def obstacle(self) -> str | None:
        """Say why the schema cannot be brought to ``HEAD``, None when it can.

        Raises:
            Unavailable: the database does not answer.
        """
        if self.path is not None and not self.path.exists():
            return None
        from repaircore.adapters.sql.schema import migrate  # noqa: PLC0415 - slow to import

        return migrate.obstacle(self.database)

    def downgrade(self, revision: str) -> None:
        """Take the schema back to an earlier revision (``base``: nothing is left).

        Raises:
            Invalid: on ``revision``: there is no such one, or it is not an earlier one.
            Unavailable: the database does not answer.
        """
        from repaircore.adapters.sql.schema import migrate  # noqa: PLC0415 - slow to import

        migrate.downgrade(self.database, revision)

    def read_in(self, edition: str, categories: "Sequence[Category]", problems: "Sequence[Problem]") -> None:
        """Take an edition of the repair book over."""
        from repaircore.adapters.sql.settings import BOOK_EDITION  # noqa: PLC0415 - slow to import

        with self.transaction() as unit:
            unit.problems.read_in(categories, problems)
            unit.settings.set(BOOK_EDITION, edition)

    def read_questions_in(self, edition: str, categories: "Sequence[QuestionCategory]") -> None:
        """Take an edition of the questionnaire over, unless an operator brought one in meanwhile."""
        with self.transaction() as unit:
            if is_outdated(unit.questionnaire.lock() or None, edition):
                unit.questionnaire.replace(edition, categories)

    def sweep(self, marks: "PersonalMarks") -> "Sequence[str]":
        """Make sure that erased marks lie in no file of ours; name those in which they may."""
        if self.path is None:
            return []  # PostgreSQL's files are its own
        from repaircore.adapters.sql.engine.file_scan import sweep  # noqa: PLC0415 - only an erasure sweeps

        return sweep(self.path, marks)

    def close(self) -> None:
        """End the engine's connections and this thread's own; those of other threads end with them."""
        self.driver.close()
        if "database" in self.__dict__:
            self.database.close()

    def _first(self, sql: str) -> Any:
        # Asking SQLite would make the file.
        if self.path is not None and not self.path.exists():
            return None
        row = self.driver.one_if_there(sql)
        return None if row is None else row[0]
