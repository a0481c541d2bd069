"""Where past repairs are kept."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from repaircore.kernel.callers import Environment
from repaircore.kernel.paging import Page
from repaircore.transactions.evidence import Evidence
from repaircore.transactions.listing import MonthTotals, TransactionFilter
from repaircore.transactions.model import Lesson, Transaction
from repaircore.transactions.price_history import Payment
from repaircore.transactions.sums import SumChange, SumOf


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
    def page(
        self, wanted: TransactionFilter, *, environment: Environment, number: int, per_page: int
    ) -> Page[Transaction]:
        """List a page, the latest repair first, of those of a day the one that was entered last.

        A page beyond the last is empty. A deep page costs little more than the first.
        """

    @abstractmethod
    def lock(self, transaction: Transaction) -> bool:
        """Keep others from changing or removing the invoice until the unit of work ends.

        False when somebody did so since it was read. All who change what is learned in an environment wait for
        the same thing first, so that nobody waits for somebody who waits for them.
        """

    @abstractmethod
    def replace(self, old: Transaction, new: Transaction) -> Transaction:
        """Keep a changed invoice in the place of ``old``, and give it with its new version.

        Raises:
            Conflict: somebody changed or removed it since ``old`` was read, or a record that it names is gone.
            Invalid: a value has no place in the store; which one is not told.
        """

    @abstractmethod
    def remove(self, transaction: Transaction) -> bool:
        """Forget the invoice; False when somebody changed or removed it since it was read."""

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

    @abstractmethod
    def months(self, wanted: TransactionFilter, *, environment: Environment) -> Sequence[MonthTotals]:
        """Tell what the wanted invoices come to, latest month first; a month without any is left out."""

    @abstractmethod
    def makes(self, environment: Environment) -> Sequence[str]:
        """List the makes that invoices are of, by the keys that they are compared by, in order."""
