"""Plain text from a model's output."""

import re
import unicodedata
from typing import Final

from repaircore.adapters.ai.answer import ModelFailed

SHORTEST: Final = 40
LONGEST: Final = 1500
_LONGEST_RAW: Final = 20_000
"""Longer text is rejected without being examined."""

_TAG: Final = re.compile(r"<[^<>]{0,500}>")
_LINK: Final = re.compile(r"!?\[([^\[\]]{0,500})\]\([^()]{0,500}\)")
_LINE_MARK: Final = re.compile(r"^[ \t]*(?:[#>*+-]+|\d{1,3}[.)])[ \t]+", re.MULTILINE)
_INLINE_MARK: Final = re.compile(r"[*_`~#|\\]+")
_ADDRESS: Final = re.compile(
    r"https?:|www\.|@|\b[a-z0-9-]+\.(?:com|net|org|io|co|info|biz|app|dev)\b", re.IGNORECASE
)
_PUNCTUATION: Final = frozenset(" .,;:!?'\"()-/&%+°–—’‘“”…")


def plain(text: str, *, shortest: int = SHORTEST, longest: int = LONGEST) -> str:
    """Return ``text`` without markup or extra white space, if it has ``shortest`` to ``longest`` characters.

    Raises:
        ModelFailed: it is too short or too long, contains a link, an e-mail address or a price, or is mostly
            something other than letters, digits and punctuation.
    """
    if len(text) > _LONGEST_RAW:
        raise ModelFailed("the text was too long")
    bare = _without_markup(unicodedata.normalize("NFC", text))
    if _ADDRESS.search(bare):
        raise ModelFailed("the text contains a link or an e-mail address")
    if "$" in bare:
        raise ModelFailed("the text contains a price")
    cleaned = " ".join("".join(char if _is_allowed(char) else " " for char in bare).split())
    if len(cleaned) < shortest or 2 * len(cleaned) < len(" ".join(bare.split())):
        raise ModelFailed("the text was too short or mostly symbols")
    if len(cleaned) > longest:
        raise ModelFailed("the text was too long")
    return cleaned


def _without_markup(text: str) -> str:
    for pattern, instead in ((_LINK, r"\1"), (_TAG, " "), (_LINE_MARK, ""), (_INLINE_MARK, "")):
        text = pattern.sub(instead, text)
    return text


def _is_allowed(character: str) -> bool:
    return character in _PUNCTUATION or unicodedata.category(character)[0] in "LN"
