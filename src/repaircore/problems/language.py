"""Texts as stems: the book's, and those that people type."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from repaircore.book.vocabulary import Vocabulary
from repaircore.problems.words import stem, words

_LONGEST_TEXT: Final = 500
_MOST_WORDS: Final = 24


class Language:
    """Reads texts with a vocabulary in mind."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._ignored = {stem(word) for text in vocabulary.ignored for word in words(text)}
        self._same = _pairs(vocabulary.same)
        self._misspelled = _pairs(vocabulary.misspelled)

    def all_stems(self, text: str) -> tuple[str, ...]:
        """Give the stems of a text in order."""
        return tuple(self._same.get(one, one) for one in map(stem, words(text)))

    def stems(self, text: str) -> frozenset[str]:
        """Give the stems of a text of the book that say something about a repair."""
        return self.telling(self.all_stems(text))

    def typed(self, text: str) -> frozenset[str]:
        """Give the stems of what somebody typed, misspellings that are known set right; of a long text the first."""
        read = self.all_stems(text[:_LONGEST_TEXT])[:_MOST_WORDS]
        return frozenset(self._misspelled.get(one, one) for one in read)

    def unfinished(self, text: str) -> str | None:
        """Return the last word as it was typed, when nothing ends it: more letters of it may follow."""
        read = words(text[:_LONGEST_TEXT])[:_MOST_WORDS]
        return read[-1] if read and text[:_LONGEST_TEXT][-1:].isalnum() else None

    def telling(self, stems: Iterable[str]) -> frozenset[str]:
        """Leave out what says nothing about a repair."""
        return frozenset(self._telling(stems))

    def _telling(self, stems: Iterable[str]) -> Iterator[str]:
        return (one for one in stems if one not in self._ignored)


def _pairs(texts: Mapping[str, str]) -> dict[str, str]:
    return {stem(word): stem(other) for word, other in texts.items()}
