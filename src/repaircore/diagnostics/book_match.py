"""How alike a text is to what the book says of each repair: the cosine of TF-IDF vectors.

Unlike the search (``problems/search.py``), which reads what somebody types into a box, this reads a text of any length.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from repaircore.problems.model import Problem
from repaircore.problems.words import stem, words

__all__ = ["BookMatch"]

_MOST_WORDS = 1000


class BookMatch:
    """The book's texts, made ready to be compared with. Nothing in it changes, so threads may share it."""

    def __init__(self, problems: Sequence[Problem], symptoms: Mapping[str, str]) -> None:
        """Take the repairs, in the order of their numbers, and what symptoms are called."""
        texts = [_stems(_text(one, symptoms)) for one in problems]
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


def _text(problem: Problem, symptoms: Mapping[str, str]) -> str:
    parts = (part.name for part in problem.parts)
    shown = (symptoms.get(one.slug, "") for one in problem.symptoms)
    return " ".join(
        (problem.name, problem.parent.name, problem.description, *problem.keywords, *parts, *shown)
    )
