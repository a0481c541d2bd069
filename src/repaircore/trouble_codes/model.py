"""Trouble codes: what a vehicle's computers store when they detect a fault.

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
"""A longer string cannot be a code, however it is written."""


@frozen
class Cause:
    """A repair, by its slug, and the share (0 to 1) of vehicles with the code that need it."""

    repair: str
    likelihood: float


@frozen(kw_only=True)
class LikelyCause:
    """A repair from the book, and the share (0 to 1) of vehicles with a code that need it."""

    problem: Problem
    likelihood: float


@frozen(kw_only=True)
class TroubleCode:
    """A code: its technical title, its meaning in plain words, its causes, and whether it is safe to keep driving.

    ``system`` is the slug of a main category of the repair book. ``causes`` are sorted by likelihood; their likelihoods
    add up to at most 1, because some vehicles need something else. ``makes`` are the makes for which the code means
    this, or empty for every make. ``danger`` is the ``danger.Danger`` that the driver is warned of; most codes have
    None. ``check_first`` are the repairs that a mechanic tries first, ``costly`` those that come after them, and
    ``caution`` is what an owner should know before paying for the latter.
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
    """Return the normalized code for a string such as ``p 0420`` or ``P-0420``, or None if it is not a code."""
    if len(text) > _LONGEST:
        return None
    bare = re.sub(r"[\s-]", "", text).upper()
    bare = bare[:1] + bare[1:].replace("O", "0")
    return bare if _CODE.fullmatch(bare) else None


def codes_in(text: str) -> tuple[str, ...]:
    """Return the codes in ``text`` in order of appearance, without repeats."""
    found = (normalize_code(letter + digits) for letter, digits in _IN_TEXT.findall(text))
    return tuple(dict.fromkeys(code for code in found if code is not None))
