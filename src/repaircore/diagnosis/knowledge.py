"""The knowledge behind diagnoses: the symptoms and trouble codes of each repair, indexed for speed."""

import math
from array import array
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
from repaircore.danger_model.model import NO_OPINION, DangerModel
from repaircore.kernel.traits import Powertrain
from repaircore.problems.language import Language
from repaircore.problems.search import ProblemIndex
from repaircore.problems.words import stem, words
from repaircore.trouble_codes.model import Cause, TroubleCode
from repaircore.trouble_codes.table import CodeTable
from repaircore.word_model.groups import Groups
from repaircore.word_model.model import NO_WORDS, WordModel

# Prior probabilities of repairs, before any clue.

_DUE: Final = frozenset({"maintenance-due", "oil-change-due"})
"""Symptoms that are not noticed, because they follow from the calendar."""

_TRUST: Final = 0.5
"""How far to trust the book's intervals, from 0 to 1: vehicles with a complaint are not a random sample."""

_LEAST_FELT: Final = 0.01


def prior_bits(problem: Problem) -> float:
    """Return the base-2 logarithm of how often someone who notices something needs a repair.

    That is the frequency of the repair times the probability that its symptoms are noticed, to the power of ``_TRUST``.
    """
    silent = math.prod(1 - symptom.share for symptom in problem.symptoms if symptom.slug not in _DUE)
    felt = max(_LEAST_FELT, 1 - silent)
    return _TRUST * math.log2(felt * 12 / problem.recurrence.months)


_BOOK_COUNT: Final = 400.0
"""The number of counted cases that have the same weight as the frequencies in the book."""


def with_seen(bits: Sequence[float], seen: Sequence[float]) -> tuple[float, ...]:
    """Return the book's priors, combined with how often each repair was needed in counted cases (``seen``)."""
    if not any(seen):
        return tuple(bits)
    whole = math.fsum(2.0**prior for prior in bits)
    counted = math.fsum(seen)
    return tuple(
        math.log2((often + _BOOK_COUNT * 2.0**prior / whole) / (counted + _BOOK_COUNT))
        for prior, often in zip(bits, seen, strict=True)
    )


# The similarity of a complaint to the book's text on each repair: the cosine of TF-IDF vectors.
#
# Unlike the search (``problems/search.py``), which expects a few words in a box, it accepts text of any length.


_MOST_WORDS = 1000


class BookMatch:
    """The book's text on each repair as a vector. Instances are immutable, so threads may share them."""

    def __init__(self, problems: Sequence[Problem], symptoms: Mapping[str, str]) -> None:
        """Index the repairs, which are in the order of their numbers; ``symptoms`` maps slugs to names."""
        texts = [_stems(_book_text(problem, symptoms)) for problem in problems]
        often = Counter(word for text in texts for word in set(text))
        self._rarity = {word: math.log((1 + len(texts)) / (1 + number)) + 1 for word, number in often.items()}
        # In arrays, tens of thousands of pairs take a tenth of the memory.
        self._by_word = {word: (array("H"), array("d")) for word in often}
        for number, text in enumerate(texts):
            for word, weight in self._vector(text).items():
                numbers, weights = self._by_word[word]
                numbers.append(number)
                weights.append(weight)

    def similarity(self, text: str) -> Mapping[int, float]:
        """Return the similarity of ``text``, 0 to 1, to each repair that it shares a word with, by repair number."""
        alike: dict[int, float] = {}
        for word, weight in self._vector(_stems(text)[:_MOST_WORDS]).items():
            for number, other in zip(*self._by_word[word], strict=True):
                alike[number] = alike.get(number, 0.0) + weight * other
        return alike

    def _vector(self, stems: Iterable[str]) -> dict[str, float]:
        counts = Counter(word for word in stems if word in self._rarity)
        vector = {word: (1 + math.log(often)) * self._rarity[word] for word, often in counts.items()}
        length = math.sqrt(math.fsum(weight * weight for weight in vector.values())) or 1.0
        return {word: weight / length for word, weight in vector.items()}


def _stems(text: str) -> list[str]:
    return [stem(word) for word in words(text)]


def _book_text(problem: Problem, symptoms: Mapping[str, str]) -> str:
    parts = (part.name for part in problem.parts)
    shown = (symptoms.get(symptom.slug, "") for symptom in problem.symptoms)
    return " ".join(
        (problem.name, problem.parent.name, problem.description, *problem.keywords, *parts, *shown)
    )


LEAK: Final = 0.03
"""How often a symptom is mentioned although the needed repair does not explain it.

Something else may be wrong as well, and words may be misread.
"""

_NEAR_DANGER: Final = 4
"""The greatest distance between the words of a danger: words scattered over a sentence do not mean one."""

_GAS: Final = Powertrain.GAS

_MOST_CAUSES: Final = 0.95
"""The highest sum of the shares of a code's causes: something else is always possible."""


@frozen
class SymptomLink:
    """The weight of a symptom or a code for a repair.

    Args:
        repair: the number of the repair.
        share: according to the book, the share of vehicles in need of the repair that show the symptom, or of those
            with the code that need the repair.
        there: the evidence for the repair, in bits, if the symptom or code is present; never less than 0.
        missing: the evidence for the repair, in bits, if the symptom is absent; never more than 0.
    """

    repair: int
    share: float
    there: float
    missing: float = 0.0


Doubt: TypeAlias = tuple[int, float, float]
"""The number of a repair, the probability that it shows a symptom, and the entropy of that, in bits."""


class Knowledge:
    """The indexed repairs, symptoms and codes of the book. Instances are immutable, so threads may share them.

    Args:
        problems: the repairs of the book.
        vocabulary: the names of symptoms, and everyday words.
        codes: the known trouble codes.
        lexicon: the words and phrases that owners use for symptoms.
        groups: the groups of repairs that the word model distinguishes.
        word_model: the weights learned from labeled complaints.
        danger_model: a second opinion on dangers, besides the lexicon's sayings.
        index: the search index of these repairs, if it already exists.
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
        danger_model: DangerModel = NO_OPINION,
        index: ProblemIndex | None = None,
    ) -> None:
        self.danger_model: Final = danger_model
        self.problems: Final[Sequence[Problem]] = tuple(sorted(problems, key=lambda problem: problem.id))
        self.numbers: Final[Mapping[str, int]] = {
            problem.slug: at for at, problem in enumerate(self.problems)
        }
        self.priors: Final[Sequence[float]] = with_seen(
            tuple(map(prior_bits, self.problems)),
            [word_model.seen.get(problem.slug, 0.0) for problem in self.problems],
        )
        self.symptoms: Final[Mapping[str, str]] = dict(vocabulary.symptoms)
        self.code_table: Final = codes if isinstance(codes, CodeTable) else CodeTable(codes)
        self.codes: Final = self.code_table.standard
        self.special: Final = frozenset(
            at
            for at, problem in enumerate(self.problems)
            if problem.fits.powertrains and _GAS not in problem.fits.powertrains
        )
        self.particular: Final = tuple(
            at
            for at, problem in enumerate(self.problems)
            if problem.fits.powertrains or problem.fits.perhaps or problem.fits.drives or problem.fits.bodies
        )
        self.by_symptom: Final = _by_symptom(self.problems)
        self.doubts: Final = {slug: _doubts(links) for slug, links in self.by_symptom.items()}
        self._whole: Final = math.fsum(2.0**prior for prior in self.priors)
        # Thousands of codes share a few hundred lists of causes.
        self._links: Final = {
            causes: self._weighed(causes) for causes in {code.causes for code in self.code_table}
        }
        self.lexicon: Final = Lexicon() if lexicon is None else lexicon
        self.word_model: Final = word_model
        self.group_numbers: Final = _group_numbers(self.problems, groups or Groups(), word_model.groups)
        self._vocabulary = vocabulary
        self._index = index

    @cached_property
    def index(self) -> ProblemIndex:
        """Return the search index of repairs."""
        return ProblemIndex(self.problems, self._vocabulary) if self._index is None else self._index

    @cached_property
    def book_match(self) -> BookMatch:
        """Return the object that compares complaints with the book."""
        return BookMatch(self.problems, self.symptoms)

    @cached_property
    def sentence_reader(self) -> SentenceReader:
        """Return the object that splits text into sentences."""
        return SentenceReader(self.lexicon, self._vocabulary, self._book_words | self.word_model.words)

    @cached_property
    def sayings(self) -> Sayings:
        """Return the object that finds symptoms in sentences."""
        return Sayings(self.sentence_reader, self.lexicon.said)

    @cached_property
    def dangers(self) -> Sayings:
        """Return the object that finds dangers, and what only sounds like one, in sentences."""
        return Sayings(self.sentence_reader, self.lexicon.dangers, near=_NEAR_DANGER)

    def is_book_word(self, stem: str) -> bool:
        """Return whether the book contains a word with this stem."""
        return stem in self._book_words

    def question(self, symptom: str) -> str:
        """Return the question about a symptom, worded for owners."""
        return self.lexicon.questions.get(symptom) or f"Do you notice this: {self.symptom_name(symptom)}?"

    def symptom_name(self, symptom: str) -> str:
        """Return the name of a symptom, or its slug if it is unknown."""
        return self.symptoms.get(symptom, symptom)

    def links(self, code: TroubleCode) -> Sequence[SymptomLink]:
        """Return the links from a code in the table to its causes."""
        return self._links[code.causes]

    def _weighed(self, causes: Iterable[Cause]) -> Sequence[SymptomLink]:
        """Return links that make each cause as likely as the table says, if nothing else is known."""
        shares = {
            self.numbers[cause.repair]: cause.likelihood for cause in causes if cause.repair in self.numbers
        }
        before = {number: 2.0 ** self.priors[number] / self._whole for number in shares}
        others = (1 - math.fsum(before.values())) / (1 - min(_MOST_CAUSES, math.fsum(shares.values())))
        return tuple(
            SymptomLink(number, share, max(0.0, math.log2(share / before[number] * others)))
            for number, share in shares.items()
        )

    @cached_property
    def _book_words(self) -> frozenset[str]:
        language = Language(self._vocabulary)
        return frozenset(stem for problem in self.problems for stem in language.all_stems(_text(problem)))


def entropy(chance: float) -> float:
    """Return the entropy, in bits, of a yes-or-no answer that is yes with this probability."""
    return -math.fsum(p * math.log2(p) for p in (chance, 1 - chance) if p > 0)


def mention_chance(share: float) -> float:
    """Return the probability that a symptom is mentioned, because of the repair or for any other reason."""
    return 1 - (1 - share) * (1 - LEAK)


def _by_symptom(problems: Sequence[Problem]) -> Mapping[str, Sequence[SymptomLink]]:
    links: dict[str, list[SymptomLink]] = {}
    for number, problem in enumerate(problems):
        for symptom in problem.symptoms:
            chance = mention_chance(symptom.share)
            there, missing = math.log2(chance / LEAK), math.log2((1 - chance) / (1 - LEAK))
            links.setdefault(symptom.slug, []).append(SymptomLink(number, symptom.share, there, missing))
    return links


def _group_numbers(problems: Sequence[Problem], groups: Groups, known: Sequence[str]) -> Mapping[int, int]:
    """Map the numbers of repairs to those of their groups in the word model, omitting repairs without a group."""
    at = {slug: number for number, slug in enumerate(known)}
    grouped = ((number, groups.of(problem.slug)) for number, problem in enumerate(problems))
    return {number: at[group] for number, group in grouped if group in at}


def _doubts(links: Iterable[SymptomLink]) -> Sequence[Doubt]:
    return tuple(
        (link.repair, mention_chance(link.share), entropy(mention_chance(link.share))) for link in links
    )


def _text(problem: Problem) -> str:
    parts = (part.name for part in problem.parts)
    return " ".join((problem.name, problem.description, problem.parent.name, *problem.keywords, *parts))
