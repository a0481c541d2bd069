"""Which model a name means, however it is written.

The sources spell alike what owners tell apart, and the other way round: vPIC says "Silverado" where
the badge says "Silverado 1500", the EPA "F150 Pickup 2WD" where it says "F-150".
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from repaircore.kernel.spelling import key, words_key

__all__ = ["closest", "meant", "unique"]

_LETTERS: Final = re.compile(r"([a-z]+)\d")


def meant(names: Iterable[str], asked: str) -> Sequence[str]:
    """Give those of the names that somebody means: the same one, else those that it begins, else the closest.

    "f150" is an F-150; "Silverado" is every Silverado; "F150 Pickup 2WD" is an F-150.
    """
    listed = list(names)
    same = [name for name in listed if key(name) == key(asked)]
    if same or not key(asked):
        return same
    words = words_key(asked)
    begun = [name for name in listed if words_key(name)[: len(words)] == words]
    if begun:
        return begun
    found = closest(listed, asked)
    return [] if found is None else [found[0]]


def closest(names: Iterable[str], asked: str) -> tuple[str, str] | None:
    """Give the name that stands in the asked one, and the words left over; None when none does.

    The longest and foremost run of words counts: of Grand Cherokee and Cherokee, "Grand Cherokee Laredo 4WD" is the
    former, and "Laredo 4WD" is left over. A Mercedes-Benz "C300 4matic" is a C-Class.
    """
    by_key = {key(name): name for name in names}
    said = asked.split()
    for run, rest in _runs(said):
        name = by_key.get(key(run))
        if name is not None:
            return name, rest
    for run, rest in _runs(said):
        letters = _LETTERS.match(key(run))
        name = None if letters is None else by_key.get(f"{letters[1]}class")
        if name is not None:
            return name, f"{run} {rest}".strip()
    return None


def unique(names: Iterable[str]) -> list[str]:
    """List names in the order of the alphabet, each once; of two spellings the first one stays."""
    by_key: dict[str, str] = {}
    for name in names:
        if key(name):
            by_key.setdefault(key(name), name)
    return sorted(by_key.values(), key=_alphabetical)


def _runs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length + 1):
            run = words[start : start + length]
            yield " ".join(run), " ".join((*words[:start], *words[start + length :]))


def _alphabetical(name: str) -> tuple[str, str]:
    return name.casefold(), name
