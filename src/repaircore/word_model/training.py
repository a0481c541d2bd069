"""Train the word model on labeled complaints, in plain Python; the same examples always give the same weights.

Stochastic gradient descent with a step size per feature (AdaGrad) minimizes the logistic loss with an L2 penalty. That
takes a minute or two for ten thousand short complaints, and is done when the package is built, not when it runs.
"""

import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import evolve, frozen

from repaircore.book.model import Problem
from repaircore.word_model.features import features
from repaircore.word_model.groups import Groups
from repaircore.word_model.model import SCALE, ZERO, WordModel, vector

_ROUNDS: Final = 10
_RATE: Final = 1.0
_PENALTY: Final = 2e-5
_LEAST_OFTEN: Final = 2
"""Features that occur in fewer examples are dropped, because they would overfit."""

_LEAST: Final = 2
"""Weights of fewer eighths than this are dropped."""

_OF_THE_BOOK: Final = 0.5
_OFTEN_SHOWN: Final = 0.15
_LARGEST: Final = 127
_SEED: Final = 18
_SHARPEST: Final = 8.0


@frozen
class Example:
    """A complaint, the slug of its group of repairs, its weight, and the repair if known."""

    text: str
    group: str
    weight: float = 1.0
    repair: str | None = None


@frozen(kw_only=True)
class Trained:
    """A trained model in its text format, the number of complaints it learned from, and its accuracy on held-out ones.

    ``first`` and ``third`` count the held-out complaints whose group is ranked first, or among the first three.
    """

    text: str
    examples: int
    held_out: int
    first: int
    third: int


def book_examples(
    problems: Iterable[Problem], groups: Groups, symptoms: Mapping[str, str]
) -> Iterator[Example]:
    """Yield what the book itself says about each repair, as complaints that count half."""
    for problem in problems:
        group = groups.of(problem.slug)
        if group is None:
            continue
        shown = (symptoms[each.slug] for each in problem.symptoms if each.share >= _OFTEN_SHOWN)
        for text in (problem.name, problem.description, *problem.keywords, *shown):
            yield Example(text, group, _OF_THE_BOOK)


_Row = tuple[Sequence[int], Sequence[float], int, float]
"""A prepared example: the numbers of its features, their values, its group's number, and its weight."""


def train(
    examples: Sequence[Example],
    groups: Sequence[str],
    *,
    rounds: int = _ROUNDS,
    seen: Mapping[str, float] | None = None,
    stated: Sequence[tuple[float, float]] = (),
) -> WordModel:
    """Train a model on the examples.

    ``seen`` is how often each repair was needed, and ``stated`` is the calibration; both may be empty.
    """
    counted = [features(each.text) for each in examples]
    rarity = _rarity(counted)
    numbers = {feature: at for at, feature in enumerate(rarity)}
    by_slug = {slug: at for at, slug in enumerate(groups)}
    rows: list[_Row] = []
    for example, counts in zip(examples, counted, strict=True):
        rows += _rows(example, vector(counts, rarity), numbers, by_slug)
    weights = [[0.0] * len(groups) for _ in numbers]
    bias = [0.0] * len(groups)
    _descend(rows, weights, bias, anchor=None, rounds=rounds)
    return WordModel(
        groups=tuple(groups),
        rarity={name: rarity[name] for name in numbers if _packed(weights[numbers[name]])},
        weights={name: packed for name, number in numbers.items() if (packed := _packed(weights[number]))},
        bias=tuple(round(value, 3) for value in bias),
        seen=dict(seen or {}),
        stated=tuple(stated),
    )


def fine_tuned(model: WordModel, examples: Sequence[Example], *, rounds: int = _ROUNDS) -> WordModel:
    """Return the model trained further on more examples, with its current weights as the prior.

    New features are added if they occur often enough. Features that no example has keep their weights.
    """
    known = [each for each in examples if each.group in model.groups]
    if not known:
        return model
    counted = [features(each.text) for each in known]
    often = Counter(name for counts in counted for name in counts)
    unseen = max(model.rarity.values(), default=1.0)
    rarity = dict(model.rarity) | {
        name: unseen for name, number in often.items() if name not in model.rarity and number >= _LEAST_OFTEN
    }
    by_slug = {slug: at for at, slug in enumerate(model.groups)}
    touched = [
        name for name in dict.fromkeys(name for counts in counted for name in counts) if name in rarity
    ]
    numbers = {name: at for at, name in enumerate(touched)}
    weights = [_unpacked(model.weights.get(name, b""), len(model.groups)) for name in touched]
    rows: list[_Row] = []
    for example, counts in zip(known, counted, strict=True):
        rows += _rows(example, vector(counts, rarity), numbers, by_slug)
    bias = list(model.bias)
    _descend(rows, weights, bias, anchor=[list(row) for row in weights], rounds=rounds)
    changed = {name: packed for name, number in numbers.items() if (packed := _packed(weights[number]))}
    return evolve(
        model,
        rarity={
            name: value
            for name, value in rarity.items()
            if name in changed or (name in model.weights and name not in numbers)
        },
        weights={name: packed for name, packed in model.weights.items() if name not in numbers} | changed,
        seen=_counted(model, known),
    )


def calibrated(model: WordModel, examples: Sequence[Example]) -> WordModel:
    """Return the model with the sharpness that best fits examples that it was not trained on."""
    low, high = 0.1, _SHARPEST
    for _ in range(24):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if _loss(evolve(model, sharpness=left), examples) < _loss(evolve(model, sharpness=right), examples):
            high = right
        else:
            low = left
    return evolve(model, sharpness=round((low + high) / 2, 3))


def accuracy(model: WordModel, examples: Iterable[Example], *, first: int) -> tuple[int, int]:
    """Return how many examples have their group among the ``first`` likeliest groups, and the total number."""
    right = whole = 0
    for example in examples:
        whole += 1
        chances = model.log_chances(example.text)
        if chances is not None:
            best = sorted(range(len(chances)), key=lambda at: -chances[at])[:first]
            right += model.groups.index(example.group) in best
    return right, whole


def _rows(
    example: Example, values: Mapping[str, float], numbers: Mapping[str, int], by_slug: Mapping[str, int]
) -> list[_Row]:
    """Return the row for an example in a list, which is empty if the example has no known feature."""
    if not values:
        return []
    return [([numbers[name] for name in values], [*values.values()], by_slug[example.group], example.weight)]


def _loss(model: WordModel, examples: Iterable[Example]) -> float:
    lost = 0.0
    for example in examples:
        chances = model.log_chances(example.text)
        if chances is not None:
            lost -= example.weight * chances[model.groups.index(example.group)]
    return lost


def _rarity(counted: Sequence[Mapping[str, float]]) -> dict[str, float]:
    often = Counter(name for counts in counted for name in counts)
    return {
        name: round(math.log((1 + len(counted)) / (1 + number)) + 1, 3)
        for name, number in sorted(often.items())
        if number >= _LEAST_OFTEN
    }


def _descend(
    rows: Sequence[_Row],
    weights: list[list[float]],
    bias: list[float],
    *,
    anchor: Sequence[Sequence[float]] | None,
    rounds: int,
) -> None:
    """Fit the weights and the bias to the rows, in place; the penalty pulls the weights toward the anchor, or 0."""
    steps = [1e-8] * len(weights)
    dice = random.Random(_SEED)  # noqa: S311 - the order of examples is not secret
    order = list(range(len(rows)))
    for _ in range(rounds):
        dice.shuffle(order)
        for at in order:
            names, values, group, weight = rows[at]
            scores = bias[:]
            for name, value in zip(names, values, strict=True):
                scores = [score + value * each for score, each in zip(scores, weights[name], strict=True)]
            slope = _slope(scores, group, weight)
            norm = math.fsum(each * each for each in slope)
            if norm < 1e-10:  # noqa: PLR2004 - already explained
                continue
            bias[:] = [each - 0.01 * down for each, down in zip(bias, slope, strict=True)]
            for name, value in zip(names, values, strict=True):
                steps[name] += norm * value * value
                pace = _RATE / math.sqrt(steps[name])
                down = pace * value
                fade = min(0.5, pace * _PENALTY)
                row = weights[name]
                if anchor is None:
                    weights[name] = [
                        each * (1 - fade) - down * by for each, by in zip(row, slope, strict=True)
                    ]
                else:
                    weights[name] = [
                        each - fade * (each - home) - down * by
                        for each, by, home in zip(row, slope, anchor[name], strict=True)
                    ]


def _slope(scores: Sequence[float], group: int, weight: float) -> list[float]:
    most = max(scores)
    odds = [math.exp(score - most) for score in scores]
    whole = math.fsum(odds)
    slope = [weight * odd / whole for odd in odds]
    slope[group] -= weight
    return slope


def _packed(row: Sequence[float]) -> bytes:
    pairs = bytearray()
    for group, weight in enumerate(row):
        eighths = max(-_LARGEST, min(_LARGEST, round(weight * SCALE)))
        if abs(eighths) >= _LEAST:
            pairs += bytes((group, ZERO + eighths))
    return bytes(pairs)


def _unpacked(row: bytes, groups: int) -> list[float]:
    weights = [0.0] * groups
    for at in range(0, len(row), 2):
        weights[row[at]] = (row[at + 1] - ZERO) / SCALE
    return weights


def _counted(model: WordModel, examples: Iterable[Example]) -> dict[str, float]:
    seen = dict(model.seen)
    for example in examples:
        if example.repair is not None:
            seen[example.repair] = seen.get(example.repair, 0.0) + example.weight
    return seen
