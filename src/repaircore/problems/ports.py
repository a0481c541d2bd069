"""What problems need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from repaircore.book.model import Description, Problem
from repaircore.book.ports import BookWork
from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents
from repaircore.problems.fusion import RankedList


class Descriptions(Protocol):
    """The kept descriptions, one at most for each environment and repair."""

    @abstractmethod
    def find(self, environment: Environment, problem_id: int) -> Description | None:
        """Give what was written about a repair, whatever edition it was written from, or None."""

    @abstractmethod
    def save(
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
    def sum_by_problem(self, environment: Environment) -> Mapping[int, InvoiceSum]:
        """Map repairs by id to their invoices; one without any is left out."""

    @abstractmethod
    def sum_by_month(self, environment: Environment) -> Mapping[str, InvoiceSum]:
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


class ProblemsWork(BookWork, Protocol):
    """The part of a unit of work that problems need."""

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


OpenWork: TypeAlias = Callable[[], AbstractContextManager[ProblemsWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""
