"""The danger model: it judges whether a suspicion is a danger that is present.

It is a logistic model of the features of a suspicion (``features.py``), normalized to a vector of length 1. All dangers
share the weights of the words around them: whichever danger is feared, remembered or repaired, it is not present.
``training.py`` learns the weights.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from attrs import Factory, frozen

from repaircore.danger_model.features import candidates
from repaircore.danger_model.wording import Wording
from repaircore.kernel.vectors import unit_vector

AGREES: Final = -4.0
"""The lowest score at which the model agrees with a phrase that indicates a danger. Chosen with ``bench.dangers``."""

ALONE: Final = 1.25
"""The lowest score at which a danger counts without a phrase."""

_PER_DOUBLING: Final = 0.5
"""How much the required score rises when a text is twice as long, since one misread sentence is a false alarm."""

OVERRULES: Final = 3.5
"""The lowest score at which a danger counts even though a phrase only sounds like a danger."""


def present_dangers(
    asserted: Iterable[str],
    dismissed: Collection[str],
    scores: Mapping[str, float],
    *,
    agrees: float = AGREES,
    alone: float = ALONE,
    length: int = 1,
    lookalike: bool = False,
) -> tuple[str, ...]:
    """Return the dangers in a text, given those that its phrases assert or dismiss and the model's scores.

    An asserted danger counts unless its score is below ``agrees``. Without a phrase, a score of ``alone`` is enough,
    unless a phrase dismisses the danger. This score must be higher in a text of many sentences (``length``), or if a
    phrase only sounds like a danger (``lookalike``).
    """
    agreed = [danger for danger in asserted if scores.get(danger, agrees) >= agrees]
    alone += _PER_DOUBLING * math.log2(max(1.0, length / 2))
    if lookalike:
        alone = max(alone, OVERRULES)
    sure = (danger for danger, score in scores.items() if score >= alone and danger not in dismissed)
    return tuple(dict.fromkeys((*agreed, *sure)))


@frozen(kw_only=True)
class DangerModel:
    """The learned weights of features by name, and the base score. Without weights, the model has no opinion."""

    wording: Wording
    weights: Mapping[str, float] = Factory(dict)
    bias: float = 0.0

    def scores(self, text: str) -> Mapping[str, float]:
        """Return, for each danger that ``text`` may describe, the highest log-odds of any sentence."""
        best: dict[str, float] = {}
        for danger, features in candidates(text, self.wording) if self.weights else ():
            best[danger] = max(best.get(danger, -math.inf), self.score(features))
        return best

    def score(self, features: Mapping[str, float]) -> float:
        """Return the log-odds that the suspicion with these features is a present danger."""
        values = unit_vector(features)
        return self.bias + math.fsum(value * self.weights.get(name, 0.0) for name, value in values.items())


NO_WORDING: Final = Wording({}, {}, {})
NO_OPINION: Final = DangerModel(wording=NO_WORDING)
"""A model that never sees a danger."""
