"""The text format of the line model: lines in a fixed order, for review and comparison.

The first line names the format, the second has a digest of what the model learned from, the third the sharpness, the
fourth the meanings. Each line after them has a feature, its rarity, and the meanings that it speaks for or against, by
their zero-based indexes in the list of meanings, with their weights in eighths.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from repaircore.line_model.model import LineModel

_FORMAT: Final = "line-model 2"


def dump(model: LineModel, training_digest: str = "") -> str:
    """Return a model in the text format; equal models give equal strings.

    ``training_digest`` is a digest of what the model learned from, which shows whether that has changed since.
    """
    return "".join(f"{line}\n" for line in _lines(model, training_digest))


def training_digest_of(text: str) -> str:
    """Return the training digest of a model in the text format."""
    return text.splitlines()[1]


def load(text: str) -> LineModel:
    """Parse a model in the text format.

    Raises:
        ValueError: the string is not in this format.
    """
    first, _, sharpness, meanings, *rest = text.splitlines() or [""] * 4
    if first != _FORMAT:
        raise ValueError(f"Unsupported line model format: the first line must be {_FORMAT!r}.")
    rarity: dict[str, float] = {}
    weights: dict[str, Sequence[tuple[int, int]]] = {}
    pair_of = cache(_pair)  # equal pairs are stored once
    rare_as = cache(float)
    for line in rest:
        name, rare, pairs = line.split("\t")
        rarity[name] = rare_as(rare)
        weights[name] = tuple(map(pair_of, pairs.split(" ")))
    return LineModel(
        meanings=tuple(meanings.split("\t")), rarity=rarity, weights=weights, sharpness=float(sharpness)
    )


def _lines(model: LineModel, training_digest: str) -> Iterator[str]:
    yield _FORMAT
    yield training_digest
    yield str(model.sharpness)
    yield "\t".join(model.meanings)
    for name, pairs in sorted(model.weights.items()):
        yield f"{name}\t{model.rarity[name]}\t{_row(pairs)}"


def _row(pairs: Sequence[tuple[int, int]]) -> str:
    return " ".join(f"{number}:{weight}" for number, weight in pairs)


def _pair(text: str) -> tuple[int, int]:
    number, _, weight = text.partition(":")
    return int(number), int(weight)
