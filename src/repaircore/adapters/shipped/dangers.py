"""The shipped texts about dangers, the wordings that may indicate one, and the danger model trained on them."""

import tomllib
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import cycle, islice
from typing import Final

from repaircore.adapters.shipped.complaints import complaints
from repaircore.danger_model.model import ALONE, DangerModel
from repaircore.danger_model.training import LabeledText, TrainedDangers, judged, train_dangers
from repaircore.danger_model.weights_text import dump_dangers, load_dangers
from repaircore.danger_model.wording import Wording
from repaircore.json_text import decode

_WEIGHTS: Final = "danger_weights.tsv"
_ONE_IN: Final = 5
"""One text in this many is held out, by its hash, so that the choice never changes."""

_FRAMES: Final = 4
"""How many frames of each kind are applied to a statement."""

_COMPOSED: Final = 0.5
"""The weight of a composed text, relative to a written one."""


@cache
def danger_wording() -> Wording:
    """Read the wordings that may indicate a danger.

    Raises:
        KeyError, ValueError: the list is malformed (a contributor's mistake, which the tests find).
    """
    page = tomllib.loads(_folder().joinpath("words.toml").read_text("utf-8"))
    return Wording(page["classes"], page["short"], page["suspicions"])


@cache
def danger_model() -> DangerModel:
    """Return the shipped model, read once per process, or a model without opinions if none is shipped.

    Raises:
        ValueError: the file is malformed (a contributor's mistake, which the tests find).
    """
    file = files("repaircore.data") / _WEIGHTS
    wording = danger_wording()
    return load_dangers(file.read_text("utf-8"), wording) if file.is_file() else DangerModel(wording=wording)


def written_texts() -> Iterator[LabeledText]:
    """Yield the texts that were written for the danger model: real dangers, then harmless ones with the same words.

    Raises:
        KeyError, ValueError: a line is malformed (a contributor's mistake, which the tests find).
    """
    for name in ("present", "harmless"):
        for line in _folder().joinpath(f"{name}.jsonl").read_text("utf-8").splitlines():
            entry = decode(line)
            yield LabeledText(entry["text"], frozenset(entry.get("dangers", ())))


def composed_texts() -> Iterator[LabeledText]:
    """Yield plain statements of dangers, each alone and in frames that make the danger present or absent.

    Raises:
        KeyError, ValueError: the list is malformed (a contributor's mistake, which the tests find).
    """
    page = tomllib.loads(_folder().joinpath("composed.toml").read_text("utf-8"))
    present, harmless = cycle(page["present"]), cycle(page["harmless"])
    for danger, statements in page["statements"].items():
        for statement in statements:
            yield LabeledText(statement, frozenset({danger}), _COMPOSED)
            for frame in islice(present, _FRAMES):
                yield LabeledText(frame.format(statement), frozenset({danger}), _COMPOSED)
            for frame in islice(harmless, _FRAMES):
                yield LabeledText(frame.format(statement), weight=_COMPOSED)


def labeled_complaints() -> Iterator[LabeledText]:
    """Yield the complaints of the word model that are labeled with the dangers that they describe."""
    for complaint in complaints():
        if complaint.dangers is not None:
            yield LabeledText(complaint.text, complaint.dangers)


def danger_texts() -> list[LabeledText]:
    """Return all labeled texts."""
    return [*written_texts(), *labeled_complaints(), *composed_texts()]


def is_held_out(text: LabeledText) -> bool:
    """Return whether a text is used to measure the model instead of training it."""
    return part_of(text, _ONE_IN) == 0


def part_of(text: LabeledText, parts: int) -> int:
    """Return the number of the part, from 0 to ``parts`` - 1, to which the hash of a text assigns it."""
    return sha256(text.text.encode()).digest()[1] % parts


def retrain_dangers() -> TrainedDangers:
    """Train a model on all shipped texts; measure its accuracy with a model that has not seen the held-out texts."""
    listed, wording = danger_texts(), danger_wording()
    measured = train_dangers([text for text in listed if not is_held_out(text)], wording)
    real, met, harmless, false = judged(
        measured, (text for text in listed if is_held_out(text) and text.weight == 1), ALONE
    )
    return TrainedDangers(
        text=dump_dangers(train_dangers(listed, wording)),
        texts=len(listed),
        real=real,
        met=met,
        harmless=harmless,
        false=false,
    )


def _folder() -> Traversable:
    return files("repaircore.data").joinpath("dangers")
