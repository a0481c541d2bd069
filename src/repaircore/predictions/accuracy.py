"""Comparing past predictions with the invoices that name them."""

from collections.abc import Sequence
from typing import Final

from attrs import frozen

from repaircore.kernel.callers import LOCAL, Caller, Environment, require_admin
from repaircore.predictions.ports import OpenWork
from repaircore.predictions.track_record import (
    Accuracy,
    AnsweredPrediction,
    Reliability,
    accuracy_of,
    by_problem,
    reliability_of,
)

INVOICES_READ: Final = 10_000
"""How many of the newest linked invoices are reported on."""


@frozen(kw_only=True)
class ProblemAccuracy:
    """The accuracy of one repair's predictions."""

    id: int
    slug: str
    display_name: str
    invoices: int
    accuracy: Accuracy


@frozen(kw_only=True)
class AccuracyReport:
    """The accuracy of all predictions that an invoice names, and of each repair's, the most common repair first.

    ``answered`` are the predictions themselves, in the order in which their invoices were entered.
    """

    environment: Environment
    invoices: int
    overall: Accuracy
    problems: Sequence[ProblemAccuracy]
    reliability: Sequence[Reliability]
    answered: Sequence[AnsweredPrediction]


@frozen(kw_only=True)
class AccuracyReports:
    """The use case of reporting accuracy."""

    read: OpenWork

    def report(self, caller: Caller = LOCAL) -> AccuracyReport:
        """Return how predictions of the caller's environment compare with the newest 10,000 invoices that name them.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        with self.read() as work:
            answered = work.past_predictions.list_answered(caller.environment, limit=INVOICES_READ)
            groups = by_problem(answered)
            problems = {problem_id: work.problems.find(problem_id) for problem_id in groups}
        return AccuracyReport(
            environment=caller.environment,
            invoices=len(answered),
            answered=answered,
            overall=accuracy_of(answered),
            reliability=reliability_of(answered),
            problems=[
                ProblemAccuracy(
                    id=problem.id,
                    slug=problem.slug,
                    display_name=problem.display_name,
                    invoices=len(groups[problem_id]),
                    accuracy=accuracy_of(groups[problem_id]),
                )
                for problem_id, problem in problems.items()
                if problem is not None
            ],
        )
