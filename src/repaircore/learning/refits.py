"""Refits: fit the variances of estimates to all invoices."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import frozen

from repaircore.book.model import Problem
from repaircore.kernel.audit import AuditState
from repaircore.kernel.callers import LOCAL, Caller, Environment, require_admin
from repaircore.kernel.types import Clock
from repaircore.learning.refit import Refit, refit
from repaircore.predictions.ports import OpenWork, PredictionsWork
from repaircore.pricing.book_price import book_spread
from repaircore.pricing.variances import Variances, variances_of
from repaircore.transactions.evidence import EVERY_PROBLEM, GRAIN, Cell, CellKey
from repaircore.transactions.levels import Level

_CELLS: Final = 3_000
"""The maximum number of cells that are moved to another center while the lock is held."""

_FIRST: Final = 20
"""The minimum number of invoices for the first refit."""


@frozen(kw_only=True)
class RefittedProblem:
    """A repair's variances before and after; ``before`` are the book's if it was never fitted."""

    id: int
    slug: str
    display_name: str
    invoices: int
    before: Variances
    after: Variances


@frozen(kw_only=True)
class Refitted:
    """The result of a refit; ``problems`` are those with invoices, most invoices first."""

    environment: Environment
    problems: Sequence[RefittedProblem]

    @property
    def invoices(self) -> int:
        """Return the number of invoices in the fit."""
        return sum(problem.invoices for problem in self.problems)


@frozen(kw_only=True)
class Refits:
    """Fits the variances of estimates to all invoices."""

    transaction: OpenWork
    read: OpenWork
    clock: Clock

    def refit(self, caller: Caller = LOCAL) -> Refitted:
        """Learn from the invoices of the caller's environment how much repairs, makes, models and years differ.

        Estimates use the result at once; cached answers stay. The result depends only on the sums and the imported
        priors, so repeating a refit changes nothing. The sums are read without a lock and the repairs are written in
        pieces, so that other writers never wait long. Invoices from before a refit can still be removed after it.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        with self.read() as work:
            known = work.problems.list_all()
            cells = list(work.fits.cells(caller.environment))
            before = work.fits.variances(caller.environment)
            priors = work.priors.fits(caller.environment)
        found = refit(cells, {problem.id: book_spread(problem) for problem in known}, priors)
        for piece in _pieces(_in_order(before, found), cells):
            with self.transaction() as work:
                work.fits.save(
                    caller.environment,
                    {problem_id: found.variances.get(problem_id) for problem_id in piece},
                )
        report = _report(caller.environment, known, before, found, counts=_counts(cells))
        with self.transaction() as work:
            work.fits.mark(caller.environment, report.invoices)
            work.audit.add(
                caller,
                "estimates.refit",
                f"estimates/{caller.environment}",
                before=_summary(before),
                after=_summary(found.variances),
                at=self.clock(),
            )
        return report


def refit_within(work: PredictionsWork, environment: Environment, known: Sequence[Problem]) -> None:
    """Refit in an open unit of work; only for short histories, because other writers wait."""
    cells = list(work.fits.cells(environment))
    before = work.fits.variances(environment)
    priors = work.priors.fits(environment)
    found = refit(cells, {problem.id: book_spread(problem) for problem in known}, priors)
    work.fits.save(
        environment,
        {
            problem_id: found.variances.get(problem_id)
            for problem_id in _in_order(before, found)
            if before.get(problem_id) != found.variances.get(problem_id)
        },
    )
    work.fits.mark(environment, sum(_counts(cells).values()))


def refit_is_due(invoices: int, fitted: int, *, most: int) -> bool:
    """Return whether a refit between the nightly ones is due.

    It is due when the history has doubled, with at least 20 new invoices, or has grown by ``most``.
    """
    return invoices - fitted >= min(most, max(_FIRST, fitted))


def _in_order(before: Mapping[int, Variances], found: Refit) -> Sequence[int]:
    """Return the ids of the problems to write; ``EVERY_PROBLEM`` is last, as it also moves problems without a fit."""
    return sorted({*before, *found.variances}, reverse=True)


def _pieces(problem_ids: Iterable[int], cells: Iterable[tuple[CellKey, Cell]]) -> Iterator[Sequence[int]]:
    """Split problems into pieces with few cells each: other writers wait while one is written."""
    sizes = Counter(key.problem_id for key, _ in cells)
    piece: list[int] = []
    for problem_id in problem_ids:
        if piece and sum(sizes[number] for number in (*piece, problem_id)) > _CELLS:
            yield piece
            piece = []
        piece.append(problem_id)
    yield piece


def _percent(log: float) -> float:
    """Return a logarithm as a percentage with one decimal: 0.0953 becomes 10.0."""
    return round(100 * math.expm1(log), 1)


def spread_percent(variances: Variances) -> float:
    """Return the spread of invoices for one kind of vehicle, in percent."""
    return _percent(math.sqrt(variances.within))


def off_book_percent(variances: Variances) -> float:
    """Return how far invoices lie above the repair book, in percent."""
    return _percent(variances.center * GRAIN)


def _counts(cells: Sequence[tuple[CellKey, Cell]]) -> Mapping[int, int]:
    return {
        key.problem_id: cell.w
        for key, cell in cells
        if key.level is Level.PROBLEM and key.problem_id != EVERY_PROBLEM
    }


def _report(
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
        if problem.id in found.variances and problem.id in counts
    ]
    return Refitted(
        environment=environment, problems=sorted(problems, key=lambda listed: (-listed.invoices, listed.id))
    )


def _summary(fitted: Mapping[int, Variances]) -> AuditState:
    """Return the number of repairs and the mean spread of their invoices, for the audit log."""
    spreads = [math.sqrt(prior.within) for number, prior in fitted.items() if number != EVERY_PROBLEM]
    return {
        "repairs": len(spreads),
        "mean_spread_percent": _percent(sum(spreads) / len(spreads)) if spreads else None,
    }
