"""How often the probability of a repair was met: the ``stated`` pairs of ``complaints/seen.toml``.

They are counted in the texts that are tuned on, and in the complaints that the word model was not trained on: the engine's factors
were fitted on the former, which are therefore met too often. Of a complaint only the group is known, so only the first repair counts,
as right when it is of that group.

Run ``REPAIRCORE_BENCH_COMPLAINTS=FILE python -m bench.stated`` from the root of the repository. It prints the pairs, and how
they hold when each fifth of the texts is judged by pairs that were fitted on the others.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from attrs import evolve, frozen

from bench.diagnostics import knowledge
from bench.strangers import TEXTS, fifths, labeled, short_searches
from bench.table import tell
from repaircore.adapters.shipped.complaints import complaints, repair_groups
from repaircore.diagnosis.engine import diagnose
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.reading import read
from repaircore.kernel.traits import Traits
from repaircore.word_model.model import WordModel

_AT: Final = (0.0, 0.04, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
_STEPS: Final = 200
_LOWEST: Final = 0.05
"""What has no probability to speak of is not stated with one: the least that is shown has 1%."""
_HIGHEST: Final = 0.98
_SHORT: Final = 0.5
"""A short search counts so much: they were written here."""
_UNSEEN: Final = 0.36
"""A complaint counts so much: together they weigh as much as the labeled texts."""
_FOLDS: Final = 5


@frozen
class Shown:
    """A repair that was shown for a text, by the text's number: its probability, and whether it was right."""

    text: int
    chance: float
    right: bool
    weight: float


def shown(known: Knowledge) -> list[Shown]:
    """Return what is shown for the texts that are tuned on."""
    lists = ((labeled(Path(os.environ[TEXTS])), 1.0), (short_searches(), _SHORT))
    tuned = [(one, weight) for cases, weight in lists for one in cases if one.half == "tune"]
    seen = [
        Shown(number, each.probability, each.problem.slug in one.repairs, weight)
        for number, (one, weight) in enumerate(tuned)
        for each in diagnose(known, read(one.text, known).clues(Traits())).likely
    ]
    groups = repair_groups()
    for number, one in enumerate(complaints()):
        if one.held_out:
            first = diagnose(known, read(one.text, known).clues(Traits())).candidates[0]
            right = groups.of(first.problem.slug) == one.group
            seen.append(Shown(number, first.probability, right, _UNSEEN))
    return seen


def fitted(seen: Iterable[Shown]) -> tuple[tuple[float, float], ...]:
    """Return the rising line through fixed places that is nearest to what was right, by least squares."""
    places = [_place(one) for one in seen]
    heights = list(_AT)
    for _ in range(_STEPS):
        down, mass = [0.0] * len(_AT), [1e-9] * len(_AT)
        for low, share, right, weight in places:
            error = heights[low] * (1 - share) + heights[low + 1] * share - right
            for at, part in ((low, 1 - share), (low + 1, share)):
                down[at] += weight * error * part
                mass[at] += weight * part
        heights = _rising([one - d / m / 2 for one, d, m in zip(heights, down, mass, strict=True)], mass)
    heights[0] = min(heights[0], _LOWEST)
    return tuple((at, round(min(_HIGHEST, one), 3)) for at, one in zip(_AT, heights, strict=True))


def _place(one: Shown) -> tuple[int, float, bool, float]:
    low = next(at for at, (_, high) in enumerate(pairwise(_AT)) if one.chance <= high or high == _AT[-1])
    return low, (one.chance - _AT[low]) / (_AT[low + 1] - _AT[low]), one.right, one.weight


def _rising(heights: Sequence[float], mass: Sequence[float]) -> list[float]:
    """Pool neighbors that fall until none does."""
    pools: list[tuple[float, float, int]] = []
    for height, weight in zip(heights, mass, strict=True):
        pools.append((height, weight, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, m, i), (b, n, j) = pools[-2:]
            pools[-2:] = [((a * m + b * n) / (m + n), m + n, i + j)]
    return [height for height, _, often in pools for _ in range(often)]


def _judge(pairs: tuple[tuple[float, float], ...]) -> Callable[[float], float]:
    model = evolve(WordModel(groups=(), rarity={}, weights={}, bias=()), stated=pairs)
    return lambda chance: model.stated_for(chance) or 0.0


def main() -> None:
    """Print the pairs, and how they hold on texts that they were not fitted on."""
    seen = shown(knowledge())
    tell("stated = [")
    for pair in fitted(seen):
        tell(f"  [{pair[0]}, {pair[1]}],")
    tell("]")
    judged = []
    for fold in range(_FOLDS):
        judge = _judge(fitted(one for one in seen if one.text % _FOLDS != fold))
        judged += [(judge(one.chance), one.right) for one in seen if one.text % _FOLDS == fold]
    for line in fifths(judged):
        tell(line)


if __name__ == "__main__":
    main()
