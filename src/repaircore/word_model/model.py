"""The word model: it predicts the probabilities of groups of repairs from a complaint.

It is a multinomial logistic model over words and pairs of words (``features.py``): a complaint becomes a vector of
length 1, and each group's score is its bias plus the sum of its weights times the features. ``training.py`` learns the
weights from labeled complaints.
"""

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final

from attrs import Factory, field, frozen

from repaircore.kernel.vectors import unit_vector
from repaircore.problems.typos import Speller
from repaircore.word_model.features import features

SCALE: Final = 8.0
"""Weights are stored as whole eighths."""

ZERO: Final = 128
"""The byte that represents a weight of 0."""

_SHORTEST: Final = 4
_ALIKE: Final = 0.75
"""The minimum similarity for reading an unknown word as a known one."""

_MOST_CORRECTED: Final = 6
"""The maximum number of unknown words in a complaint that are checked for typos, because that is slow."""


@frozen(kw_only=True)
class WordModel:
    """A model's learned weights.

    Args:
        groups: the groups' slugs, in the order of their numbers.
        rarity: the inverse document frequency of each feature.
        weights: for each feature, pairs of bytes: a group's number, and its weight in eighths plus ``ZERO``.
        bias: the base score of each group.
        sharpness: the factor by which scores are multiplied before the softmax (1 / temperature).
        seen: how often each repair, by slug, was needed in labeled cases.
        stated: the calibration: ascending pairs of a probability and the share of repairs with it that were right.
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
        """Return the known words, without the pairs."""
        return frozenset(feature for feature in self.rarity if " " not in feature)

    def stated_for(self, chance: float) -> float | None:
        """Return the calibrated confidence for a probability, interpolated linearly, or None without a calibration."""
        pairs = self.stated
        at = 1
        while at < len(pairs) and chance > pairs[at][0]:
            at += 1
        if at >= len(pairs):
            return pairs[-1][1] if pairs else None
        (low, under), (high, over) = pairs[at - 1], pairs[at]
        return under + (over - under) * max(0.0, chance - low) / (high - low)

    def log_chances(self, text: str, denied: AbstractSet[str] = frozenset()) -> Sequence[float] | None:
        """Return the base-2 logarithm of each group's probability, or None if no word in the text is known.

        ``denied`` are stems of symptoms said to be absent; they and their pairs do not count.
        """
        counts = features(text) if self.groups else {}
        if denied:
            counts = {
                feature: often for feature, often in counts.items() if denied.isdisjoint(feature.split(" "))
            }
        values = vector(self._spelled.corrected(counts), self.rarity)
        if not values:
            return None
        scores = list(self.bias)
        for feature, value in values.items():
            row = self.weights.get(feature, b"")
            for at in range(0, len(row), 2):
                scores[row[at]] += value * (row[at + 1] - ZERO) / SCALE
        return _log2_softmax([self.sharpness * score for score in scores])


def vector(counts: Mapping[str, float], rarity: Mapping[str, float]) -> dict[str, float]:
    """Return the known features, weighted by rarity, as a vector of length 1."""
    known = ((name, often) for name, often in counts.items() if name in rarity)
    return unit_vector({name: math.log2(1 + often) * rarity[name] for name, often in known})


def _log2_softmax(scores: Sequence[float]) -> list[float]:
    most = max(scores)
    whole = math.log(math.fsum(math.exp(score - most) for score in scores))
    return [(score - most - whole) / math.log(2) for score in scores]


class _Spelling:
    """Corrects typos to words that the model knows."""

    def __init__(self, known: Mapping[str, float]) -> None:
        self._known = known
        self._speller: Speller | None = None
        self._meant = lru_cache(maxsize=4096)(self._look_up)

    def corrected(self, counts: Mapping[str, float]) -> Mapping[str, float]:
        """Return the counts with probable typos corrected."""
        wrong = [
            word for word in counts if " " not in word and word not in self._known and len(word) >= _SHORTEST
        ][:_MOST_CORRECTED]
        right = {word: meant for word in wrong if (meant := self._meant(word))}
        if not right:
            return counts
        read: dict[str, float] = {}
        for feature, often in counts.items():
            fixed = " ".join(right.get(word, word) for word in feature.split(" "))
            read[fixed] = read.get(fixed, 0.0) + often
        return read

    def _look_up(self, word: str) -> str:
        if self._speller is None:
            self._speller = Speller(word for word in self._known if " " not in word)
        alike = self._speller.corrections(word)
        likeness, other = max(((likeness, other) for other, likeness in alike.items()), default=(0.0, ""))
        return other if likeness >= _ALIKE and other[0] == word[0] else ""


NO_WORDS: Final = WordModel(groups=(), rarity={}, weights={}, bias=())
"""A model that knows nothing."""
