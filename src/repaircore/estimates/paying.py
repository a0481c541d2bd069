"""Telling what was paid for a repair."""

from typing import Final

from attrs import frozen

from repaircore.estimates.ports import Begin
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.errors import Forbidden, Invalid
from repaircore.kernel.spelling import make_key
from repaircore.problems.errors import ProblemNotFound
from repaircore.problems.model import Problem
from repaircore.transactions.paid import Paid, paid_of

__all__ = ["PAYMENTS_READ", "PaidFor", "PaidPrices"]

PAYMENTS_READ: Final = 200_000
"""So many of the latest repairs are looked at."""

_LONGEST_MAKE: Final = 100


@frozen(kw_only=True)
class PaidFor:
    """A repair, on one make or on all, and what was paid for it; None where there is no invoice."""

    problem: Problem
    make: str | None
    paid: Paid | None


@frozen(kw_only=True)
class PaidPrices:
    """The use case of what was paid."""

    look: Begin

    def of(self, problem_id: int, *, make: str | None = None, caller: Caller = LOCAL) -> PaidFor:
        """Tell what the latest 200,000 invoices of a repair say, in the caller's environment.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``make``.
            ProblemNotFound: there is no such repair.
        """
        if not caller.is_admin:
            raise Forbidden
        if make is not None and not 0 < len(make) <= _LONGEST_MAKE:
            raise Invalid({"make": [f"The make field must have 1 to {_LONGEST_MAKE} characters."]})
        with self.look() as work:
            problem = work.problems.by_id(problem_id)
            if problem is None:
                raise ProblemNotFound
            key = None if make is None else make_key(make)
            payments = work.transactions.payments(
                problem_id, environment=caller.environment, make_key=key, limit=PAYMENTS_READ
            )
            return PaidFor(problem=problem, make=make, paid=paid_of(payments))
