"""Match the names of models, however they are written.

The sources merge names that owners distinguish, and vice versa: vPIC says "Silverado" where
the badge says "Silverado 1500", and the EPA says "F150 Pickup 2WD" for an "F-150".
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from repaircore.kernel.spelling import key, words_key

_LETTERS: Final = re.compile(r"([a-z]+)\d")
_AND: Final = re.compile(r"\s(and|&)\s", re.IGNORECASE)
_WORDS: Final = re.compile(r"[^\s/]+")
_IDENTIFYING: Final = 3
"""The fewest leading characters that may identify a name."""


def match_names(names: Iterable[str], text: str, *, make: str = "") -> Sequence[str]:
    """Return the names that match ``text``: the same name, else those that begin with it, else the closest one.

    "f150" is an F-150; "Silverado" is every Silverado; "F150 Pickup 2WD" is an F-150.
    """
    listed = list(names)
    same = [name for name in listed if _key(name) == _key(text)]
    if same or not _key(text):
        return same
    words = words_key(text)
    matches = [name for name in listed if words_key(name)[: len(words)] == words]
    if matches:
        return matches
    found = closest_name(listed, text, make=make)
    return [] if found is None else [found[0]]


def closest_name(names: Iterable[str], text: str, *, make: str = "") -> tuple[str, str] | None:
    """Return the name that ``text`` contains and the remaining words, or None if it contains none.

    The longest run of words wins, then the first: given Grand Cherokee and Cherokee, "Grand Cherokee Laredo 4WD" is the
    former, and "Laredo 4WD" remains. With ``make``, a Mazda "6" is a Mazda6; a Mercedes-Benz "C300
    4matic" is a C-Class; "MX-5" is the MX-5 Miata, the only name that begins with it.
    """
    by_key = {_key(name): name for name in names}
    words = _WORDS.findall(text)
    for spell in (_key, partial(_with_make, make), _class):
        for run, rest in _runs(words):
            name = by_key.get(spell(run))
            if name is not None:
                return name, f"{run} {rest}".strip() if spell is _class else rest
    return _closest_by_prefix(by_key, words)


def _closest_by_prefix(by_key: Mapping[str, str], words: Sequence[str]) -> tuple[str, str] | None:
    """Return the only name that begins with as many of the first words as possible, and the words after them.

    Return None if no name, or more than one, begins with them.
    """
    for length in range(len(words), 0, -1):
        start = _key(" ".join(words[:length]))
        matches = [name for plain, name in by_key.items() if plain.startswith(start)]
        if len(matches) == 1 and len(start) >= _IDENTIFYING:
            return matches[0], " ".join(words[length:])
    return None


def _key(name: str) -> str:
    return key(_AND.sub(" ", name))


def _with_make(make: str, run: str) -> str:
    return key(make) + _key(run)


def _class(run: str) -> str:
    letters = _LETTERS.match(_key(run))
    return "" if letters is None else f"{letters[1]}class"


def unique_names(names: Iterable[str]) -> list[str]:
    """Return the distinct names in alphabetical order, each in its first spelling."""
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
