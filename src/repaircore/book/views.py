"""Repairs as they appear in other responses."""

from typing import Protocol, Self

from repaircore.book.fit import Fit, FitOutcome
from repaircore.kernel.views import view


class NamedProblem(Protocol):
    """What a response needs to refer to a repair."""

    @property
    def id(self) -> int:
        """Its ID."""

    @property
    def slug(self) -> str:
        """Its slug."""

    @property
    def display_name(self) -> str:
        """Its name with its category."""


@view
class ProblemSummaryView:
    """A repair, identified by its ID and names; ``display_name`` is ``Parent > Child``."""

    id: int
    slug: str
    display_name: str

    @classmethod
    def of(cls, problem: NamedProblem) -> Self:
        """Return the view of a repair."""
        return cls(id=problem.id, slug=problem.slug, display_name=problem.display_name)


@view
class FitView:
    """Whether a repair fits a vehicle; ``reason`` says why not, or what is unknown."""

    outcome: FitOutcome
    reason: str | None

    @classmethod
    def of(cls, fit: Fit) -> Self:
        """Return the view of a fit."""
        return cls(outcome=fit.outcome, reason=fit.reason)
