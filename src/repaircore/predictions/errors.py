"""Errors for predictions."""

from collections.abc import Sequence
from typing import ClassVar

from repaircore.book.views import NamedProblem, ProblemSummaryView
from repaircore.json_text import plain
from repaircore.kernel.errors import Unresolvable


class ProblemDoesNotFit(Unresolvable):
    """The vehicle cannot have this repair; ``alternatives`` are the most similar repairs that it can have."""

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
                "problem": plain(ProblemSummaryView.of(problem)),
                "alternatives": [plain(ProblemSummaryView.of(other)) for other in alternatives],
            },
        )
        self.problem = problem
        self.alternatives = tuple(alternatives)
