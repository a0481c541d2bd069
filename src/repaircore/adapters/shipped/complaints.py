"""The shipped complaints, the groups of repairs that they are labeled with, and the word model trained on them."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from attrs import frozen

from repaircore.book.model import Problem
from repaircore.json_text import decode
from repaircore.word_model.groups import Groups, RepairGroup
from repaircore.word_model.model import NO_WORDS, WordModel
from repaircore.word_model.training import Example, Trained, accuracy, book_examples, calibrated, train
from repaircore.word_model.weights_text import dump, load

_LINES: Final = ".jsonl"
_ONE_IN: Final = 5
"""One complaint in this many is held out, by a hash of its text, so that the choice never changes."""


@frozen(kw_only=True)
class Complaint:
    """A complaint that was written for the word model; complaints that are ``held_out`` measure its accuracy.

    ``dangers`` are the dangers that it describes as present, or None if that has not been judged.
    """

    text: str
    group: str
    voice: str
    held_out: bool
    dangers: frozenset[str] | None = None


@cache
def repair_groups() -> Groups:
    """Read the groups of repairs.

    Raises:
        KeyError, ValueError: the list is malformed (a contributor's mistake, which the tests find).
    """
    page = tomllib.loads(_folder().joinpath("groups.toml").read_text("utf-8"))
    return Groups(
        RepairGroup(slug=group["slug"], name=group["name"], repairs=tuple(group["repairs"]))
        for group in page["group"]
    )


def seen_repairs() -> dict[str, float]:
    """Read how often each repair was needed in the questions that were labeled for tuning."""
    page = tomllib.loads(_folder().joinpath("seen.toml").read_text("utf-8"))
    return {slug: float(often) for slug, often in page["seen"].items()}


def stated_chances() -> list[tuple[float, float]]:
    """Read pairs of a stated probability and the share of the texts labeled for tuning in which it came true."""
    page = tomllib.loads(_folder().joinpath("seen.toml").read_text("utf-8"))
    return [(float(chance), float(met)) for chance, met in page["stated"]]


def complaints() -> Iterator[Complaint]:
    """Yield the complaints, sorted by group.

    Raises:
        KeyError, ValueError: a line is malformed (a contributor's mistake, which the tests find).
    """
    for page in sorted(_folder().iterdir(), key=lambda file: file.name):
        if page.name.endswith(_LINES):
            for line in page.read_text("utf-8").splitlines():
                entry = decode(line)
                yield Complaint(
                    text=entry["text"],
                    group=page.name.removesuffix(_LINES),
                    voice=entry["voice"],
                    held_out=_is_held_out(entry["text"]),
                    dangers=frozenset(entry["dangers"]) if "dangers" in entry else None,
                )


def _is_held_out(text: str) -> bool:
    return sha256(text.encode()).digest()[0] % _ONE_IN == 0


def _folder() -> Traversable:
    return files("repaircore.data").joinpath("complaints")


_WEIGHTS: Final = "word_weights.tsv"


@cache
def word_model() -> WordModel:
    """Return the shipped model, read once per process, or an empty one if none is shipped.

    Raises:
        ValueError: the file is malformed (a contributor's mistake, which the tests find).
    """
    file = files("repaircore.data") / _WEIGHTS
    return load(file.read_text("utf-8")) if file.is_file() else NO_WORDS


def retrain(problems: Iterable[Problem], symptoms: Mapping[str, str]) -> Trained:
    """Train a model on the shipped complaints and the book; calibrate it on the held-out complaints.

    Return the trained model with its accuracy on the held-out complaints.
    """
    groups = repair_groups()
    listed = list(complaints())
    own = [Example(complaint.text, complaint.group) for complaint in listed if not complaint.held_out]
    held_out = [Example(complaint.text, complaint.group) for complaint in listed if complaint.held_out]
    slugs = [group.slug for group in groups.listed]
    model = train(
        [*own, *book_examples(problems, groups, symptoms)],
        slugs,
        seen=seen_repairs(),
        stated=stated_chances(),
    )
    model = calibrated(model, held_out)
    return Trained(
        text=dump(model),
        examples=len(own),
        held_out=len(held_out),
        first=accuracy(model, held_out, first=1)[0],
        third=accuracy(model, held_out, first=3)[0],
    )
