"""The line model: the probabilities of a line's meanings, with weights learned from labeled invoice lines.

A multinomial logistic model over the features of a line (``features.py``), which become a vector of length 1. Its
weights are sparse: a feature speaks for or against few meanings. A meaning is a repair in the book, by its slug, or one
of the constants below.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from attrs import Factory, frozen

from repaircore.kernel.vectors import unit_vector
from repaircore.line_model.features import Line, features

SCALE: Final = 8.0
"""Weights are stored as whole numbers of eighths."""

_LEAST_PROBABLE: Final = 0.02

NO_WORK: Final = "none"
OTHER_WORK: Final = "other"
SEVERAL: Final = "several"
"""Meanings that are not a single repair in the book; nor is ``oil``, an oil change that does not say which oil."""


@frozen(kw_only=True)
class LineModel:
    """Learned weights. A model without weights has no opinion.

    Args:
        meanings: the meanings, in the order of their numbers.
        rarity: the inverse document frequency of each feature.
        weights: for each feature, pairs of a meaning's number and its weight in eighths.
        sharpness: the factor that scores are multiplied by before they become probabilities.
    """

    meanings: tuple[str, ...] = ()
    rarity: Mapping[str, float] = Factory(dict)
    weights: Mapping[str, Sequence[tuple[int, int]]] = Factory(dict)
    sharpness: float = 1.0

    def chances(self, line: Line) -> Mapping[str, float]:
        """Return the probability of each likely meaning of a line; none if the model knows none of its features."""
        values = vector(features(line), self.rarity)
        if not values:
            return {}
        scores = [0.0] * len(self.meanings)
        for name, value in values.items():
            for number, weight in self.weights.get(name, ()):
                scores[number] += value * weight
        factor = self.sharpness / SCALE
        most = max(scores)
        shares = [math.exp(factor * (score - most)) for score in scores]
        least = _LEAST_PROBABLE * math.fsum(shares)
        return {
            name: _LEAST_PROBABLE * share / least
            for name, share in zip(self.meanings, shares, strict=True)
            if share >= least
        }


def vector(found: Mapping[str, float], rarity: Mapping[str, float]) -> dict[str, float]:
    """Return the known features, weighted by rarity, as a vector of length 1."""
    return unit_vector({name: value * rarity[name] for name, value in found.items() if name in rarity})


NO_OPINION: Final = LineModel()
"""A model that knows nothing."""
