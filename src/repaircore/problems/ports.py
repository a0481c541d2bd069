"""Ports for problems."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from repaircore.book.model import Description, Problem
from repaircore.book.ports import BookWork
from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents
from repaircore.problems.fusion import RankedList


class Descriptions(Protocol):
    """Stored descriptions, at most one per environment and repair."""

    def find(self, environment: Environment, problem_id: int) -> Description | None:
        """Return the description of a repair, from any edition of the book, or None if there is none."""

    def save(
        self, environment: Environment, description: Description, *, replaces: Description | None
    ) -> Description:
        """Save a description in place of ``replaces``, if there is one, and return it.

        If another description was stored in the meantime, that one is returned unchanged.
        """


class Samples(Protocol):
    """The number of invoices that each repair's prices were learned from."""

    def counts(self, environment: Environment) -> Mapping[int, int]:
        """Return how many invoices were learned from, by repair id; repairs without any may be absent."""


class InvoiceSum(Protocol):
    """The count and the total of a group of invoices."""

    @property
    def n(self) -> int:
        """Return the number of invoices."""

    @property
    def total(self) -> Cents:
        """Return the total of the invoices."""


class ProblemInvoices(Protocol):
    """Sums of an environment's invoices."""

    def sum_by_problem(self, environment: Environment) -> Mapping[int, InvoiceSum]:
        """Return the sums by repair id; repairs without invoices are absent."""

    def sum_by_month(self, environment: Environment) -> Mapping[str, InvoiceSum]:
        """Return the sums by month (``2026-01``), oldest first; months without invoices are absent."""


class Describer(Protocol):
    """Writes the descriptions of repairs for car owners."""

    @property
    def source(self) -> str:
        """Return the kind of writer: ``offline``, ``openai`` or ``anthropic``."""

    def describe(self, problem: Problem, *, seconds: float) -> str:
        """Return a description of a repair, within ``seconds`` in total.

        It is plain text of 40 to 1,500 characters: letters, digits, punctuation and single spaces, without markup,
        links, e-mail addresses or line breaks.

        Raises:
            Unavailable: there is no description; the message is a short reason that users may see. Nothing else is
                ever raised.
        """


class Ranker(Protocol):
    """Ranks repairs by something other than the book's words: trouble codes, or a diagnosis."""

    def rank(self, text: str, *, best: float = 0.0) -> RankedList | None:
        """Return the repairs that ``text`` suggests, or None if this ranker does not recognize it.

        ``best`` is the highest score that the words of ``text`` have found, or 0 if they found nothing. The search
        ignores slugs that are not in the book. Nothing is ever raised.
        """


class ProblemsWork(BookWork, Protocol):
    """The part of a unit of work that problems need."""

    @property
    def descriptions(self) -> Descriptions:
        """Return the stored descriptions."""

    @property
    def samples(self) -> Samples:
        """Return the counts of invoices that were learned from."""

    @property
    def problem_invoices(self) -> ProblemInvoices:
        """Return the sums of invoices."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[ProblemsWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
