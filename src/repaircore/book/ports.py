"""What the repair book needs from outside."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.book.changes import BookChange
from repaircore.book.model import Category, Problem
from repaircore.kernel.audit import AuditLog


class Problems(Protocol):
    """The kept categories and repairs: the repair book as it was last read in."""

    @abstractmethod
    def edition(self) -> str:
        """Name the edition that is kept. Whenever a kept category or repair changes, so does the name."""

    @abstractmethod
    def list_categories(self) -> Sequence[Category]:
        """List the main categories, by id."""

    @abstractmethod
    def list_all(self) -> Sequence[Problem]:
        """List every repair, by id."""

    @abstractmethod
    def find(self, problem_id: int) -> Problem | None:
        """Give the repair, or None; a main category is not a repair."""

    @abstractmethod
    def find_by_slug(self, slug: str) -> Problem | None:
        """Give the repair, or None; a main category is not a repair."""

    @abstractmethod
    def map_by_slug(self, slugs: Collection[str]) -> Mapping[str, Problem]:
        """Map those of the slugs to their repairs that are of any; a main category is not a repair."""

    @abstractmethod
    def publish(self, edition: str, categories: Sequence[Category], repairs: Sequence[Problem]) -> None:
        """Store an edition of the book: new entries are added, changed ones change, none goes."""


class BookChanges(Protocol):
    """The installation's own changes of the book, one at most for each repair."""

    @abstractmethod
    def get_all(self) -> Mapping[str, BookChange]:
        """Map the changed repairs by slug to their changes."""

    @abstractmethod
    def save(self, change: BookChange, *, at: datetime) -> None:
        """Store a change in the place of an earlier one of its repair."""

    @abstractmethod
    def delete(self, slug: str) -> None:
        """Remove the change of a repair; one that has none is fine."""


class BookWork(Protocol):
    """The part of a unit of work that the repair book needs."""

    @property
    @abstractmethod
    def problems(self) -> Problems:
        """The kept categories and repairs."""

    @property
    @abstractmethod
    def book_changes(self) -> BookChanges:
        """The installation's own changes of the book."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """What was changed by whom."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[BookWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
