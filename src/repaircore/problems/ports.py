"""What problems need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents
from repaircore.problems.changes import BookChange
from repaircore.problems.fusion import RankedList
from repaircore.problems.model import Category, Description, Problem

__all__ = [
    "Begin",
    "BookChanges",
    "Describer",
    "Descriptions",
    "InvoiceSum",
    "ProblemInvoices",
    "Problems",
    "ProblemsWork",
    "Ranker",
    "Samples",
]


class Problems(Protocol):
    """The kept categories and repairs: the repair book as it was last read in."""

    @abstractmethod
    def edition(self) -> str:
        """Name the edition that is kept. Whenever a kept category or repair changes, so does the name."""

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

    @abstractmethod
    def by_slugs(self, slugs: Collection[str]) -> Mapping[str, Problem]:
        """Map those of the slugs to their repairs that are of any; a main category is not a repair."""

    @abstractmethod
    def publish(self, edition: str, categories: Sequence[Category], repairs: Sequence[Problem]) -> None:
        """Store an edition of the book: new entries are added, changed ones change, none goes."""


class BookChanges(Protocol):
    """The installation's own changes of the book, one at most for each repair."""

    @abstractmethod
    def all(self) -> Mapping[str, BookChange]:
        """Map the changed repairs by slug to their changes."""

    @abstractmethod
    def keep(self, change: BookChange, *, at: datetime) -> None:
        """Store a change in the place of an earlier one of its repair."""

    @abstractmethod
    def remove(self, slug: str) -> None:
        """Remove the change of a repair; one that has none is fine."""


class Descriptions(Protocol):
    """The kept descriptions, one at most for each environment and repair."""

    @abstractmethod
    def of(self, environment: Environment, problem_id: int) -> Description | None:
        """Give what was written about a repair, whatever edition it was written from, or None."""

    @abstractmethod
    def keep(
        self, environment: Environment, description: Description, *, instead_of: Description | None
    ) -> Description:
        """Keep a description in the place of another, or of none, and give it.

        When something else than ``instead_of`` is kept by now, that stays, and is given.
        """


class Samples(Protocol):
    """How much the installation has seen of each repair."""

    @abstractmethod
    def counts(self, environment: Environment) -> Mapping[int, int]:
        """Map repairs by id to how many invoices of them were learned; one without any may be left out."""


class InvoiceSum(Protocol):
    """How many invoices there are, and what they come to."""

    @property
    @abstractmethod
    def n(self) -> int:
        """How many."""

    @property
    @abstractmethod
    def total(self) -> Cents:
        """What they come to."""


class ProblemInvoices(Protocol):
    """What the invoices of an environment add up to."""

    @abstractmethod
    def by_problem(self, environment: Environment) -> Mapping[int, InvoiceSum]:
        """Map repairs by id to their invoices; one without any is left out."""

    @abstractmethod
    def by_month(self, environment: Environment) -> Mapping[str, InvoiceSum]:
        """Map months (``2026-01``) to their invoices, the oldest first; one without any is left out."""


class Describer(Protocol):
    """Someone who tells car owners what a repair is."""

    @property
    @abstractmethod
    def source(self) -> str:
        """Name the kind of writer: ``offline``, ``openai``, ``anthropic``."""

    @abstractmethod
    def describe(self, problem: Problem, *, seconds: float) -> str:
        """Write about a repair, within ``seconds`` from now in all.

        What comes back is plain text of 40 to 1,500 characters: letters, digits, punctuation and single
        spaces, without markup, addresses or line breaks.

        Raises:
            Unavailable: with a short reason fit to be shown; nothing else is ever raised.
        """


class Ranker(Protocol):
    """Ranks repairs by something else than the words of the book: trouble codes, what outcomes taught."""

    @abstractmethod
    def rank(self, text: str) -> RankedList | None:
        """Return the repairs that a text calls for, or None when it says nothing to this ranker.

        Slugs that are not in the book are left out by the search. Nothing is ever raised.
        """


class ProblemsWork(Protocol):
    """The part of a unit of work that problems need."""

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

    @property
    @abstractmethod
    def descriptions(self) -> Descriptions:
        """The kept descriptions."""

    @property
    @abstractmethod
    def samples(self) -> Samples:
        """How much was seen of each repair."""

    @property
    @abstractmethod
    def problem_invoices(self) -> ProblemInvoices:
        """What was invoiced."""


Begin: TypeAlias = Callable[[], AbstractContextManager[ProblemsWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""
