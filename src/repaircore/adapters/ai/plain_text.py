"""Accept a text that a model wrote, as plain text, or say why not."""

import re
import unicodedata
from typing import Final

from repaircore.adapters.ai.failures import ModelFailed

SHORTEST: Final = 40
LONGEST: Final = 1500
_LONGEST_RAW: Final = 20_000
"""What is longer is not even looked at."""

_TAG: Final = re.compile(r"<[^<>]{0,500}>")
_LINK: Final = re.compile(r"!?\[([^\[\]]{0,500})\]\([^()]{0,500}\)")
_LINE_MARK: Final = re.compile(r"^[ \t]*(?:[#>*+-]+|\d{1,3}[.)])[ \t]+", re.MULTILINE)
_INLINE_MARK: Final = re.compile(r"[*_`~#|\\]+")
_ADDRESS: Final = re.compile(
    r"https?:|www\.|@|\b[a-z0-9-]+\.(?:com|net|org|io|co|info|biz|app|dev)\b", re.IGNORECASE
)
_PUNCTUATION: Final = frozenset(" .,;:!?'\"()-/&%+°–—’‘“”…")


def plain(text: str, *, shortest: int = SHORTEST, longest: int = LONGEST) -> str:
    """Strip markup, squeeze spaces and check what is left: ``shortest`` to ``longest`` characters.

    Raises:
        ModelFailed: it is too short or too long, names an address or a price, or consists of other things
            than letters, digits and punctuation for the greater part.
    """
    if len(text) > _LONGEST_RAW:
        raise ModelFailed("the text was too long")
    bare = _unmarked(unicodedata.normalize("NFC", text))
    if _ADDRESS.search(bare):
        raise ModelFailed("the text names an address")
    if "$" in bare:
        raise ModelFailed("the text names a price")
    kept = " ".join("".join(one if _belongs(one) else " " for one in bare).split())
    if len(kept) < shortest or 2 * len(kept) < len(" ".join(bare.split())):
        raise ModelFailed("the text was too short")
    if len(kept) > longest:
        raise ModelFailed("the text was too long")
    return kept


def _unmarked(text: str) -> str:
    for pattern, instead in ((_LINK, r"\1"), (_TAG, " "), (_LINE_MARK, ""), (_INLINE_MARK, "")):
        text = pattern.sub(instead, text)
    return text


def _belongs(character: str) -> bool:
    return character in _PUNCTUATION or unicodedata.category(character)[0] in "LN"
