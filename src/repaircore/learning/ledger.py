"""Looking through past repairs."""

from collections.abc import Sequence
from typing import Final

from attrs import frozen
from typing_extensions import Unpack

from repaircore.book.model import Problem
from repaircore.facilities.model import Facility
from repaircore.kernel.callers import LOCAL, Caller, require_admin
from repaircore.kernel.errors import Invalid
from repaircore.kernel.ids import is_possible_id
from repaircore.kernel.paging import PER_PAGE, Page, require_page
from repaircore.kernel.spelling import make_key, make_name
from repaircore.predictions.model import HistoryEntry
from repaircore.predictions.ports import OpenWork, PredictionsWork
from repaircore.problems.errors import ProblemNotFound
from repaircore.transactions.errors import TransactionNotFound
from repaircore.transactions.listing import Statistics, TransactionFilterInput, wanted
from repaircore.transactions.model import Transaction
from repaircore.transactions.price_history import Paid, paid_of
from repaircore.vehicles.model import Vehicle

# Telling what was paid for a repair.


PAYMENTS_READ: Final = 200_000
"""So many of the latest repairs are looked at."""

_LONGEST_MAKE: Final = 100


@frozen(kw_only=True)
class PriceHistory:
    """A repair, on one make or on all, and what was paid for it; None where there is no invoice."""

    problem: Problem
    make: str | None
    paid: Paid | None


@frozen(kw_only=True)
class PriceHistories:
    """The use case of what was paid."""

    read: OpenWork

    def of(self, problem_id: int, *, make: str | None = None, caller: Caller = LOCAL) -> PriceHistory:
        """Tell what the latest 200,000 invoices of a repair say, in the caller's environment.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``make``.
            ProblemNotFound: there is no such repair.
        """
        require_admin(caller)
        if make is not None and not 0 < len(make) <= _LONGEST_MAKE:
            raise Invalid({"make": [f"The make field must have 1 to {_LONGEST_MAKE} characters."]})
        with self.read() as work:
            problem = work.problems.find(problem_id) if is_possible_id(problem_id) else None
            if problem is None:
                raise ProblemNotFound
            key = None if make is None else make_key(make)
            payments = work.transactions.payments(
                problem_id, environment=caller.environment, make_key=key, limit=PAYMENTS_READ
            )
            return PriceHistory(problem=problem, make=make, paid=paid_of(payments))


FACILITIES_OFFERED: Final = 1_000
"""A form that offers more is of no use; others are looked up in the list of regions."""


@frozen(kw_only=True)
class TransactionDetails:
    """An invoice with what it names; ``prediction`` is the one that it answers."""

    transaction: Transaction
    vehicle: Vehicle
    problem: Problem
    facility: Facility | None
    prediction: HistoryEntry | None


@frozen(kw_only=True)
class FormChoices:
    """What a form may offer: every repair, shops, and the makes that there are invoices of."""

    problems: Sequence[Problem]
    facilities: Sequence[Facility]
    makes: Sequence[str]


@frozen(kw_only=True)
class Ledger:
    """The use cases of those who look through invoices: admins, each in the environment of their credential.

    Every one of them raises ``Forbidden`` when the caller is not an admin.
    """

    read: OpenWork

    def page(
        self,
        *,
        number: int = 1,
        per_page: int = PER_PAGE,
        caller: Caller = LOCAL,
        **filters: Unpack[TransactionFilterInput],
    ) -> Page[Transaction]:
        """List invoices, the latest repair first; a page beyond the last is empty.

        Raises:
            Invalid: on ``page``, ``per_page``, and ``date_to`` before ``date_from``.
        """
        require_admin(caller)
        require_page(number, per_page)
        which = wanted(**filters)
        with self.read() as work:
            return work.transactions.page(
                which, environment=caller.environment, number=number, per_page=per_page
            )

    def statistics(self, caller: Caller = LOCAL, **filters: Unpack[TransactionFilterInput]) -> Statistics:
        """Count invoices and add them up, together and by month.

        Raises:
            Invalid: on ``date_to`` before ``date_from``.
        """
        require_admin(caller)
        which = wanted(**filters)
        with self.read() as work:
            months = work.transaction_sums.months(which, environment=caller.environment)
        return Statistics(months=tuple(reversed(months)))

    def show(self, transaction_id: int, caller: Caller = LOCAL) -> Transaction:
        """Give an invoice.

        Raises:
            NotFound: there is no such invoice in the caller's environment.
        """
        require_admin(caller)
        with self.read() as work:
            return invoice(work, transaction_id, caller)

    def details(self, transaction_id: int, caller: Caller = LOCAL) -> TransactionDetails:
        """Give an invoice with everything that it names.

        Raises:
            NotFound: there is no such invoice in the caller's environment.
        """
        require_admin(caller)
        with self.read() as work:
            one = invoice(work, transaction_id, caller)
            vehicle = work.vehicles.find(one.vehicle_id)
            problem = work.problems.find(one.problem_id)
            if vehicle is None or problem is None:  # gone at this moment, and the invoice before them
                raise TransactionNotFound
            return TransactionDetails(
                transaction=one,
                vehicle=vehicle,
                problem=problem,
                facility=None if one.facility_id is None else work.facilities.by_id(one.facility_id),
                prediction=None
                if one.prediction_id is None
                else work.past_predictions.get_entry(one.prediction_id),
            )

    def choices(self, caller: Caller = LOCAL) -> FormChoices:
        """Give what a form for an invoice, or for a search, may offer."""
        require_admin(caller)
        with self.read() as work:
            return FormChoices(
                problems=work.problems.list_all(),
                facilities=work.facilities.after(0, limit=FACILITIES_OFFERED),
                makes=[make_name(key) for key in work.transaction_sums.makes(caller.environment) if key],
            )


def invoice(work: PredictionsWork, transaction_id: int, caller: Caller) -> Transaction:
    """Give an invoice.

    Raises:
        NotFound: there is no such one in the caller's environment.
    """
    known = is_possible_id(transaction_id)
    kept = work.transactions.by_id(transaction_id, environment=caller.environment) if known else None
    if kept is None:
        raise TransactionNotFound
    return kept
