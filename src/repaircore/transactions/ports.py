"""Where past repairs are kept."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Protocol

from repaircore.kernel.callers import Environment
from repaircore.transactions.evidence import Evidence
from repaircore.transactions.model import Lesson, Transaction
from repaircore.transactions.sums import SumChange, SumOf

__all__ = ["Lessons", "TransactionRecords", "TransactionSums"]


class TransactionRecords(Protocol):
    """The kept invoices."""

    @abstractmethod
    def add(self, transaction: Transaction) -> Transaction:
        """Keep an invoice and give it with its new id (the given one's is not looked at).

        Raises:
            Conflict: a record that it names is gone.
            Invalid: a value has no place in the store; which one is not told.
        """

    @abstractmethod
    def by_id(self, transaction_id: int, *, environment: Environment) -> Transaction | None:
        """Give the invoice, or None; those of the other environment are not seen."""

    @abstractmethod
    def remove(self, transaction_id: int) -> bool:
        """Forget the invoice; False when there is none, also because somebody removed it at the same moment."""


class Lessons(Protocol):
    """The sums that all invoices of an environment add up to."""

    @abstractmethod
    def learn(self, environment: Environment, evidence: Evidence, *, bin: int, alpha_step: int) -> Lesson:  # noqa: A002 - the statistician's word
        """Add an invoice's evidence and its error; give what takes both out again."""

    @abstractmethod
    def unlearn(self, environment: Environment, lesson: Lesson) -> None:
        """Take out what ``learn`` put in: every sum is that of what the other invoices put in.

        What they put in stays as it was, also where it was judged by a history that held this one.
        """


class TransactionSums(Protocol):
    """What the invoices of each month come to, an environment at a time."""

    @abstractmethod
    def add(self, environment: Environment, changes: Iterable[SumChange]) -> None:
        """Move the sums; a row that no invoice is left in is gone.

        Exact also when many do so at once, and nobody ever waits for somebody who waits for them.
        """

    @abstractmethod
    def by_problem(self, environment: Environment) -> Mapping[int, SumOf]:
        """Map repairs by id to their invoices; one without any is left out."""
