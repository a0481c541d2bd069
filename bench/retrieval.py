"""BM25 and TF-IDF over the repair book: what a diagnosis is compared with."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from repaircore.book.model import Problem
from repaircore.problems.words import stem, words

_K1: Final = 1.2
_B: Final = 0.75


def book_texts(problems: Iterable[Problem], symptoms: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the words that the book says of each repair, by slug: names, keywords, description, parts, symptoms."""
    return {
        one.slug: _stems(
            " ".join(
                (
                    one.name,
                    one.parent.name,
                    one.description,
                    *one.keywords,
                    *(part.name for part in one.parts),
                    *(symptoms[symptom.slug] for symptom in one.symptoms),
                )
            )
        )
        for one in problems
    }


def _stems(text: str) -> list[str]:
    return [stem(word) for word in words(text)]


class Bm25:
    """Okapi BM25 with the usual constants."""

    def __init__(self, texts: Mapping[str, Sequence[str]]) -> None:
        self._counts = {slug: Counter(text) for slug, text in texts.items()}
        self._lengths = {slug: len(text) for slug, text in texts.items()}
        self._mean = sum(self._lengths.values()) / len(self._lengths)
        often = Counter(word for counts in self._counts.values() for word in counts)
        self._idf = {
            word: math.log(1 + (len(texts) - number + 0.5) / (number + 0.5)) for word, number in often.items()
        }

    def ranked(self, text: str) -> list[str]:
        """Return the slugs, best first."""
        asked = [word for word in _stems(text) if word in self._idf]
        return sorted(self._counts, key=lambda slug: (-self._score(slug, asked), slug))

    def _score(self, slug: str, asked: Iterable[str]) -> float:
        counts, longer = self._counts[slug], 1 - _B + _B * self._lengths[slug] / self._mean
        return math.fsum(
            self._idf[word] * counts[word] * (_K1 + 1) / (counts[word] + _K1 * longer) for word in asked
        )


class TfIdf:
    """Cosine similarity of TF-IDF vectors, with logarithmic term frequencies."""

    def __init__(self, texts: Mapping[str, Sequence[str]]) -> None:
        often = Counter(word for text in texts.values() for word in set(text))
        self._idf = {word: math.log((1 + len(texts)) / (1 + number)) + 1 for word, number in often.items()}
        self._vectors = {slug: self._vector(text) for slug, text in texts.items()}

    def ranked(self, text: str) -> list[str]:
        """Return the slugs, best first."""
        asked = self._vector(_stems(text))
        likeness = {
            slug: math.fsum(weight * vector.get(word, 0.0) for word, weight in asked.items())
            for slug, vector in self._vectors.items()
        }
        return sorted(likeness, key=lambda slug: (-likeness[slug], slug))

    def _vector(self, stems: Iterable[str]) -> dict[str, float]:
        counts = Counter(word for word in stems if word in self._idf)
        vector = {word: (1 + math.log(number)) * self._idf[word] for word, number in counts.items()}
        whole = math.sqrt(math.fsum(weight * weight for weight in vector.values())) or 1.0
        return {word: weight / whole for word, weight in vector.items()}
