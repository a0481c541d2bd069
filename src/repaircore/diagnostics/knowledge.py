"""What a diagnosis knows: which repair shows which symptoms and causes which codes, indexed for speed."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

from attrs import frozen

from repaircore.diagnostics.codes import TroubleCode
from repaircore.diagnostics.lexicon import Lexicon
from repaircore.diagnostics.priors import prior_bits
from repaircore.diagnostics.sayings import Sayings
from repaircore.diagnostics.sentences import Hearing
from repaircore.problems.language import Language
from repaircore.problems.model import Problem
from repaircore.problems.search import ProblemIndex
from repaircore.problems.vocabulary import Vocabulary

__all__ = ["LEAK", "Knowledge", "Link", "surprise"]

LEAK: Final = 0.03
"""How often a symptom is told of although the repair that is needed does not explain it.

Something else may be wrong as well, and words may be misread.
"""

_CODE_LEAK: Final = 0.004
"""How often a code is stored although the repair that is needed does not cause it: a computer mishears less."""


@frozen
class Link:
    """What a symptom or a code has to do with a repair, which is named by its number.

    Args:
        repair: the number of the repair.
        share: what the book says: how many of those that need the repair show it.
        shown: the chance that it shows, for that or for any other reason.
        leak: the chance that it shows with a repair that has nothing to do with it.
    """

    repair: int
    share: float
    shown: float
    leak: float

    @property
    def there(self) -> float:
        """Say how much it speaks for the repair that it is there, in bits; never less than 0."""
        return math.log2(self.shown / self.leak)

    @property
    def missing(self) -> float:
        """Say how much it speaks for the repair that it is not there, in bits; never more than 0."""
        return math.log2((1 - self.shown) / (1 - self.leak))


class Knowledge:
    """The book's repairs, symptoms and codes, made ready. Nothing in it changes, so threads may share it.

    Args:
        problems: the repairs of the book.
        vocabulary: what the symptoms are called, and the words of everyday speech.
        codes: the trouble codes that are known.
        lexicon: how owners tell of symptoms.
    """

    def __init__(
        self,
        problems: Iterable[Problem],
        vocabulary: Vocabulary,
        codes: Iterable[TroubleCode] = (),
        lexicon: Lexicon | None = None,
    ) -> None:
        self.problems: Final[Sequence[Problem]] = tuple(sorted(problems, key=lambda one: one.id))
        self.numbers: Final[Mapping[str, int]] = {one.slug: at for at, one in enumerate(self.problems)}
        self.priors: Final[Sequence[float]] = tuple(map(prior_bits, self.problems))
        self.symptoms: Final[Mapping[str, str]] = dict(vocabulary.symptoms)
        self.codes: Final[Mapping[str, TroubleCode]] = {one.code: one for one in codes}
        self.by_symptom: Final = _by_symptom(self.problems)
        self.by_code: Final = {slug: tuple(self._causes(code)) for slug, code in self.codes.items()}
        self.lexicon: Final = Lexicon() if lexicon is None else lexicon
        self._vocabulary = vocabulary

    @cached_property
    def index(self) -> ProblemIndex:
        """Finds repairs by their words."""
        return ProblemIndex(self.problems, self._vocabulary)

    @cached_property
    def hearing(self) -> Hearing:
        """Reads texts with the lexicon in mind."""
        return Hearing(self.lexicon, self._vocabulary, self._said)

    @cached_property
    def sayings(self) -> Sayings:
        """Finds symptoms in sentences."""
        return Sayings(self.hearing, self.lexicon.said)

    @cached_property
    def doubts(self) -> Mapping[str, Sequence[tuple[int, float, float]]]:
        """Map each symptom to the repairs that explain it: number, chance to show, and surprise in that."""
        return {
            slug: tuple((link.repair, link.shown, surprise(link.shown)) for link in links)
            for slug, links in self.by_symptom.items()
        }

    def says(self, stem: str) -> bool:
        """Tell whether the book says a word."""
        return stem in self._said

    def question(self, symptom: str) -> str:
        """Ask after a symptom, in words for owners."""
        return self.lexicon.asked.get(symptom) or f"Do you notice this: {self.called(symptom)}?"

    def called(self, symptom: str) -> str:
        """Give what a symptom is called."""
        return self.symptoms.get(symptom, symptom)

    def _causes(self, code: TroubleCode) -> Iterable[Link]:
        for cause in code.causes:
            number = self.numbers.get(cause.repair)
            if number is not None:
                yield _link(number, cause.likelihood, _CODE_LEAK)

    @cached_property
    def _said(self) -> frozenset[str]:
        language = Language(self._vocabulary)
        return frozenset(one for problem in self.problems for one in language.all_stems(_text(problem)))


def surprise(chance: float) -> float:
    """Give the entropy of something that is so or is not, in bits."""
    return -math.fsum(one * math.log2(one) for one in (chance, 1 - chance) if one > 0)


def _by_symptom(problems: Sequence[Problem]) -> Mapping[str, Sequence[Link]]:
    links: dict[str, list[Link]] = {}
    for number, problem in enumerate(problems):
        for symptom in problem.symptoms:
            links.setdefault(symptom.slug, []).append(_link(number, symptom.share, LEAK))
    return links


def _link(repair: int, share: float, leak: float) -> Link:
    return Link(repair, share, 1 - (1 - share) * (1 - leak), leak)


def _text(problem: Problem) -> str:
    parts = (part.name for part in problem.parts)
    return " ".join((problem.name, problem.description, problem.parent.name, *problem.keywords, *parts))
