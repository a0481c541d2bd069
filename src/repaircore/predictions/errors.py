"""What can go wrong with estimates."""

from collections.abc import Sequence
from typing import ClassVar, Protocol

from repaircore.kernel.errors import Unresolvable


class NamedProblem(Protocol):
    """A repair, as far as a refusal names it."""

    @property
    def id(self) -> int:
        """Return its id."""

    @property
    def slug(self) -> str:
        """Return its slug."""

    @property
    def display_name(self) -> str:
        """Return its name under its category."""


class ProblemDoesNotFit(Unresolvable):
    """The vehicle cannot have this repair; ``alternatives`` are the nearest ones that it can have."""

    code: ClassVar[str | None] = "PROBLEM_DOES_NOT_FIT"

    def __init__(
        self,
        problem: NamedProblem,
        reason: str,
        alternatives: Sequence[NamedProblem] = (),
    ) -> None:
        super().__init__(
            reason,
            details={
                "problem": _named(problem),
                "alternatives": [_named(one) for one in alternatives],
            },
        )
        self.problem = problem
        self.alternatives = tuple(alternatives)


def _named(problem: NamedProblem) -> dict[str, object]:
    return {"id": problem.id, "slug": problem.slug, "display_name": problem.display_name}
