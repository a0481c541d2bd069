"""Texts in the glyphs that a font has."""

from collections.abc import Container
from typing import Final
from unicodedata import category, normalize

_UNSEEN: Final = frozenset({"Cf", "Cn", "Co", "Mc", "Me", "Mn", "Sk", "So"})
"""Emoji, joiners and marks: a text without them still says the same."""
_MISSING: Final = "?"


def in_glyphs(text: str, known: Container[int]) -> str:
    """Return a text in known code points: others are decomposed, left out, or replaced by a question mark."""
    return "".join(_glyphs(char, known) for char in normalize("NFC", text))


def _glyphs(char: str, known: Container[int]) -> str:
    if ord(char) in known or char == "\n":
        return char
    if char.isspace():
        return " "
    simpler = normalize("NFKD", char)
    if simpler != char:
        return "".join(_glyphs(part, known) for part in simpler)
    return "" if category(char) in _UNSEEN else _MISSING
