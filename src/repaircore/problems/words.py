"""Normalize words for comparison: without case, accents, punctuation or endings."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

LONGEST: Final = 40
"""Longer words are truncated: no real word is longer."""

_WORD: Final = re.compile(r"[a-z0-9]+")
_APOSTROPHE: Final = re.compile("['\u2018\u2019`]")
_SLASHED: Final = re.compile(r"\b([a-z])/([a-z])\b")
_VOWEL: Final = re.compile("[aeiouy]")
_NO_PLURAL: Final = ("ss", "us", "is")
_ENDINGS: Final = ("ment", "ing", "ion", "ed", "y", "e")
_SHORTEST: Final = 3


def words(text: str) -> tuple[str, ...]:
    """Split text into words, in order: ``won't`` becomes ``wont``, and ``A/C`` becomes ``ac``."""
    plain = _APOSTROPHE.sub("", text).casefold()
    if not plain.isascii():
        plain = unicodedata.normalize("NFKD", plain)
        plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return tuple(word[:LONGEST] for word in _WORD.findall(_SLASHED.sub(r"\1\2", plain)))


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """Return a word without its endings: ``leaks``, ``leaky`` and ``leaking`` become ``leak``.

    A stem need not be a word; it only has to be the same for words with the same meaning, and usually is.
    """
    if len(word) <= _SHORTEST or not word.isalpha():
        return word
    bare = _singular(word)
    for ending in _ENDINGS:
        rest = bare.removesuffix(ending)
        if rest != bare and _stands(rest, ending):
            return _undoubled(rest.removesuffix("e") if len(rest) > _SHORTEST else rest)
    return _undoubled(bare)


def _singular(word: str) -> str:
    if not word.endswith("s") or word.endswith(_NO_PLURAL):
        return word
    return word[:-3] + "y" if word.endswith("ies") and len(word) > _SHORTEST + 2 else word[:-1]


def _stands(rest: str, ending: str) -> bool:
    """Return whether an ending can be removed: the rest looks like a word, and the ending is not part of it."""
    if len(rest) < _SHORTEST or not _VOWEL.search(rest):
        return False
    if ending == "ed":
        return not rest.endswith("e")  # speed, bleed
    if ending == "ion":
        return len(rest) > _SHORTEST
    return ending != "y" or (rest[-1] not in "aeiou" and len(rest) > _SHORTEST)


def _undoubled(word: str) -> str:
    """Reduce a double consonant at the end: slipping, slipped and slips have the same stem."""
    double = len(word) > _SHORTEST and word[-1] == word[-2] and word[-1] not in "aeiou"
    return word[:-1] if double else word
