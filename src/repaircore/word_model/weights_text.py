"""The text format of the word model: lines in a fixed order, for review and comparison.

The line that names the format is followed by the ``sharpness``. A ``group`` line has a group and its bias, a ``seen``
line a repair and how often it was needed, a ``stated`` line a probability and the share of repairs with it that were
right, and a ``word`` line a word or pair of words, its rarity, and the groups, by their index from 0, with their
weights in eighths.
"""

from collections.abc import Iterator
from functools import cache
from typing import Final

from repaircore.word_model.model import ZERO, WordModel

_FORMAT: Final = "word-model 1"


def dump(model: WordModel) -> str:
    """Return a model in the text format; equal models give equal strings."""
    return "".join(f"{line}\n" for line in _lines(model))


def load(text: str) -> WordModel:
    """Parse a model in the text format.

    Raises:
        ValueError: the string is not in this format.
    """
    first, _, rest = text.partition("\n")
    if first != _FORMAT:
        raise ValueError(f"Unsupported word model format: the first line must be {_FORMAT!r}.")
    groups: dict[str, float] = {}
    seen: dict[str, float] = {}
    rarity: dict[str, float] = {}
    weights: dict[str, bytes] = {}
    stated: list[tuple[float, float]] = []
    sharpness = 1.0
    shared = cache(float)  # thousands of words are equally rare
    for line in rest.splitlines():
        kind, name, *values = line.split("\t")
        if kind == "word":
            rarity[name] = shared(values[0])
            weights[name] = _row(values[1])
        elif kind == "group":
            groups[name] = float(values[0])
        elif kind == "seen":
            seen[name] = float(values[0])
        elif kind == "stated":
            stated.append((float(name), float(values[0])))
        elif kind == "sharpness":
            sharpness = float(name)
        else:
            raise ValueError(f"A word model cannot have lines of the kind {kind!r}.")
    return WordModel(
        groups=tuple(groups),
        rarity=rarity,
        weights=weights,
        bias=tuple(groups.values()),
        sharpness=sharpness,
        seen=seen,
        stated=tuple(stated),
    )


def _lines(model: WordModel) -> Iterator[str]:
    yield _FORMAT
    yield f"sharpness\t{model.sharpness}"
    for slug, bias in zip(model.groups, model.bias, strict=True):
        yield f"group\t{slug}\t{bias}"
    for slug, often in sorted(model.seen.items()):
        yield f"seen\t{slug}\t{round(often, 4)}"
    for chance, met in model.stated:
        yield f"stated\t{chance}\t{met}"
    for name, row in sorted(model.weights.items()):
        pairs = " ".join(f"{row[at]}:{row[at + 1] - ZERO}" for at in range(0, len(row), 2))
        yield f"word\t{name}\t{model.rarity[name]}\t{pairs}"


def _row(text: str) -> bytes:
    row = bytearray()
    for pair in text.split(" "):
        group, _, weight = pair.partition(":")
        row += bytes((int(group), ZERO + int(weight)))
    return bytes(row)
