"""The shipped complaints and the groups of repairs that they are labeled with."""

import tomllib
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from attrs import frozen

from repaircore.json_text import decode
from repaircore.word_model.groups import Groups, RepairGroup

_LINES: Final = ".jsonl"
_ONE_IN: Final = 5
"""One complaint in so many is held out, by a hash of its text: which ones never changes."""


@frozen(kw_only=True)
class Complaint:
    """A complaint that was written for the word model, its group, and whether it is held out to measure by."""

    text: str
    group: str
    voice: str
    held_out: bool


@cache
def repair_groups() -> Groups:
    """Read the groups of repairs.

    Raises:
        KeyError, ValueError: the list is not as it should be (a contributor's mistake; the tests find it).
    """
    page = tomllib.loads(_folder().joinpath("groups.toml").read_text("utf-8"))
    return Groups(
        RepairGroup(slug=one["slug"], name=one["name"], repairs=tuple(one["repairs"]))
        for one in page["group"]
    )


def seen_repairs() -> dict[str, float]:
    """Read how often each repair was what owners needed, in the questions that were labeled for tuning."""
    page = tomllib.loads(_folder().joinpath("seen.toml").read_text("utf-8"))
    return {slug: float(often) for slug, often in page["seen"].items()}


def stated_chances() -> list[tuple[float, float]]:
    """Read how often probabilities of repairs were met, in the questions and searches that were labeled for tuning."""
    page = tomllib.loads(_folder().joinpath("seen.toml").read_text("utf-8"))
    return [(float(chance), float(met)) for chance, met in page["stated"]]


def complaints() -> Iterator[Complaint]:
    """Read the complaints, by group.

    Raises:
        KeyError, ValueError: a line is not as it should be (a contributor's mistake; the tests find it).
    """
    for page in sorted(_folder().iterdir(), key=lambda one: one.name):
        if page.name.endswith(_LINES):
            for line in page.read_text("utf-8").splitlines():
                entry = decode(line)
                yield Complaint(
                    text=entry["text"],
                    group=page.name.removesuffix(_LINES),
                    voice=entry["voice"],
                    held_out=_is_held_out(entry["text"]),
                )


def _is_held_out(text: str) -> bool:
    return sha256(text.encode()).digest()[0] % _ONE_IN == 0


def _folder() -> Traversable:
    return files("repaircore.data").joinpath("complaints")
