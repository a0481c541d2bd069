"""What a diagnosis knows: which repair shows which symptoms and causes which codes, indexed for speed."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

from repaircore.diagnostics.codes import TroubleCode
from repaircore.problems.language import Language
from repaircore.problems.model import Problem
from repaircore.problems.search import ProblemIndex
from repaircore.problems.vocabulary import Vocabulary

__all__ = ["Knowledge"]


class Knowledge:
    """The book's repairs, symptoms and codes, made ready. Nothing in it changes, so threads may share it.

    Args:
        problems: the repairs of the book.
        vocabulary: what the symptoms are called, and the words of everyday speech.
        codes: the trouble codes that are known.
    """

    def __init__(
        self, problems: Iterable[Problem], vocabulary: Vocabulary, codes: Iterable[TroubleCode] = ()
    ) -> None:
        self.problems: Final[Sequence[Problem]] = tuple(sorted(problems, key=lambda one: one.id))
        self.vocabulary: Final = vocabulary
        self.symptoms: Final[Mapping[str, str]] = dict(vocabulary.symptoms)
        self.codes: Final[Mapping[str, TroubleCode]] = {one.code: one for one in codes}
        self.number_of: Final[Mapping[str, int]] = {one.slug: at for at, one in enumerate(self.problems)}
        self.shares: Final = _shares(self.problems)
        self.rates: Final = tuple(math.log2(12 / one.recurrence.months) for one in self.problems)

    @cached_property
    def language(self) -> Language:
        """Reads texts with the vocabulary in mind."""
        return Language(self.vocabulary)

    @cached_property
    def index(self) -> ProblemIndex:
        """Finds repairs by their words."""
        return ProblemIndex(self.problems, self.vocabulary)


def _shares(problems: Sequence[Problem]) -> Mapping[str, Mapping[int, float]]:
    """Map each symptom to the repairs that explain it, by number, with the share that shows it."""
    shares: dict[str, dict[int, float]] = {}
    for number, problem in enumerate(problems):
        for symptom in problem.symptoms:
            shares.setdefault(symptom.slug, {})[number] = symptom.share
    return shares
