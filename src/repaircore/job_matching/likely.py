"""Estimate whether a text with unexplained words means the one repair that it names.

No unexplained word may belong to the name of another repair, or say that other work was done. The weights of the other
evidence were learned from shops' lines, many of which are traps: a battery tray, a leveling kit for front struts.
"""

import math
import re
from functools import lru_cache
from itertools import combinations
from typing import Final

from attrs import frozen

from repaircore.job_matching.job_words import COUNTED_TIRES, job_words, names_action
from repaircore.job_matching.phrase_book import PLACES, PhraseBook
from repaircore.job_matching.strict_reading import StrictReader
from repaircore.job_matching.usual_company import HOW, OTHER_WORK
from repaircore.quote_text.shop_words import JOINED_BY

LEAST: Final = 0.8
"""The minimum likelihood: of 106 lines that reached it, 102 were right; of 15 below it, only 6."""

_WEIGHTS: Final = (1.93, -2.38, 2.88, 1.71, 1.08)
_NOTHING_LEFT: Final = 0.95
_CACHED: Final = 20_000
_MANY_WORDS: Final = 3
_CLAUSE: Final = re.compile(r"[,;:()&+]|[.]\s|\s[-/]\s|\s(?:and|per|at|with|w/|on|due)\s", re.IGNORECASE)
_JOINED: Final = re.compile(rf"\s*(?<!r)[&+](?!r)\s*|\s{JOINED_BY}\s|\bw/(?!s\b|p\b|pump)", re.IGNORECASE)
"""Words that join another job to the first, even one that has only unexplained words."""


@frozen
class Likely:
    """A repair that the text names, with the likelihood that the text means it and nothing else."""

    slug: str
    likelihood: float


class LikelyReader:
    """Reads text with unexplained words, and names its repair if that is likely enough."""

    def __init__(self, phrases: PhraseBook, strict: StrictReader) -> None:
        self._book = phrases
        self._strict = strict
        self.read = lru_cache(maxsize=_CACHED)(self._read)

    def _read(self, text: str) -> Likely | None:
        words, _ = self._book.respelled(job_words(text))
        named = self._book.named(words)
        if len({phrase.slug for phrase in named}) != 1:
            return None
        slug = named[0].slug
        left = self._book.unexplained(named[0], words, HOW)
        if left & OTHER_WORK or any(self._may_name_other(word, words, slug) for word in left):
            return None
        name = frozenset().union(*(phrase.words for phrase in named))
        if _joins_another(text, name, left) or self._strict.doubt(text, words, slug, left | HOW) is not None:
            return None
        likelihood = (
            _likelihood(features(text, words, name, left))
            if left and not name <= COUNTED_TIRES
            else _NOTHING_LEFT
        )
        return Likely(slug, likelihood) if likelihood >= LEAST else None

    def _may_name_other(self, word: str, words: frozenset[str], slug: str) -> bool:
        """Return whether a word may belong to another repair: a position, or part of a name mostly in the text."""
        return word in PLACES or any(
            2 * len(phrase.words & words) > len(phrase.words)
            for phrase in self._book.with_word(word)
            if phrase.slug != slug
        )


def _joins_another(text: str, name: frozenset[str], left: frozenset[str]) -> bool:
    """Return whether the text adds another job.

    Either a piece has only unexplained words, or two pieces repeat a word of the name and also have unexplained words.
    """
    pieces = [job_words(piece) for piece in _JOINED.split(text)]
    if any(words and words <= left for words in pieces):
        return True
    return any(first & second & name and (first | second) & left for first, second in combinations(pieces, 2))


def features(
    text: str, words: frozenset[str], name: frozenset[str], left: frozenset[str]
) -> tuple[float, ...]:
    """Return the evidence for and against a name with unexplained words.

    The first value is constant. The others say whether the name is a single word, whether it is alone in a clause,
    whether the text says that something was done, and whether the text has many other words.
    """
    return (
        1.0,
        float(len(name) == 1),
        float(_stands_alone(text, name, left)),
        float(names_action(text)),
        float(len(words) >= len(name) + _MANY_WORDS),
    )


def _likelihood(values: tuple[float, ...]) -> float:
    return 1 / (1 + math.exp(-sum(weight * value for weight, value in zip(_WEIGHTS, values, strict=True))))


def _stands_alone(text: str, name: frozenset[str], left: frozenset[str]) -> bool:
    """Return whether a clause of the text has words of the name and no unexplained ones."""
    clauses = (job_words(clause) for clause in _CLAUSE.split(text))
    return any(words & name and not words & left for words in clauses)
