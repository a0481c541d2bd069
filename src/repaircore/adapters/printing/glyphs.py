"""Text reduced to the glyphs that a font has."""

from collections.abc import Container
from typing import Final
from unicodedata import category, normalize

MISSING: Final = "\N{REPLACEMENT CHARACTER}"
"""Replaces characters that the font lacks, so that no one mistakes the printed text for the full text."""

_JOINER: Final = "\N{ZERO WIDTH JOINER}"
_PART_OF_ANOTHER: Final = frozenset({"Cf", "Mc", "Me", "Mn", "Sk"})
"""Joiners, marks and skin tones: the character before them shows that something is missing."""

_LOOKS_LIKE: Final = {
    "\N{MODIFIER LETTER TURNED COMMA}": "\N{LEFT SINGLE QUOTATION MARK}",
    "\N{MODIFIER LETTER APOSTROPHE}": "\N{RIGHT SINGLE QUOTATION MARK}",
    "\N{HYPHEN}": "-",
}
"""Lookalikes for characters that have no decomposition."""


def in_glyphs(text: str, known: Container[int]) -> str:
    """Return ``text`` in known code points; decompose other characters, or replace each visible one by ``MISSING``."""
    shown = before = ""
    for char in normalize("NFC", text):
        # A family emoji is several people joined together.
        is_joined = before == _JOINER and shown.endswith(MISSING) and ord(char) not in known
        shown += "" if is_joined else _glyphs(char, known)
        before = char
    return shown


def _glyphs(char: str, known: Container[int]) -> str:
    if ord(char) in known or char == "\n":
        return char
    if char.isspace():
        return " "
    simpler = _LOOKS_LIKE.get(char) or normalize("NFKD", char)
    if simpler != char:
        parts = "".join(_glyphs(part, known) for part in simpler)
        return MISSING if MISSING in parts else parts
    return "" if category(char) in _PART_OF_ANOTHER else MISSING
