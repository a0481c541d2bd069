"""The word model: from what somebody wrote to the groups of repairs, with weights learned from labeled complaints.

A multinomial logistic model over words and pairs of words (``features.py``): a text becomes a vector of length 1, and
each group's score is the sum of its weights for what is in the text. ``training.py`` learns the weights.
"""

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import pairwise
from typing import Final

from attrs import Factory, field, frozen

from repaircore.problems.typos import Speller
from repaircore.word_model.features import features

SCALE: Final = 8.0
"""A weight is kept as a whole number of eighths."""

ZERO: Final = 128
"""A weight of 0 as the byte that it is kept as."""

_SHORTEST: Final = 4
_ALIKE: Final = 0.75
"""An unknown word is taken for a known one that is at least so like it."""

_MOST_CORRECTED: Final = 6
"""So many unknown words of a text are looked up as typing errors; a text of nothing else is no complaint."""


@frozen(kw_only=True)
class WordModel:
    """Learned weights.

    Args:
        groups: the groups' slugs, in the order of their numbers.
        rarity: how much a feature says by being there at all (its inverse document frequency).
        weights: for each feature, pairs of bytes: a group's number and its weight in eighths, above ``ZERO``.
        bias: each group's score before anything is said.
        sharpness: what the scores are multiplied by before they become probabilities (1 / temperature).
        seen: how often each repair, by its slug, was what was needed, in cases that were labeled.
        stated: pairs of a repair's probability and how often one that had it was right, in cases that were labeled; both rise.
    """

    groups: tuple[str, ...]
    rarity: Mapping[str, float]
    weights: Mapping[str, bytes]
    bias: tuple[float, ...]
    sharpness: float = 1.0
    seen: Mapping[str, float] = Factory(dict)
    stated: tuple[tuple[float, float], ...] = ()
    _spelled: "_Spelling" = field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_spelled", _Spelling(self.rarity))

    @property
    def words(self) -> frozenset[str]:
        """The words that it knows, without the pairs."""
        return frozenset(one for one in self.rarity if " " not in one)

    def stated_for(self, chance: float) -> float | None:
        """Return how often a repair of a probability was right, between the pairs in a straight line; None when nobody counted."""
        for (low, under), (high, over) in pairwise(self.stated):
            if chance <= high:
                return under + (over - under) * max(0.0, chance - low) / (high - low)
        return self.stated[-1][1] if self.stated else None

    def log_chances(self, text: str, denied: AbstractSet[str] = frozenset()) -> Sequence[float] | None:
        """Return the logarithm (base 2) of each group's probability, None when no word of the text is known.

        ``denied`` are words, without endings, of what is said not to be there; they and their pairs do not count.
        """
        counts = features(text) if self.groups else {}
        if denied:
            counts = {one: often for one, often in counts.items() if denied.isdisjoint(one.split(" "))}
        told = vector(self._spelled.corrected(counts), self.rarity)
        if not told:
            return None
        scores = list(self.bias)
        for feature, value in told.items():
            row = self.weights.get(feature, b"")
            for at in range(0, len(row), 2):
                scores[row[at]] += value * (row[at + 1] - ZERO) / SCALE
        return _log2_softmax([self.sharpness * score for score in scores])


def vector(counts: Mapping[str, float], rarity: Mapping[str, float]) -> dict[str, float]:
    """Return the features that are known, each weighed by its rarity; the squares add up to 1."""
    values = {one: math.log2(1 + often) * rarity[one] for one, often in counts.items() if one in rarity}
    length = math.sqrt(math.fsum(value * value for value in values.values()))
    return {one: value / length for one, value in values.items()} if length else {}


def _log2_softmax(scores: Sequence[float]) -> list[float]:
    most = max(scores)
    whole = math.log(math.fsum(math.exp(score - most) for score in scores))
    return [(score - most - whole) / math.log(2) for score in scores]


class _Spelling:
    """Sets typing errors right, towards the words that the model knows."""

    def __init__(self, known: Mapping[str, float]) -> None:
        self._known = known
        self._speller: Speller | None = None
        self._meant = lru_cache(maxsize=4096)(self._look_up)

    def corrected(self, counts: Mapping[str, float]) -> Mapping[str, float]:
        """Return the counts with words that are probably mistyped read as what they are meant for."""
        wrong = [
            one for one in counts if " " not in one and one not in self._known and len(one) >= _SHORTEST
        ][:_MOST_CORRECTED]
        right = {one: meant for one in wrong if (meant := self._meant(one))}
        if not right:
            return counts
        read: dict[str, float] = {}
        for feature, often in counts.items():
            fixed = " ".join(right.get(word, word) for word in feature.split(" "))
            read[fixed] = read.get(fixed, 0.0) + often
        return read

    def _look_up(self, word: str) -> str:
        if self._speller is None:
            self._speller = Speller(one for one in self._known if " " not in one)
        alike = self._speller.corrections(word)
        likeness, other = max(((likeness, other) for other, likeness in alike.items()), default=(0.0, ""))
        return other if likeness >= _ALIKE and other[0] == word[0] else ""


NO_WORDS: Final = WordModel(groups=(), rarity={}, weights={}, bias=())
"""A model that knows nothing."""
