"""Find the known words that a misspelled one may mean: candidates by trigrams, then by edit distance."""

from collections import Counter
from collections.abc import Iterable, Mapping
from heapq import nlargest
from typing import Final

_MOST_CANDIDATES: Final = 40
_MOST_MEANT: Final = 5
_LEAST_LIKE: Final = 0.7
"""The minimum similarity of a word: one edit in three letters is too many, one in four is not."""
_BEHIND_THE_BEST: Final = 0.12
_SHORTEST: Final = 3
_PREFIX: Final = 0.85
"""The similarity of a word that is still being typed to one that begins with it."""
_SHORTEST_PREFIX: Final = 4


class Speller:
    """Finds the known words that are spelled like a given one."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known = sorted({word for word in known if len(word) >= _SHORTEST and not word.isdigit()})
        self._by_trigram: dict[str, list[int]] = {}
        for number, word in enumerate(self._known):
            for trigram in _trigrams(word):
                self._by_trigram.setdefault(trigram, []).append(number)

    def corrections(self, word: str) -> Mapping[str, float]:
        """Return the few known words that a word may mean, with their similarities from 0 to 1.

        Numbers are never guessed.
        """
        if len(word) < _SHORTEST or word.isdigit():
            return {}
        # Imported here, because correctly spelled searches do not need it.
        from rapidfuzz.distance import OSA  # noqa: PLC0415

        begun = _PREFIX if len(word) >= _SHORTEST_PREFIX else 0.0
        alike = {
            other: max(OSA.normalized_similarity(word, other), begun * other.startswith(word))
            for other in self._candidates(word)
        }
        best = max(alike.values(), default=0.0)
        least = max(_LEAST_LIKE, best - _BEHIND_THE_BEST)
        found = ((other, likeness) for other, likeness in alike.items() if likeness >= least)
        return dict(nlargest(_MOST_MEANT, found, key=lambda entry: (entry[1], entry[0])))

    def _candidates(self, word: str) -> list[str]:
        shared: Counter[int] = Counter()
        for trigram in _trigrams(word):
            shared.update(self._by_trigram.get(trigram, ()))
        known = self._known
        # Among words with the same number of common trigrams, the shorter one is closer.
        best = nlargest(
            _MOST_CANDIDATES,
            shared.items(),
            key=lambda entry: (2 * entry[1] - len(known[entry[0]]), -entry[0]),
        )
        return [known[number] for number, _ in best]


def _trigrams(word: str) -> set[str]:
    """Split a word into trigrams; its start counts as two letters, and its end as one."""
    padded = f"^^{word}$"
    return {padded[at : at + 3] for at in range(len(padded) - 2)}
