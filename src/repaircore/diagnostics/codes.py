"""Trouble codes: what a vehicle's computer stores when it finds a fault (SAE J2012)."""

import re
from enum import StrEnum
from typing import Final

from attrs import frozen

from repaircore.problems.model import Safety, Urgency

__all__ = ["Cause", "System", "TroubleCode", "codes_in", "normalized"]

_CODE: Final = re.compile(r"[PBCU][0-3][0-9A-F]{3}")
_IN_TEXT: Final = re.compile(r"\b([pbcu])[ -]?([0-3o][0-9a-fo]{3})\b", re.IGNORECASE)


class System(StrEnum):
    """The part of the vehicle that the code is about, by its first letter."""

    POWERTRAIN = "powertrain"
    BODY = "body"
    CHASSIS = "chassis"
    NETWORK = "network"


@frozen
class Cause:
    """A repair, by its slug, and in which share of the vehicles with the code it is what is needed."""

    repair: str
    likelihood: float


@frozen(kw_only=True)
class TroubleCode:
    """A code: its technical title, its meaning in plain words, what causes it and whether to drive on."""

    code: str
    title: str
    meaning: str
    causes: tuple[Cause, ...]
    system: System
    urgency: Urgency
    safe_to_drive: Safety


def normalized(text: str) -> str | None:
    """Read a code as people write it (``p 0420``, ``P-0420``); None when the text cannot be one."""
    bare = re.sub(r"[\s-]", "", text[:16]).upper()
    bare = bare[:1] + bare[1:].replace("O", "0")
    return bare if _CODE.fullmatch(bare) else None


def codes_in(text: str) -> tuple[str, ...]:
    """Give the codes in a text, each once, in its order."""
    found = (normalized(letter + digits) for letter, digits in _IN_TEXT.findall(text))
    return tuple(dict.fromkeys(code for code in found if code is not None))
