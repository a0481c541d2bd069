"""What problems need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from repaircore.problems.model import Category, Problem

__all__ = ["Begin", "Problems", "ProblemsWork"]


class Problems(Protocol):
    """The kept categories and repairs: the repair book as it was last read in."""

    @abstractmethod
    def categories(self) -> Sequence[Category]:
        """List the main categories, by id."""

    @abstractmethod
    def all(self) -> Sequence[Problem]:
        """List every repair, by id."""

    @abstractmethod
    def by_id(self, problem_id: int) -> Problem | None:
        """Give the repair, or None; a main category is not a repair."""

    @abstractmethod
    def by_slug(self, slug: str) -> Problem | None:
        """Give the repair, or None; a main category is not a repair."""


class ProblemsWork(Protocol):
    """The part of a unit of work that problems need."""

    @property
    @abstractmethod
    def problems(self) -> Problems:
        """The kept categories and repairs."""


Begin: TypeAlias = Callable[[], AbstractContextManager[ProblemsWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""
