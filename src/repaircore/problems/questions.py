"""What somebody asks for, and the ways in which it may be meant."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from heapq import nlargest
from itertools import takewhile
from typing import Final

from attrs import frozen

from repaircore.problems.language import Language
from repaircore.problems.terms import Terms
from repaircore.problems.typos import Speller
from repaircore.problems.words import stem

# How much a reading counts beside the word itself: words that were written as one, and what owners mean.
_SPLIT, _MEANING = 0.9, 0.9

_EXPLAINED: Final = 0.6
"""How much a word counts that is part of a saying, whose meaning counts as well."""

_DOUBT: Final = 3
"""A word that is less like the one typed counts less by this power of its likeness."""

_SURELY: Final = 0.8
"""A word that is so like a known one is a mistyped one, not two that were written as one."""

_SHORTEST_PIECE: Final = 3

_BEGUN: Final = 0.9
"""How much the likeliest word counts that an unfinished one may become."""

_LEAST_BEGUN: Final = 0.5
"""How much of that a word counts that the book hardly says, beside the one that it says most."""

_MOST_BEGUN: Final = 12
_PERHAPS_WHOLE: Final = 0.45
"""How much an unfinished word counts when it is also a whole one that says nothing, such as *in*."""


@frozen
class Reading:
    """One way to read a question: stems that belong together, and how surely it is meant, over 0 to 1."""

    stems: tuple[str, ...]
    weight: float = 1.0


@frozen
class Question:
    """One thing that was asked for, in every way that it may be read; the best of them counts."""

    readings: tuple[Reading, ...]
    weight: float = 1.0


class Questions:
    """Reads what people type. Every stem of what it gives is a known term."""

    def __init__(self, language: Language, terms: Terms, meanings: Mapping[str, Iterable[str]]) -> None:
        self._language = language
        self._terms = terms
        self._meanings = dict(self._meanings_of(meanings))
        self._said = {one for said in self._meanings for one in said}
        self._speller = Speller({*terms.places, *self._said})
        self._sorted = sorted(terms.places)

    def asked(self, typed: frozenset[str], unfinished: str | None = None) -> tuple[list[Question], bool]:
        """Give the questions in some stems, in an order that depends on them alone, and whether all words were read.

        ``unfinished`` is the last word when it is still being typed; it counts as the beginning of a word unless
        it is a whole one.
        """
        telling = sorted(self._language.telling(typed))
        readings = {word: self._readings(word) for word in telling}
        begun = () if unfinished is None else self._begun(unfinished)
        if begun and unfinished is not None and stem(unfinished) in readings:
            readings[stem(unfinished)] = _better(begun, readings[stem(unfinished)])
        likeliest = {one for found in readings.values() for reading in found[:1] for one in reading.stems}
        said = self._said_by(likeliest | typed)
        explained = frozenset().union(*said)
        plain = (
            Question(known, _EXPLAINED if explained.issuperset(known[0].stems) else 1.0)
            for found in readings.values()
            if (known := tuple(one for one in found if self._terms.knows(one.stems)))
        )
        meant = (Question(self._meanings[saying]) for saying in said)
        guessed = (
            [Question(begun, _PERHAPS_WHOLE)] if begun and stem(unfinished or "") not in readings else []
        )
        asked = [*plain, *self._joined(telling), *meant]
        unread = any(not found and word not in explained for word, found in readings.items())
        return ([*asked, *guessed] if asked else []), not unread

    def _meanings_of(
        self, meanings: Mapping[str, Iterable[str]]
    ) -> Iterator[tuple[frozenset[str], tuple[Reading, ...]]]:
        """Map what is said to what is meant, as stems; a meaning that no repair knows is left out."""
        for said, texts in meanings.items():
            meant = (tuple(sorted(self._language.stems(text))) for text in texts)
            readings = tuple(Reading(one, _MEANING) for one in meant if one and self._terms.knows(one))
            if readings:
                yield frozenset(self._language.all_stems(said)), readings

    def _readings(self, word: str) -> tuple[Reading, ...]:
        """Give the ways to read a word, the likeliest first."""
        if word in self._terms.places or word in self._said:
            return (Reading((word,)),)
        alike = self._speller.meant(word)
        meant = tuple(Reading((one,), likeness**_DOUBT) for one, likeness in alike.items())
        if max(alike.values(), default=0.0) >= _SURELY:
            return meant
        return tuple(self._split(word)) or meant

    def _begun(self, word: str) -> tuple[Reading, ...]:
        """Give the known words that begin with an unfinished one, those that the book says most first.

        Each counts as much as the commonest at most, or a rare word would outweigh those that are meant.
        """
        if stem(word) in self._terms.places or stem(word) in self._said or not word.isalpha():
            return ()
        start = bisect_left(self._sorted, word)
        words = takewhile(lambda one: one.startswith(word), self._sorted[start:])
        worth = self._terms.worth
        common = nlargest(_MOST_BEGUN, words, key=lambda one: (-worth[one], one))
        return tuple(
            Reading(
                (one,),
                _BEGUN
                * (worth[common[0]] / worth[one])
                * (_LEAST_BEGUN + (1 - _LEAST_BEGUN) * worth[common[0]] / worth[one]),
            )
            for one in common
        )

    def _split(self, word: str) -> Iterator[Reading]:
        """Give the known words that were written as one: ``headgasket``."""
        for at in range(_SHORTEST_PIECE, len(word) - _SHORTEST_PIECE + 1):
            pieces = (stem(word[:at]), stem(word[at:]))
            if self._terms.knows(pieces):
                yield Reading(pieces, _SPLIT)

    def _joined(self, words: Iterable[str]) -> Iterator[Question]:
        """Give the known words that were written as two: ``sun roof``."""
        for one in words:
            for other in words:
                if one != other and one + other in self._terms.places:
                    yield Question((Reading((one + other,)),))

    def _said_by(self, stems: AbstractSet[str]) -> list[frozenset[str]]:
        """Give the sayings that were used; what is part of a longer one was not."""
        used = [saying for saying in self._meanings if saying <= stems]
        return [saying for saying in used if not any(saying < other for other in used)]


def _better(begun: Iterable[Reading], others: Iterable[Reading]) -> tuple[Reading, ...]:
    """Give each reading once, with the more of its weights; the likeliest first."""
    weights: dict[tuple[str, ...], float] = {}
    for one in (*begun, *others):
        weights[one.stems] = max(one.weight, weights.get(one.stems, 0.0))
    found = (Reading(stems, weight) for stems, weight in weights.items())
    return tuple(sorted(found, key=lambda one: (-one.weight, one.stems)))
