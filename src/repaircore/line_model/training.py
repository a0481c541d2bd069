"""Train the line model on labeled lines, in plain Python; the same lines always give the same weights.

Stochastic gradient steps with a step length per weight (AdaGrad) minimize the logistic loss. Only meanings that are
likely enough to matter are corrected, so the weights stay sparse, and ten thousand lines take a minute or two.
"""

import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attrs import frozen

from repaircore.line_model.features import Line, features
from repaircore.line_model.model import SCALE, LineModel, vector

_ROUNDS: Final = 8
_RATE: Final = 1.5
_LEAST_LIKELY: Final = 0.03
"""A meaning that is less likely than this is not corrected."""

_LEAST_OFTEN: Final = 2
"""Features in fewer lines are dropped, since they would overfit, but words stay: many parts occur only once."""

_LEAST: Final = 3
"""Weights of fewer eighths than this are dropped."""

_FLAT: Final = 0.02
"""The initial squared slope, so that the first step of a weight is not a full one."""

_SEED: Final = 18


@frozen
class Example:
    """A line, what it means, and its weight."""

    line: Line
    meaning: str
    weight: float = 1.0


_Row = tuple[Sequence[tuple[int, float]], int, float]
"""A prepared example: the numbers of its features with their values, the number of its meaning, and its weight."""


def train(examples: Sequence[Example], *, rounds: int = _ROUNDS, sharpness: float = 1.0) -> LineModel:
    """Return a model trained on the examples."""
    counted = [features(example.line) for example in examples]
    rarity = _rarity(counted)
    names = list(rarity)
    numbers = {name: number for number, name in enumerate(names)}
    meanings = tuple(sorted({example.meaning for example in examples}))
    places = {name: number for number, name in enumerate(meanings)}
    rows: list[_Row] = [
        (
            [(numbers[name], value) for name, value in vector(found, rarity).items()],
            places[example.meaning],
            example.weight,
        )
        for example, found in zip(examples, counted, strict=True)
    ]
    weights = _descended(rows, len(names), len(meanings), rounds)
    packed = {name: kept for name, row in zip(names, weights, strict=True) if (kept := _packed(row))}
    return LineModel(
        meanings=meanings,
        rarity={name: rarity[name] for name in packed},
        weights=packed,
        sharpness=sharpness,
    )


def _rarity(counted: Sequence[Mapping[str, float]]) -> dict[str, float]:
    often = Counter(name for found in counted for name in found)
    return {
        name: round(math.log(len(counted) / count), 3)
        for name, count in sorted(often.items())
        if count >= _LEAST_OFTEN or name.isalpha()
    }


def _descended(rows: Sequence[_Row], names: int, meanings: int, rounds: int) -> list[dict[int, float]]:
    """Return the weights after several rounds over the rows, each in random order."""
    weights: list[dict[int, float]] = [{} for _ in range(names)]
    slopes: list[dict[int, float]] = [{} for _ in range(names)]
    order = list(rows)
    draw = random.Random(_SEED)  # noqa: S311 - no secret
    for _ in range(rounds):
        draw.shuffle(order)
        for values, meaning, weight in order:
            errors = _errors(weights, values, meaning, meanings, weight)
            _step(weights, slopes, values, errors)
    return weights


def _errors(
    weights: Sequence[Mapping[int, float]],
    values: Iterable[tuple[int, float]],
    meaning: int,
    meanings: int,
    weight: float,
) -> list[tuple[int, float]]:
    """Return the error in the probability of each likely meaning and of the right one, times the example's weight."""
    scores: dict[int, float] = {meaning: 0.0}
    for number, value in values:
        for candidate, each in weights[number].items():
            scores[candidate] = scores.get(candidate, 0.0) + value * each
    shares = {candidate: math.exp(score) for candidate, score in scores.items()}
    whole = math.fsum(shares.values()) + meanings - len(shares)
    chances = ((candidate, share / whole - (candidate == meaning)) for candidate, share in shares.items())
    return [
        (candidate, weight * chance)
        for candidate, chance in chances
        if candidate == meaning or chance >= _LEAST_LIKELY
    ]


def _step(
    weights: Sequence[dict[int, float]],
    slopes: Sequence[dict[int, float]],
    values: Iterable[tuple[int, float]],
    errors: Sequence[tuple[int, float]],
) -> None:
    for number, value in values:
        row, steep = weights[number], slopes[number]
        for candidate, error in errors:
            slope = error * value
            steep[candidate] = squared = steep.get(candidate, _FLAT) + slope * slope
            row[candidate] = row.get(candidate, 0.0) - _RATE * slope / math.sqrt(squared)


def _packed(row: Mapping[int, float]) -> Sequence[tuple[int, int]]:
    eighths = ((number, round(weight * SCALE)) for number, weight in sorted(row.items()))
    return tuple((number, weight) for number, weight in eighths if abs(weight) >= _LEAST)
