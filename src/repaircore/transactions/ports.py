"""The storage of transactions, lessons and sums."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Protocol

from repaircore.kernel.callers import Environment
from repaircore.kernel.paging import Page, PageRequest
from repaircore.transactions.evidence import Evidence
from repaircore.transactions.listing import MonthTotals, TransactionFilter
from repaircore.transactions.model import Lesson, Transaction
from repaircore.transactions.price_distribution import ShopPayment
from repaircore.transactions.price_history import Payment
from repaircore.transactions.sums import SumChange, SumOf


class TransactionRecords(Protocol):
    """The stored invoices."""

    def add(self, transaction: Transaction) -> Transaction:
        """Insert an invoice; return it with its new id (the given id is ignored).

        Raises:
            Conflict: a record that it refers to no longer exists.
            Invalid: the database cannot store a value; the error does not name it.
        """

    def by_id(self, transaction_id: int, *, environment: Environment) -> Transaction | None:
        """Return the invoice, or None; invoices of the other environment are invisible."""

    def page(
        self, wanted: TransactionFilter, request: PageRequest, *, environment: Environment
    ) -> Page[Transaction]:
        """Return a page, latest repair first, then last entered first, unless another order is requested.

        A page beyond the last is empty. A deep page costs little more than the first.

        Raises:
            Invalid: on ``sort`` and ``cursor``.
        """

    def lock(self, transaction: Transaction) -> bool:
        """Lock the invoice until the unit of work ends; return False if it changed since it was read.

        All writers of an environment's lessons acquire the same lock first, so that they cannot deadlock.
        """

    def replace(self, old: Transaction, new: Transaction) -> Transaction:
        """Replace ``old`` with its next state; return that with its new version.

        Raises:
            Conflict: it changed since ``old`` was read, or a record that it refers to no longer exists.
            Invalid: the database cannot store a value; the error does not name it.
        """

    def remove(self, transaction: Transaction) -> bool:
        """Delete the invoice; return False if it changed since it was read."""

    def payments(
        self, problem_id: int, *, environment: Environment, make_key: str | None, limit: int
    ) -> Iterable[Payment]:
        """Return the day and total of a problem's latest invoices, on one make or on all, leaving out free ones."""

    def shop_payments(
        self, problem_id: int, *, environment: Environment, since: date, limit: int
    ) -> Iterable[ShopPayment]:
        """Return the shop and total of a problem's latest invoices since a day; each has a price and a shop."""


class Lessons(Protocol):
    """The evidence of all invoices of an environment, as sums."""

    def learn(self, environment: Environment, evidence: Evidence, *, bin: int, alpha_step: int) -> Lesson:  # noqa: A002 - the statistician's word
        """Add an invoice's evidence and error; return the lesson that ``unlearn`` takes."""

    def unlearn(self, environment: Environment, lesson: Lesson) -> None:
        """Undo ``learn``: every sum is then that of the remaining invoices.

        Their lessons stay, even if they were computed from a history that included this invoice.
        """


class TransactionSums(Protocol):
    """The totals of invoices by month, for each environment."""

    def add(self, environment: Environment, changes: Iterable[SumChange]) -> None:
        """Add to the sums; delete rows without invoices.

        Sums stay exact under concurrent writers, which cannot deadlock.
        """

    def by_problem(self, environment: Environment) -> Mapping[int, SumOf]:
        """Return the totals of each repair that has invoices, by id."""

    def months(self, wanted: TransactionFilter, *, environment: Environment) -> Sequence[MonthTotals]:
        """Return the totals of the matching invoices, latest month first, without empty months."""

    def makes(self, environment: Environment) -> Sequence[str]:
        """List the make keys of all invoices, sorted."""
