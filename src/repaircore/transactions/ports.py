"""Ports for transactions: the stored invoices, lessons and sums."""

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
        """Insert an invoice, and return it with its new id; the given id is ignored.

        Raises:
            Conflict: a record that it refers to no longer exists.
            Invalid: the database cannot store a value; the error does not say which one.
        """

    def by_id(self, transaction_id: int, *, environment: Environment) -> Transaction | None:
        """Return the environment's invoice with an id, or None."""

    def page(
        self, wanted: TransactionFilter, request: PageRequest, *, environment: Environment
    ) -> Page[Transaction]:
        """Return a page of invoices, latest repair first, then latest entry first, unless another order is requested.

        A page beyond the last is empty. Deep pages cost little more than the first one.

        Raises:
            Invalid: on ``sort`` or ``cursor``.
        """

    def lock(self, transaction: Transaction) -> bool:
        """Lock an invoice until the unit of work ends; return False if it changed since it was read.

        All writers of an environment's lessons acquire the same lock first, so that they cannot deadlock.
        """

    def replace(self, old: Transaction, new: Transaction) -> Transaction:
        """Replace ``old`` with ``new``, and return the latter with its new version.

        Raises:
            Conflict: it changed since ``old`` was read, or a record that it refers to no longer exists.
            Invalid: the database cannot store a value; the error does not say which one.
        """

    def remove(self, transaction: Transaction) -> bool:
        """Delete an invoice; return False if it changed since it was read."""

    def payments(
        self, problem_id: int, *, environment: Environment, make_key: str | None, limit: int
    ) -> Iterable[Payment]:
        """Return the days and totals of a problem's latest invoices, except free ones, for one make or all (None)."""

    def shop_payments(
        self, problem_id: int, *, environment: Environment, since: date, limit: int
    ) -> Iterable[ShopPayment]:
        """Return the shops and totals of a problem's latest invoices since a day that have a price and a shop."""


class Lessons(Protocol):
    """The evidence from all invoices in each environment, as sums."""

    def learn(self, environment: Environment, evidence: Evidence, *, bin: int, alpha_step: int) -> Lesson:  # noqa: A002 - the statistician's word
        """Add an invoice's evidence and error, and return the lesson to pass to ``unlearn``."""

    def unlearn(self, environment: Environment, lesson: Lesson) -> None:
        """Undo ``learn``: afterward, the sums cover only the remaining invoices.

        The lessons of other invoices stay, even if they were computed from a history that included this one.
        """


class TransactionSums(Protocol):
    """The totals of invoices by month in each environment."""

    def add(self, environment: Environment, changes: Iterable[SumChange]) -> None:
        """Add changes to the sums, and delete rows that have no invoices left.

        The sums stay exact under concurrent writers, which cannot deadlock.
        """

    def by_problem(self, environment: Environment) -> Mapping[int, SumOf]:
        """Return the totals for each repair that has invoices, by the repair's id."""

    def months(self, wanted: TransactionFilter, *, environment: Environment) -> Sequence[MonthTotals]:
        """Return the totals of the matching invoices by month, latest first, leaving out empty months."""

    def makes(self, environment: Environment) -> Sequence[str]:
        """List the make keys of all invoices, sorted."""
