"""VIN masks: the known characters of a record's VIN, and the VINs that it stands for.

The first 11 characters describe how a vehicle is built, and are always known. Each of the six after them may be known,
a star, or left out.
"""

import re
from typing import Final

from repaircore.vehicles import vin as vins

LENGTHS: Final = (11, 17)
"""The fewest and the most characters of a mask."""

_STAR: Final = "*"
_FIXED: Final = 11
_TAIL: Final = re.compile(r"[A-HJ-NPR-Z0-9*]*")

_LENGTH: Final = "The vin mask field must have {} to {} characters, this one has {}."
_SERIAL: Final = "The vin mask field may have only letters, digits and stars behind its first {} characters."


def normalize_mask(text: str) -> str:
    """Return a mask as it is stored: upper case, without spaces and dashes."""
    return vins.normalize(text)


def validate_mask(text: str) -> list[str]:
    """Return the errors of a mask."""
    mask = normalize_mask(text)
    least, most = LENGTHS
    if not least <= len(mask) <= most:
        return [_LENGTH.format(least, most, len(mask))]
    tail = [] if _TAIL.fullmatch(mask[_FIXED:]) else [_SERIAL.format(_FIXED)]
    return [*vins.validate(mask[:_FIXED]), *tail]


def mask_matches(mask: str, vin: str) -> bool:
    """Return whether a VIN, or the beginning of one, has every known character of a mask."""
    fixed = mask.rstrip(_STAR)
    return len(vin) >= len(fixed) and all(
        known in {_STAR, char} for known, char in zip(fixed, vin, strict=False)
    )
