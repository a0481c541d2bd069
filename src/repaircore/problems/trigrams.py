"""Find titles that share trigrams with a search, even if none of its words is known."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from repaircore.book.model import Problem
from repaircore.problems.words import words

_LEAST_ALIKE: Final = 0.38
"""The minimum Dice similarity of a title that is found."""


class TrigramIndex:
    """An index of the titles of repairs by trigram. It is immutable, so threads may share it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self._sizes: list[int] = []
        self._repairs: list[int] = []
        self._titles: dict[str, list[int]] = {}
        for number, problem in enumerate(problems):
            for title in sorted({problem.name, *problem.keywords}):
                self._add(number, _pieces(title))

    def ranked(self, text: str) -> list[tuple[int, float]]:
        """Return the numbers of the repairs that have a similar title, with its similarity, best first."""
        wanted = _pieces(text)
        shared: Counter[int] = Counter()
        for piece in wanted:
            shared.update(self._titles.get(piece, ()))
        best: dict[int, float] = {}
        for title, pieces in shared.items():
            alike = 2 * pieces / (len(wanted) + self._sizes[title])
            repair = self._repairs[title]
            if alike >= max(_LEAST_ALIKE, best.get(repair, 0.0)):
                best[repair] = alike
        return sorted(best.items(), key=lambda entry: (-entry[1], entry[0]))

    def _add(self, repair: int, pieces: Iterable[str]) -> None:
        title = len(self._sizes)
        count = 0
        for piece in pieces:
            self._titles.setdefault(piece, []).append(title)
            count += 1
        self._sizes.append(count)
        self._repairs.append(repair)


def _pieces(text: str) -> frozenset[str]:
    """Split each word into trigrams; the start of a word counts as a letter."""
    return frozenset(f"^{word}"[at : at + 3] for word in words(text) for at in range(len(word) - 1))
