"""A describer that returns scripted descriptions."""

from collections.abc import Sequence
from itertools import chain, repeat

from typing_extensions import override

from repaircore.book.model import Problem
from repaircore.kernel.errors import Unavailable
from repaircore.problems.ports import Describer


class ScriptedDescriber(Describer):
    """Returns the scripted descriptions in order, then repeats the last one.

    An answer is a description to return or an exception to raise.
    """

    def __init__(self, *answers: str | Unavailable, source: str = "scripted") -> None:
        if not answers:
            raise ValueError("A script needs at least one answer.")
        self._answers = chain(answers, repeat(answers[-1]))
        self._source = source
        self._described: list[Problem] = []

    @property
    @override
    def source(self) -> str:
        return self._source

    @property
    def described(self) -> Sequence[Problem]:
        """Return the repairs described so far, in order."""
        return tuple(self._described)

    @override
    def describe(self, problem: Problem, *, seconds: float) -> str:
        self._described.append(problem)
        answer = next(self._answers)
        if isinstance(answer, Unavailable):
            # Otherwise, each raise would add to the traceback of the previous one.
            raise answer.with_traceback(None)
        return answer
