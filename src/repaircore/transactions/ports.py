"""Where past repairs are kept."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Protocol

from repaircore.kernel.callers import Environment
from repaircore.transactions.evidence import Evidence
from repaircore.transactions.model import Lesson, Transaction
from repaircore.transactions.paid import Payment

__all__ = ["Lessons", "TransactionRecords"]


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

    @abstractmethod
    def payments(
        self, problem_id: int, *, environment: Environment, make_key: str | None, limit: int
    ) -> Iterable[Payment]:
        """Give the day and the total of the latest repairs of a problem, on one make or on all; free ones are left out."""


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
