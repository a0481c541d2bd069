"""Ports for the repair book."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.book.changes import BookChange
from repaircore.book.model import Category, Problem
from repaircore.kernel.audit import AuditLog


class Problems(Protocol):
    """The stored categories and repairs: the repair book as it was last published."""

    def edition(self) -> str:
        """Return the name of the stored edition, or "" if none; it changes whenever a category or repair does."""

    def list_categories(self) -> Sequence[Category]:
        """List the main categories, ordered by ID."""

    def list_all(self) -> Sequence[Problem]:
        """List all repairs, ordered by ID."""

    def find(self, problem_id: int) -> Problem | None:
        """Return the repair with this ID, or None; a main category is not a repair."""

    def find_by_slug(self, slug: str) -> Problem | None:
        """Return the repair with this slug, or None; a main category is not a repair."""

    def map_by_slug(self, slugs: Collection[str]) -> Mapping[str, Problem]:
        """Return the repairs with these slugs, by slug; unknown slugs are absent."""

    def publish(self, edition: str, categories: Sequence[Category], repairs: Sequence[Problem]) -> None:
        """Store an edition of the book: add new entries and update existing ones, but delete none."""


class BookChanges(Protocol):
    """The installation's own changes to the book, at most one per repair."""

    def get_all(self) -> Mapping[str, BookChange]:
        """Return all changes, by the slug of their repair."""

    def save(self, change: BookChange, *, at: datetime) -> None:
        """Save a change, replacing any earlier change of its repair."""

    def delete(self, slug: str) -> None:
        """Delete the change of a repair, if there is one."""


class BookWork(Protocol):
    """The part of a unit of work that the repair book needs."""

    @property
    def problems(self) -> Problems:
        """The stored categories and repairs."""

    @property
    def book_changes(self) -> BookChanges:
        """The installation's own changes to the book."""

    @property
    def audit(self) -> AuditLog:
        """The audit log."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[BookWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
