"""The danger model: whether a suspicion is a danger that is present.

A logistic model over the features of a suspicion (``features.py``), which become a vector of length 1. All dangers share
the weights of the words around them: one that is feared, remembered or repaired is not present, whichever it is.
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
"""The score from which the model agrees with a phrase that means a danger. The figures were chosen with ``bench.dangers``."""

ALONE: Final = 1.25
"""The score from which a danger counts without a phrase."""

_PER_DOUBLING: Final = 0.5
"""How much more a text twice as long must score: each of its sentences may be misread, and one is enough."""

OVERRULES: Final = 3.5
"""The score from which a danger counts although a phrase of the text only sounds like one."""


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
    """Return the dangers of a text by its phrases, asserted or dismissed, and by the model's scores.

    A phrase that the model has no score for counts by itself. The model is ignored for dangers that a phrase dismisses. It must
    be surer in a text of many sentences (``length``), and if a phrase only sounds like a danger (``lookalike``).
    """
    agreed = [danger for danger in asserted if scores.get(danger, agrees) >= agrees]
    alone += _PER_DOUBLING * math.log2(max(1.0, length / 2))
    if lookalike:
        alone = max(alone, OVERRULES)
    sure = (danger for danger, score in scores.items() if score >= alone and danger not in dismissed)
    return tuple(dict.fromkeys((*agreed, *sure)))


@frozen(kw_only=True)
class DangerModel:
    """Learned weights of features, by their names, and the base score. Without weights it has no opinion."""

    wording: Wording
    weights: Mapping[str, float] = Factory(dict)
    bias: float = 0.0

    def scores(self, text: str) -> Mapping[str, float]:
        """Return the score of each danger that a text may mean: the log-odds that it is present, in its surest sentence."""
        best: dict[str, float] = {}
        for danger, features in candidates(text, self.wording) if self.weights else ():
            best[danger] = max(best.get(danger, -math.inf), self.score(features))
        return best

    def score(self, features: Mapping[str, float]) -> float:
        """Return the log-odds of a suspicion."""
        values = unit_vector(features)
        return self.bias + math.fsum(value * self.weights.get(name, 0.0) for name, value in values.items())


NO_WORDING: Final = Wording({}, {}, {})
NO_OPINION: Final = DangerModel(wording=NO_WORDING)
"""A model that knows no danger."""
