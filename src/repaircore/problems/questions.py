"""The questions in a search, and their possible readings."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from heapq import nlargest
from itertools import permutations, takewhile
from typing import Final

from attrs import frozen

from repaircore.problems.language import Language
from repaircore.problems.terms import Terms
from repaircore.problems.typos import Speller
from repaircore.problems.words import stem

# The weight of a reading relative to the word itself, for joined words and for owners' sayings.
_SPLIT, _MEANING = 0.9, 0.9

_EXPLAINED: Final = 0.6
"""The weight of a word within a saying, whose meaning also counts."""

_DOUBT: Final = 3
"""A reading is weighted by its similarity to the typed word, raised to this power."""

_SURELY: Final = 0.8
"""A word at least this similar to a known one is taken for a misspelling, not for two joined words."""

_SHORTEST_PIECE: Final = 3

_BEGUN: Final = 0.9
"""The weight of the likeliest completion of an unfinished word."""

_LEAST_BEGUN: Final = 0.5
"""The relative weight of a completion that the book hardly uses."""

_MOST_BEGUN: Final = 12
_PERHAPS_WHOLE: Final = 0.45
"""The weight of an unfinished word that is itself an ignored word, such as *in*."""


@frozen
class Reading:
    """A reading of a question: stems that belong together, weighted by its probability (above 0, up to 1)."""

    stems: tuple[str, ...]
    weight: float = 1.0


@frozen
class Question:
    """A term of a search, with all its readings; the best one counts."""

    readings: tuple[Reading, ...]
    weight: float = 1.0


class Questions:
    """Parses what users type. Every stem that it returns is a known term."""

    def __init__(self, language: Language, terms: Terms, meanings: Mapping[str, Iterable[str]]) -> None:
        self._language = language
        self._terms = terms
        self._meanings = dict(self._meanings_of(meanings))
        self._words_of_sayings = {word for saying in self._meanings for word in saying}
        self._speller = Speller({*terms.places, *self._words_of_sayings})
        self._sorted = sorted(terms.places)

    def parse(self, typed: frozenset[str], unfinished: str | None = None) -> tuple[list[Question], bool]:
        """Return the questions in the typed stems, in a deterministic order, and whether all words were understood.

        ``unfinished`` is the last word while it is being typed; it may be only the beginning of a word.
        """
        meaningful = sorted(self._language.meaningful(typed))
        readings = {word: self._readings(word) for word in meaningful}
        begun = () if unfinished is None else self._begun(unfinished)
        if begun and unfinished is not None and stem(unfinished) in readings:
            readings[stem(unfinished)] = _better(begun, readings[stem(unfinished)])
        likeliest = {word for found in readings.values() for reading in found[:1] for word in reading.stems}
        sayings = self._sayings_in(likeliest | typed)
        explained = frozenset().union(*sayings)
        plain = (
            Question(known, _EXPLAINED if explained.issuperset(known[0].stems) else 1.0)
            for found in readings.values()
            if (known := tuple(reading for reading in found if self._terms.knows(reading.stems)))
        )
        implied = (Question(self._meanings[saying]) for saying in sayings)
        guessed = (
            [Question(begun, _PERHAPS_WHOLE)] if begun and stem(unfinished or "") not in readings else []
        )
        questions = [*plain, *self._joined(meaningful), *implied]
        unread = any(not found and word not in explained for word, found in readings.items())
        return ([*questions, *guessed] if questions else []), not unread

    def _meanings_of(
        self, meanings: Mapping[str, Iterable[str]]
    ) -> Iterator[tuple[frozenset[str], tuple[Reading, ...]]]:
        """Yield each saying with its meanings, as stems; meanings that no repair has are left out."""
        for saying, texts in meanings.items():
            stems = (tuple(sorted(self._language.stems(text))) for text in texts)
            readings = tuple(Reading(each, _MEANING) for each in stems if each and self._terms.knows(each))
            if readings:
                yield frozenset(self._language.all_stems(saying)), readings

    def _readings(self, word: str) -> tuple[Reading, ...]:
        """Return the readings of a word, likeliest first."""
        if word in self._terms.places or word in self._words_of_sayings:
            return (Reading((word,)),)
        similar = self._speller.corrections(word)
        corrected = tuple(Reading((known,), likeness**_DOUBT) for known, likeness in similar.items())
        if max(similar.values(), default=0.0) >= _SURELY:
            return corrected
        return tuple(self._split(word)) or corrected

    def _begun(self, word: str) -> tuple[Reading, ...]:
        """Return the known words that begin with an unfinished one, most frequent first.

        The most frequent has the highest weight; otherwise a rare word would outweigh the intended one.
        """
        if stem(word) in self._terms.places or stem(word) in self._words_of_sayings or not word.isalpha():
            return ()
        start = bisect_left(self._sorted, word)
        words = takewhile(lambda known: known.startswith(word), self._sorted[start:])
        worth = self._terms.worth
        common = nlargest(_MOST_BEGUN, words, key=lambda known: (-worth[known], known))
        return tuple(
            Reading(
                (known,),
                _BEGUN
                * (worth[common[0]] / worth[known])
                * (_LEAST_BEGUN + (1 - _LEAST_BEGUN) * worth[common[0]] / worth[known]),
            )
            for known in common
        )

    def _split(self, word: str) -> Iterator[Reading]:
        """Yield the readings of a word as two known words written together, such as ``headgasket``."""
        for at in range(_SHORTEST_PIECE, len(word) - _SHORTEST_PIECE + 1):
            pieces = (stem(word[:at]), stem(word[at:]))
            if self._terms.knows(pieces):
                yield Reading(pieces, _SPLIT)

    def _joined(self, words: Iterable[str]) -> Iterator[Question]:
        """Yield questions for known words that were written apart, such as ``sun roof``."""
        for first, second in permutations(words, 2):
            if first + second in self._terms.places:
                yield Question((Reading((first + second,)),))

    def _sayings_in(self, stems: AbstractSet[str]) -> list[frozenset[str]]:
        """Return the sayings that ``stems`` contain, except those that are part of a longer one."""
        used = [saying for saying in self._meanings if saying <= stems]
        return [saying for saying in used if not any(saying < other for other in used)]


def _better(begun: Iterable[Reading], others: Iterable[Reading]) -> tuple[Reading, ...]:
    """Return each reading once, with its highest weight, likeliest first."""
    weights: dict[tuple[str, ...], float] = {}
    for reading in (*begun, *others):
        weights[reading.stems] = max(reading.weight, weights.get(reading.stems, 0.0))
    found = (Reading(stems, weight) for stems, weight in weights.items())
    return tuple(sorted(found, key=lambda reading: (-reading.weight, reading.stems)))
