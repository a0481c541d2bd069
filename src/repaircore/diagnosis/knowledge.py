"""What a diagnosis knows: which repair shows which symptoms and causes which codes, indexed for speed."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, TypeAlias

from attrs import frozen

from repaircore.book.model import Problem
from repaircore.book.vocabulary import Vocabulary
from repaircore.complaints.lexicon import Lexicon
from repaircore.complaints.sayings import Sayings
from repaircore.complaints.sentences import SentenceReader
from repaircore.diagnosis.priors import prior_bits, with_seen
from repaircore.kernel.traits import Powertrain
from repaircore.problems.language import Language
from repaircore.problems.search import ProblemIndex
from repaircore.problems.words import stem, words
from repaircore.trouble_codes.model import Cause, TroubleCode
from repaircore.trouble_codes.table import CodeTable
from repaircore.word_model.groups import Groups
from repaircore.word_model.model import NO_WORDS, WordModel

# How alike a text is to what the book says of each repair: the cosine of TF-IDF vectors.
#
# Unlike the search (``problems/search.py``), which reads what somebody types into a box, this reads a text of any length.


_MOST_WORDS = 1000


class BookMatch:
    """The book's texts, made ready to be compared with. Nothing in it changes, so threads may share it."""

    def __init__(self, problems: Sequence[Problem], symptoms: Mapping[str, str]) -> None:
        """Take the repairs, in the order of their numbers, and what symptoms are called."""
        texts = [_stems(_text_book_match(one, symptoms)) for one in problems]
        often = Counter(word for text in texts for word in set(text))
        self._rarity = {word: math.log((1 + len(texts)) / (1 + number)) + 1 for word, number in often.items()}
        self._by_word: dict[str, list[tuple[int, float]]] = {}
        for number, text in enumerate(texts):
            for word, weight in self._vector(text).items():
                self._by_word.setdefault(word, []).append((number, weight))

    def likeness(self, text: str) -> Mapping[int, float]:
        """Return how alike the text is to each repair that it shares a word with, 0 to 1, by the repairs' numbers."""
        alike: dict[int, float] = {}
        for word, weight in self._vector(_stems(text)[:_MOST_WORDS]).items():
            for number, other in self._by_word[word]:
                alike[number] = alike.get(number, 0.0) + weight * other
        return alike

    def _vector(self, stems: Iterable[str]) -> dict[str, float]:
        counts = Counter(word for word in stems if word in self._rarity)
        vector = {word: (1 + math.log(often)) * self._rarity[word] for word, often in counts.items()}
        length = math.sqrt(math.fsum(weight * weight for weight in vector.values())) or 1.0
        return {word: weight / length for word, weight in vector.items()}


def _stems(text: str) -> list[str]:
    return [stem(word) for word in words(text)]


def _text_book_match(problem: Problem, symptoms: Mapping[str, str]) -> str:
    parts = (part.name for part in problem.parts)
    shown = (symptoms.get(one.slug, "") for one in problem.symptoms)
    return " ".join(
        (problem.name, problem.parent.name, problem.description, *problem.keywords, *parts, *shown)
    )


LEAK: Final = 0.03
"""How often a symptom is told of although the repair that is needed does not explain it.

Something else may be wrong as well, and words may be misread.
"""

_NEAR_DANGER: Final = 4
"""The words of a danger stand near one another: words that are strewn over a sentence tell of none."""

_GAS: Final = Powertrain.GAS

_MOST_CAUSES: Final = 0.95
"""However many causes a code names: in so many cases at most it is one of them."""


@frozen
class SymptomLink:
    """What a symptom or a code has to do with a repair.

    Args:
        repair: the number of the repair.
        share: what the book says: of those that need the repair, how many show the symptom; of those that
            store the code, how many need the repair.
        there: how much it speaks for the repair when it is there, in bits; never less than 0.
        missing: how much it speaks for the repair when it is not there, in bits; never more than 0.
    """

    repair: int
    share: float
    there: float
    missing: float = 0.0


Doubt: TypeAlias = tuple[int, float, float]
"""A repair, by its number, the chance that it shows a symptom, and the surprise in that, in bits."""


class Knowledge:
    """The book's repairs, symptoms and codes, made ready. Nothing in it changes, so threads may share it.

    Args:
        problems: the repairs of the book.
        vocabulary: what the symptoms are called, and the words of everyday speech.
        codes: the trouble codes that are known.
        lexicon: how owners tell of symptoms.
        groups: the groups of repairs that the word model tells apart.
        word_model: what was learned from labeled complaints.
    """

    def __init__(
        self,
        problems: Iterable[Problem],
        vocabulary: Vocabulary,
        codes: CodeTable | Iterable[TroubleCode] = (),
        lexicon: Lexicon | None = None,
        *,
        groups: Groups | None = None,
        word_model: WordModel = NO_WORDS,
    ) -> None:
        self.problems: Final[Sequence[Problem]] = tuple(sorted(problems, key=lambda one: one.id))
        self.numbers: Final[Mapping[str, int]] = {one.slug: at for at, one in enumerate(self.problems)}
        self.priors: Final[Sequence[float]] = with_seen(
            tuple(map(prior_bits, self.problems)),
            [word_model.seen.get(one.slug, 0.0) for one in self.problems],
        )
        self.symptoms: Final[Mapping[str, str]] = dict(vocabulary.symptoms)
        self.code_table: Final = codes if isinstance(codes, CodeTable) else CodeTable(codes)
        self.codes: Final = self.code_table.standard
        self.special: Final = frozenset(
            at
            for at, one in enumerate(self.problems)
            if one.fits.powertrains and _GAS not in one.fits.powertrains
        )
        self.by_symptom: Final = _by_symptom(self.problems)
        self.doubts: Final = {slug: _doubts(links) for slug, links in self.by_symptom.items()}
        self._whole: Final = math.fsum(2.0**prior for prior in self.priors)
        # Thousands of codes share a few hundred lists of causes.
        self._links: Final = {
            causes: self._weighed(causes) for causes in {one.causes for one in self.code_table}
        }
        self.lexicon: Final = Lexicon() if lexicon is None else lexicon
        self.word_model: Final = word_model
        self.group_numbers: Final = _group_numbers(self.problems, groups or Groups(), word_model.groups)
        self._vocabulary = vocabulary

    @cached_property
    def index(self) -> ProblemIndex:
        """Finds repairs by their words."""
        return ProblemIndex(self.problems, self._vocabulary)

    @cached_property
    def book_match(self) -> BookMatch:
        """Compares texts with what the book says."""
        return BookMatch(self.problems, self.symptoms)

    @cached_property
    def hearing(self) -> SentenceReader:
        """Reads texts with the lexicon in mind."""
        return SentenceReader(self.lexicon, self._vocabulary, self._said | self.word_model.words)

    @cached_property
    def sayings(self) -> Sayings:
        """Finds symptoms in sentences."""
        return Sayings(self.hearing, self.lexicon.said)

    @cached_property
    def dangers(self) -> Sayings:
        """Finds dangers in sentences, and what only sounds like one."""
        return Sayings(self.hearing, self.lexicon.dangers, near=_NEAR_DANGER)

    def says(self, stem: str) -> bool:
        """Tell whether the book says a word."""
        return stem in self._said

    def question(self, symptom: str) -> str:
        """Ask after a symptom, in words for owners."""
        return self.lexicon.asked.get(symptom) or f"Do you notice this: {self.called(symptom)}?"

    def called(self, symptom: str) -> str:
        """Give what a symptom is called."""
        return self.symptoms.get(symptom, symptom)

    def links(self, code: TroubleCode) -> Sequence[SymptomLink]:
        """Return what a code of the table has to do with each of its causes."""
        return self._links[code.causes]

    def _weighed(self, causes: Iterable[Cause]) -> Sequence[SymptomLink]:
        """Weigh causes so that, when nothing else is known, each is as likely as the table says."""
        shares = {self.numbers[one.repair]: one.likelihood for one in causes if one.repair in self.numbers}
        before = {number: 2.0 ** self.priors[number] / self._whole for number in shares}
        others = (1 - math.fsum(before.values())) / (1 - min(_MOST_CAUSES, math.fsum(shares.values())))
        return tuple(
            SymptomLink(number, share, max(0.0, math.log2(share / before[number] * others)))
            for number, share in shares.items()
        )

    @cached_property
    def _said(self) -> frozenset[str]:
        language = Language(self._vocabulary)
        return frozenset(one for problem in self.problems for one in language.all_stems(_text(problem)))


def surprise(chance: float) -> float:
    """Give the entropy of something that is so or is not, in bits."""
    return -math.fsum(one * math.log2(one) for one in (chance, 1 - chance) if one > 0)


def shown(share: float) -> float:
    """Give the chance that a symptom is told of: because of the repair, or for any other reason."""
    return 1 - (1 - share) * (1 - LEAK)


def _by_symptom(problems: Sequence[Problem]) -> Mapping[str, Sequence[SymptomLink]]:
    links: dict[str, list[SymptomLink]] = {}
    for number, problem in enumerate(problems):
        for symptom in problem.symptoms:
            chance = shown(symptom.share)
            there, missing = math.log2(chance / LEAK), math.log2((1 - chance) / (1 - LEAK))
            links.setdefault(symptom.slug, []).append(SymptomLink(number, symptom.share, there, missing))
    return links


def _group_numbers(problems: Sequence[Problem], groups: Groups, known: Sequence[str]) -> Mapping[int, int]:
    """Map the numbers of repairs to those of their groups in the word model; who is in none is left out."""
    at = {slug: number for number, slug in enumerate(known)}
    named = ((number, groups.of(one.slug)) for number, one in enumerate(problems))
    return {number: at[group] for number, group in named if group in at}


def _doubts(links: Iterable[SymptomLink]) -> Sequence[Doubt]:
    return tuple((link.repair, shown(link.share), surprise(shown(link.share))) for link in links)


def _text(problem: Problem) -> str:
    parts = (part.name for part in problem.parts)
    return " ".join((problem.name, problem.description, problem.parent.name, *problem.keywords, *parts))
