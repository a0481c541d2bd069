"""What somebody asks for, and the ways in which it may be meant."""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from attrs import frozen

from repaircore.problems.language import Language
from repaircore.problems.terms import Terms
from repaircore.problems.typos import Speller
from repaircore.problems.words import stem

__all__ = ["Question", "Questions", "Reading"]

# How much a reading counts beside the word itself: words that were written as one, and what owners mean.
_SPLIT, _MEANING = 0.9, 0.9

_EXPLAINED: Final = 0.6
"""How much a word counts that is part of a saying, whose meaning counts as well."""

_DOUBT: Final = 3
"""A word that is less like the one typed counts less by this power of its likeness."""

_SURELY: Final = 0.8
"""A word that is so like a known one is a mistyped one, not two that were written as one."""

_SHORTEST_PIECE: Final = 3


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

    def asked(self, typed: frozenset[str]) -> list[Question]:
        """Give the questions in some stems, in an order that depends on them alone."""
        telling = sorted(self._language.telling(typed))
        readings = {word: self._readings(word) for word in telling}
        likeliest = {one for found in readings.values() for reading in found[:1] for one in reading.stems}
        said = self._said_by(likeliest | typed)
        explained = frozenset().union(*said)
        plain = (
            Question(known, _EXPLAINED if explained.issuperset(known[0].stems) else 1.0)
            for found in readings.values()
            if (known := tuple(one for one in found if self._terms.knows(one.stems)))
        )
        meant = (Question(self._meanings[saying]) for saying in said)
        return [*plain, *self._joined(telling), *meant]

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
