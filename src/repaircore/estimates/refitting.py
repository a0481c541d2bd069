"""Fitting the estimates anew to what was learned."""

import math
from collections.abc import Mapping, Sequence

from attrs import frozen

from repaircore.estimates.book_price import book_spread
from repaircore.estimates.ports import Begin
from repaircore.estimates.refit import Refit, refit
from repaircore.estimates.variances import Variances, variances_of
from repaircore.kernel.audit import Shown
from repaircore.kernel.callers import LOCAL, Caller, Environment
from repaircore.kernel.errors import Forbidden
from repaircore.kernel.types import Clock
from repaircore.problems.model import Problem
from repaircore.transactions.evidence import GRAIN, Cell, CellKey, Level

__all__ = ["Refits", "Refitted", "RefittedProblem", "off_book_percent", "spread_percent"]


@frozen(kw_only=True)
class RefittedProblem:
    """A repair before and after: ``before`` is the book's where it was never fitted."""

    id: int
    slug: str
    display_name: str
    invoices: int
    before: Variances
    after: Variances


@frozen(kw_only=True)
class Refitted:
    """What a refit found; ``problems`` have invoices, the one with the most first."""

    environment: Environment
    problems: Sequence[RefittedProblem]

    @property
    def invoices(self) -> int:
        """Count what it was fitted to."""
        return sum(problem.invoices for problem in self.problems)


@frozen(kw_only=True)
class Refits:
    """The use case of a refit."""

    begin: Begin
    clock: Clock

    def refit(self, caller: Caller = LOCAL) -> Refitted:
        """Learn from the invoices of the caller's environment how much repairs, makes, models and years differ.

        Estimates go by it at once; what is remembered stays. It rests on the sums alone, so that doing it
        again changes nothing. Invoices wait until it is done, and can be taken out as before.

        Raises:
            Forbidden: the caller is not an admin.
        """
        if not caller.is_admin:
            raise Forbidden
        with self.begin() as work:
            known = work.problems.all()
            cells = list(work.fits.cells(caller.environment))
            before = work.fits.variances(caller.environment)
            found = refit(cells, {problem.id: book_spread(problem) for problem in known})
            work.fits.keep(caller.environment, found)
            told = _told(caller.environment, known, before, found, counts=_counts(cells))
            work.audit.add(
                caller,
                "estimates.refit",
                f"estimates/{caller.environment}",
                before=_summary(before),
                after=_summary(found.variances),
                at=self.clock(),
            )
        return told


def _percent(log: float) -> float:
    """Give a logarithm in percent, one decimal: 0.0953 is 10."""
    return round(100 * math.expm1(log), 1)


def spread_percent(variances: Variances) -> float:
    """Give how far invoices of one kind of vehicle commonly lie apart, in percent."""
    return _percent(math.sqrt(variances.within))


def off_book_percent(variances: Variances) -> float:
    """Give how far invoices lie above the repair book on the whole, in percent."""
    return _percent(variances.center * GRAIN)


def _counts(cells: Sequence[tuple[CellKey, Cell]]) -> Mapping[int, int]:
    return {key.problem_id: cell.w for key, cell in cells if key.level is Level.PROBLEM}


def _told(
    environment: Environment,
    known: Sequence[Problem],
    before: Mapping[int, Variances],
    found: Refit,
    *,
    counts: Mapping[int, int],
) -> Refitted:
    problems = [
        RefittedProblem(
            id=problem.id,
            slug=problem.slug,
            display_name=problem.display_name,
            invoices=counts[problem.id],
            before=before.get(problem.id) or variances_of(book_spread(problem)),
            after=found.variances[problem.id],
        )
        for problem in known
        if problem.id in found.variances
    ]
    return Refitted(
        environment=environment,
        problems=sorted(problems, key=lambda one: (-one.invoices, one.id)),
    )


def _summary(fitted: Mapping[int, Variances]) -> Shown:
    """Sum up for the audit log: of how many repairs, and the mean spread of their invoices."""
    spreads = [math.sqrt(one.within) for one in fitted.values()]
    return {
        "repairs": len(spreads),
        "mean_spread_percent": _percent(sum(spreads) / len(spreads)) if spreads else None,
    }
