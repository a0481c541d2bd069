"""Split text from the book, and text that users type, into stems."""

from collections.abc import Iterable, Mapping
from typing import Final

from repaircore.book.vocabulary import Vocabulary
from repaircore.problems.words import stem, words

_LONGEST_TEXT: Final = 500
_MOST_WORDS: Final = 24


class Language:
    """Splits text into stems, using a vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._ignored = {stem(word) for text in vocabulary.ignored for word in words(text)}
        self._same = _pairs(vocabulary.same)
        self._misspelled = _pairs(vocabulary.misspelled)

    def all_stems(self, text: str) -> tuple[str, ...]:
        """Return the stems of ``text`` in order."""
        return tuple(self._same.get(stemmed, stemmed) for stemmed in map(stem, words(text)))

    def stems(self, text: str) -> frozenset[str]:
        """Return the meaningful stems of text from the book."""
        return self.meaningful(self.all_stems(text))

    def typed(self, text: str) -> frozenset[str]:
        """Return the stems of a query, with known misspellings corrected; a long query is truncated."""
        read = self.all_stems(text[:_LONGEST_TEXT])[:_MOST_WORDS]
        return frozenset(self._misspelled.get(stemmed, stemmed) for stemmed in read)

    def unfinished(self, text: str) -> str | None:
        """Return the last word of a query if nothing follows it, so that it may be unfinished, or else None."""
        read = words(text[:_LONGEST_TEXT])[:_MOST_WORDS]
        return read[-1] if read and text[:_LONGEST_TEXT][-1:].isalnum() else None

    def meaningful(self, stems: Iterable[str]) -> frozenset[str]:
        """Return the stems that are not ignored."""
        return frozenset(stemmed for stemmed in stems if stemmed not in self._ignored)


def _pairs(texts: Mapping[str, str]) -> dict[str, str]:
    return {stem(word): stem(other) for word, other in texts.items()}
