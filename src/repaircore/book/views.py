"""Repairs as they appear in other responses."""

from typing import Protocol, Self

from repaircore.book.fit import Fit, FitOutcome
from repaircore.kernel.views import view


class NamedProblem(Protocol):
    """A repair, as far as a response refers to it."""

    @property
    def id(self) -> int:
        """Return its id."""

    @property
    def slug(self) -> str:
        """Return its slug."""

    @property
    def display_name(self) -> str:
        """Return its name under its category."""


@view
class ProblemSummaryView:
    """A repair by its names; ``display_name`` is ``Parent > Child``."""

    id: int
    slug: str
    display_name: str

    @classmethod
    def of(cls, problem: NamedProblem) -> Self:
        """Return a repair's names."""
        return cls(id=problem.id, slug=problem.slug, display_name=problem.display_name)


@view
class FitView:
    """Whether a repair fits a vehicle; ``reason`` says why not, or what is unknown."""

    outcome: FitOutcome
    reason: str | None

    @classmethod
    def of(cls, fit: Fit) -> Self:
        """Return whether it fits, and why not."""
        return cls(outcome=fit.outcome, reason=fit.reason)
