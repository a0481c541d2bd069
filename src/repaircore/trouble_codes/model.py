"""Trouble codes: what the computers of a vehicle store when something is out of bounds.

A code is a letter for the area, a digit for who defines its meaning, and three hexadecimal digits
(SAE J2012, ISO 15031-6).
"""

import re
from typing import Final

from attrs import frozen

from repaircore.book.model import Problem, Safety, Urgency

_CODE: Final = re.compile(r"[PBCU][0-3][0-9A-F]{3}")
_IN_TEXT: Final = re.compile(r"\b([pbcu])[ -]?([0-3o][0-9a-fo]{3})\b", re.IGNORECASE)
_LONGEST: Final = 16
"""A longer text cannot be a code, however it is written."""


@frozen
class Cause:
    """A repair, by its slug, and the share of the vehicles with the code that need it."""

    repair: str
    likelihood: float


@frozen(kw_only=True)
class LikelyCause:
    """A repair of the book, and the share of the vehicles with a code that need it."""

    problem: Problem
    likelihood: float


@frozen(kw_only=True)
class TroubleCode:
    """A code: its technical title, its meaning in plain words, its causes and whether to drive on.

    ``system`` is the slug of a main category of the repair book. ``causes`` are sorted by likelihood; their likelihoods add
    up to at most 1, and the rest of the vehicles need something else. ``makes`` are those for which the code means this;
    empty means every make. ``danger`` is the `danger.Danger` that the driver is warned of; None for most codes.
    ``check_first`` are repairs that a mechanic begins with, ``costly`` those that come after it, and ``caution`` is what an
    owner should know before paying for these.
    """

    code: str
    title: str
    meaning: str
    causes: tuple[Cause, ...]
    system: str
    urgency: Urgency
    safe_to_drive: Safety
    makes: tuple[str, ...] = ()
    danger: str | None = None
    check_first: tuple[str, ...] = ()
    costly: tuple[str, ...] = ()
    caution: str | None = None


def normalize_code(text: str) -> str | None:
    """Return the normalized code of a text such as ``p 0420`` or ``P-0420``; None if it is not a code."""
    if len(text) > _LONGEST:
        return None
    bare = re.sub(r"[\s-]", "", text).upper()
    bare = bare[:1] + bare[1:].replace("O", "0")
    return bare if _CODE.fullmatch(bare) else None


def codes_in(text: str) -> tuple[str, ...]:
    """Return the codes in a text, each once, in order."""
    found = (normalize_code(letter + digits) for letter, digits in _IN_TEXT.findall(text))
    return tuple(dict.fromkeys(code for code in found if code is not None))
