"""Query transactions: lists, statistics, details and price histories."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from attrs import frozen

from repaircore.book.model import Problem
from repaircore.facilities.model import Facility
from repaircore.kernel.callers import LOCAL, Caller, Environment, require_admin
from repaircore.kernel.errors import Invalid
from repaircore.kernel.ids import is_possible_id
from repaircore.kernel.paging import FIRST_PAGE, Page, PageRequest, require_page
from repaircore.kernel.rules import Length, broken, sentence
from repaircore.kernel.spelling import make_key, make_name
from repaircore.kernel.types import Clock
from repaircore.predictions.past_predictions import HistoryEntry
from repaircore.predictions.ports import OpenWork, PredictionsWork
from repaircore.problems.errors import ProblemNotFound
from repaircore.transactions.errors import TransactionNotFound
from repaircore.transactions.listing import ALL_TRANSACTIONS, ListTransactions, Statistics
from repaircore.transactions.model import Transaction
from repaircore.transactions.price_distribution import PriceDistribution, distribution_of
from repaircore.transactions.price_history import Paid, paid_of
from repaircore.vehicles.model import Vehicle

PAYMENTS_READ: Final = 200_000
"""The maximum number of invoices that a price history is computed from; the latest ones are used."""

_DISTRIBUTION_READ: Final = 5_000
_DISTRIBUTION_SINCE: Final = timedelta(days=3 * 365)

_MAKE: Final = Length(1, 100)


@frozen(kw_only=True)
class PriceHistory:
    """The prices paid for a repair on one make or on all makes; ``paid`` is None without invoices."""

    problem: Problem
    make: str | None
    paid: Paid | None


@frozen(kw_only=True)
class PriceHistories:
    """Use cases for price histories."""

    read: OpenWork
    clock: Clock

    def of(self, problem_id: int, *, make: str | None = None, caller: Caller = LOCAL) -> PriceHistory:
        """Return the price history of a repair from its latest 200,000 invoices in the caller's environment.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``make``.
            ProblemNotFound: the repair does not exist.
        """
        require_admin(caller)
        errors = [sentence("make", predicate) for predicate in broken([_MAKE], make)]
        if errors:
            raise Invalid({"make": errors})
        with self.read() as work:
            problem = work.problems.find(problem_id) if is_possible_id(problem_id) else None
            if problem is None:
                raise ProblemNotFound
            key = None if make is None else make_key(make)
            payments = work.transactions.payments(
                problem_id, environment=caller.environment, make_key=key, limit=PAYMENTS_READ
            )
            return PriceHistory(problem=problem, make=make, paid=paid_of(payments))

    def distribution(self, problem_id: int) -> PriceDistribution | None:
        """Return the distribution of the latest prices paid in the live environment, which anyone may see.

        It is None unless there are enough invoices from enough shops among the latest 5,000 of the last three years.
        """
        with self.read() as work:
            return distribution_of(
                work.transactions.shop_payments(
                    problem_id,
                    environment=Environment.LIVE,
                    since=self.clock().date() - _DISTRIBUTION_SINCE,
                    limit=_DISTRIBUTION_READ,
                )
            )


FACILITIES_OFFERED: Final = 1_000
"""The maximum number of facilities in a form; a longer list of options is useless."""


@frozen(kw_only=True)
class TransactionDetails:
    """An invoice with the records that it refers to; ``prediction`` is the one that it is linked to, if any."""

    transaction: Transaction
    vehicle: Vehicle
    problem: Problem
    facility: Facility | None
    prediction: HistoryEntry | None


@frozen(kw_only=True)
class FormOptions:
    """The options in a form: every repair, up to 1,000 facilities, and the makes on all invoices."""

    problems: Sequence[Problem]
    facilities: Sequence[Facility]
    makes: Sequence[str]


@frozen(kw_only=True)
class Ledger:
    """Use cases for reading invoices, for admins, in their credential's environment.

    All of them raise ``Forbidden`` if the caller is not an admin.
    """

    read: OpenWork

    def page(
        self,
        filters: ListTransactions = ALL_TRANSACTIONS,
        caller: Caller = LOCAL,
        *,
        request: PageRequest = FIRST_PAGE,
    ) -> Page[Transaction]:
        """List invoices, the latest repair first unless another order is requested; a page beyond the last is empty.

        Raises:
            Invalid: on ``page``, ``per_page``, ``sort`` or ``cursor``, or on ``date_to`` if it is before ``date_from``.
        """
        require_admin(caller)
        require_page(request.number, request.per_page)
        wanted = filters.parse()
        with self.read() as work:
            return work.transactions.page(wanted, request, environment=caller.environment)

    def statistics(self, filters: ListTransactions = ALL_TRANSACTIONS, caller: Caller = LOCAL) -> Statistics:
        """Count invoices and add up their amounts, in total and by month.

        Raises:
            Invalid: on ``date_to`` if it is before ``date_from``.
        """
        require_admin(caller)
        wanted = filters.parse()
        with self.read() as work:
            months = work.transaction_sums.months(wanted, environment=caller.environment)
        return Statistics(months=tuple(reversed(months)))

    def get(self, transaction_id: int, caller: Caller = LOCAL) -> Transaction:
        """Return an invoice.

        Raises:
            NotFound: the invoice does not exist in the caller's environment.
        """
        require_admin(caller)
        with self.read() as work:
            return require_transaction(work, transaction_id, caller)

    def get_details(self, transaction_id: int, caller: Caller = LOCAL) -> TransactionDetails:
        """Return an invoice with the records that it refers to.

        Raises:
            NotFound: the invoice does not exist in the caller's environment.
        """
        require_admin(caller)
        with self.read() as work:
            transaction = require_transaction(work, transaction_id, caller)
            vehicle = work.vehicles.find(transaction.vehicle_id)
            problem = work.problems.find(transaction.problem_id)
            if vehicle is None or problem is None:  # deleted in the meantime, along with the invoice
                raise TransactionNotFound
            facility_id, prediction_id = transaction.facility_id, transaction.prediction_id
            return TransactionDetails(
                transaction=transaction,
                vehicle=vehicle,
                problem=problem,
                facility=None if facility_id is None else work.facilities.by_id(facility_id),
                prediction=None if prediction_id is None else work.past_predictions.get_entry(prediction_id),
            )

    def form_options(self, caller: Caller = LOCAL) -> FormOptions:
        """Return the options in a form that creates or filters invoices."""
        require_admin(caller)
        with self.read() as work:
            return FormOptions(
                problems=work.problems.list_all(),
                facilities=work.facilities.after(0, limit=FACILITIES_OFFERED),
                makes=[make_name(key) for key in work.transaction_sums.makes(caller.environment) if key],
            )


def require_transaction(work: PredictionsWork, transaction_id: int, caller: Caller) -> Transaction:
    """Return an invoice, within an open unit of work.

    Raises:
        NotFound: the invoice does not exist in the caller's environment.
    """
    is_possible = is_possible_id(transaction_id)
    found = work.transactions.by_id(transaction_id, environment=caller.environment) if is_possible else None
    if found is None:
        raise TransactionNotFound
    return found
