"""Text for SMS: of limited length, and in the GSM alphabet (3GPP TS 23.038), which all phones show.

A character outside the alphabet would make a gateway send the whole text in another encoding, in which less than half
as many characters fit.
"""

import unicodedata
from typing import Final

LONGEST: Final = 320
"""The maximum number of characters in an SMS: two to three network messages, short enough to read at a glance."""

_BASIC: Final = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
_EXTENDED: Final = frozenset("\f^{}\\[~]|€")
"""Characters that count as two."""

_SPELLED: Final = str.maketrans(
    {
        "‘": "'",
        "’": "'",
        "“": '"',
        "”": '"',
        "–": "-",
        "—": "-",
        "…": "...",
        "•": "-",
        "\t": " ",
        "\u00a0": " ",
        "Ł": "L",
        "ł": "l",
        "Đ": "D",
        "đ": "d",
    }
)
_UNKNOWN: Final = "?"
_CUT: Final = "..."


def gsm_length(text: str) -> int | None:
    """Return how many characters of an SMS the text takes, or None if it has one that is not in the alphabet."""
    if not _BASIC.union(_EXTENDED).issuperset(text):
        return None
    return len(text) + sum(character in _EXTENDED for character in text)


def is_sms(text: str) -> bool:
    """Return whether the text can be sent as an SMS: not empty, within the alphabet, and not too long."""
    length = gsm_length(text)
    return length is not None and 0 < length <= LONGEST


def sms_text(text: str, *, ending: str = "") -> str:
    """Return the text for an SMS: respelled in the alphabet, and cut to fit before ``ending``, which is never cut.

    Raises:
        ValueError: the ending alone does not fit.
    """
    tail = _respelled(ending)
    left = LONGEST - _length(tail)
    if left < 0:
        raise ValueError("The ending is longer than an SMS.")
    return _fitted(_respelled(text), left) + tail


def _respelled(text: str) -> str:
    return "".join(map(_spelled, text.translate(_SPELLED)))


def _spelled(character: str) -> str:
    if gsm_length(character) is not None:
        return character
    plain = "".join(
        part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part)
    )
    return plain if plain and gsm_length(plain) is not None else _UNKNOWN


def _length(text: str) -> int:
    return gsm_length(text) or 0


def _fitted(text: str, most: int) -> str:
    if _length(text) <= most:
        return text
    kept = text
    while kept and _length(kept) > most - len(_CUT):
        kept = kept[:-1]
    return (kept.rstrip() + _CUT)[:most]
