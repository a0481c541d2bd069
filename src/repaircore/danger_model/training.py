"""Train the danger model on labeled texts, in plain Python; the same examples always give the same weights.

A label is about a whole text, a suspicion about one of its sentences. So training takes several rounds: if a text
describes a danger, only the sentence that the previous round was surest of counts.
"""

import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import frozen

from repaircore.danger_model.features import candidates
from repaircore.danger_model.model import DangerModel
from repaircore.danger_model.wording import Wording
from repaircore.kernel.vectors import unit_vector

_ROUNDS: Final = 3
_PASSES: Final = 25
_RATE: Final = 0.7
_PENALTY: Final = 1e-4
_LEAST_OFTEN: Final = 2
"""Features that occur in fewer suspicions are dropped, since they would overfit."""

_LEAST: Final = 0.02
"""Weights with a smaller absolute value are dropped."""

_SEED: Final = 18


@frozen
class LabeledText:
    """A text, the dangers that it describes as present (none if it is harmless), and its weight in training."""

    text: str
    dangers: frozenset[str] = frozenset()
    weight: float = 1.0


@frozen(kw_only=True)
class TrainedDangers:
    """A trained model in its text format, how many texts it learned from, and how well it judges held-out ones.

    On its own, the model finds ``met`` of the ``real`` dangers, and finds a danger in ``false`` of the ``harmless``
    texts.
    """

    text: str
    texts: int
    real: int
    met: int
    harmless: int
    false: int


@frozen
class _Example:
    text: int
    danger: str
    names: tuple[int, ...]
    values: tuple[float, ...]
    present: bool
    weight: float


def train_dangers(texts: Sequence[LabeledText], wording: Wording) -> DangerModel:
    """Train a model on labeled texts."""
    found = [
        (number, danger, unit_vector(features))
        for number, text in enumerate(texts)
        for danger, features in candidates(text.text, wording)
    ]
    often = Counter(name for _, _, values in found for name in values)
    names = {name: at for at, name in enumerate(sorted(often)) if often[name] >= _LEAST_OFTEN}
    examples = list(_examples(found, names, texts))
    chosen: Sequence[_Example] = examples
    weights, bias = [0.0] * len(often), 0.0
    for _ in range(_ROUNDS):
        weights, bias = _fitted(chosen, len(often))
        chosen = list(_surest(examples, weights))
    listed = {name: round(weights[at], 3) for name, at in names.items()}
    return DangerModel(
        wording=wording,
        weights={name: weight for name, weight in listed.items() if abs(weight) >= _LEAST},
        bias=round(bias, 3),
    )


def judged(model: DangerModel, texts: Iterable[LabeledText], least: float) -> tuple[int, int, int, int]:
    """Return the numbers of real dangers, real dangers found, harmless texts, and harmless texts with a false alarm.

    A danger counts as found if it scores ``least`` or more.
    """
    real = met = harmless = false = 0
    for text in texts:
        predicted = {danger for danger, score in model.scores(text.text).items() if score >= least}
        real += len(text.dangers)
        met += len(text.dangers & predicted)
        harmless += not text.dangers
        false += not text.dangers and bool(predicted)
    return real, met, harmless, false


def _examples(
    found: Iterable[tuple[int, str, Mapping[str, float]]],
    names: Mapping[str, int],
    texts: Sequence[LabeledText],
) -> Iterator[_Example]:
    for number, danger, values in found:
        known = [(names[name], value) for name, value in sorted(values.items()) if name in names]
        yield _Example(
            number,
            danger,
            tuple(name for name, _ in known),
            tuple(value for _, value in known),
            danger in texts[number].dangers,
            texts[number].weight,
        )


def _surest(examples: Sequence[_Example], weights: Sequence[float]) -> Iterator[_Example]:
    """Yield the examples; for a danger that a text describes, only those of its surest sentences."""
    best: dict[tuple[int, str], float] = {}
    for each in examples:
        if each.present:
            key = (each.text, each.danger)
            best[key] = max(best.get(key, -math.inf), _score(each, weights))
    for each in examples:
        if not each.present or _score(each, weights) >= best[each.text, each.danger]:
            yield each


def _score(example: _Example, weights: Sequence[float]) -> float:
    return math.fsum(weights[at] * value for at, value in zip(example.names, example.values, strict=True))


def _fitted(examples: Sequence[_Example], size: int) -> tuple[list[float], float]:
    """Return weights and bias that minimize the logistic loss with an L2 penalty, by AdaGrad."""
    weights, steps, bias = [0.0] * size, [1e-8] * size, 0.0
    dice = random.Random(_SEED)  # noqa: S311 - the order of examples is not a secret
    order = list(range(len(examples)))
    for _ in range(_PASSES):
        dice.shuffle(order)
        for number in order:
            each = examples[number]
            score = bias + _score(each, weights)
            slope = each.weight * (1 / (1 + math.exp(-max(-30.0, min(30.0, score)))) - each.present)
            bias -= 0.01 * slope
            for at, value in zip(each.names, each.values, strict=True):
                down = slope * value
                steps[at] += down * down
                pace = _RATE / math.sqrt(steps[at])
                weights[at] -= pace * (down + _PENALTY * weights[at])
    return weights, bias
