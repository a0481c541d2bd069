"""VIN masks: as much of a VIN as is known of a record, and which VINs it stands for.

The first 11 characters describe how a vehicle is built, and are always told; each of the six behind them may be told,
be a star, or be left out.
"""

import re
from typing import Final

from repaircore.vehicles import vin as vins

LENGTHS: Final = (11, 17)
"""The fewest and the most characters of a mask."""

_STAR: Final = "*"
_TOLD: Final = 11
_TAIL: Final = re.compile(r"[A-HJ-NPR-Z0-9*]*")

_LENGTH: Final = "The vin mask field must have {} to {} characters, this one has {}."
_SERIAL: Final = "The vin mask field may have only letters, digits and stars behind its first {} characters."


def normalize_mask(text: str) -> str:
    """Write a mask as it is kept: upper case, without spaces and dashes."""
    return vins.normalize(text)


def validate_mask(text: str) -> list[str]:
    """Give a sentence for each way in which the text is no mask; an empty list means that it is one."""
    mask = normalize_mask(text)
    least, most = LENGTHS
    if not least <= len(mask) <= most:
        return [_LENGTH.format(least, most, len(mask))]
    tail = [] if _TAIL.fullmatch(mask[_TOLD:]) else [_SERIAL.format(_TOLD)]
    return [*vins.validate(mask[:_TOLD]), *tail]


def mask_matches(mask: str, vin: str) -> bool:
    """Tell whether a VIN, or as much of it as is told, has every character that the mask tells."""
    told = mask.rstrip(_STAR)
    return len(vin) >= len(told) and all(
        known in {_STAR, asked} for known, asked in zip(told, vin, strict=False)
    )
