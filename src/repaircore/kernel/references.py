"""References: the names that records of the partner platform go by outside.

A prefix tells the kind (``apt_``), the rest is a UUIDv7 in Crockford's base 32, so that references made later sort
later and none holds a letter that is mistaken for another.
"""

from enum import StrEnum
from typing import Final
from uuid import UUID

_DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_WIDTH: Final = 26  # 32**26 > 2**128


class Kind(StrEnum):
    """What a reference names, by its prefix."""

    RIDE = "ride"
    TOW = "tow"
    CUSTOMER = "cus"
    MECHANIC = "mec"
    DRIVER = "drv"
    BUSINESS = "biz"
    APPOINTMENT = "apt"
    WEBHOOK = "whs"
    EVENT = "evt"
    ESTIMATE = "est"


def reference(kind: Kind, made: UUID) -> str:
    """Spell the reference of a new record."""
    number, digits = made.int, []
    for _ in range(_WIDTH):
        number, rest = divmod(number, 32)
        digits.append(_DIGITS[rest])
    return f"{kind}_{''.join(reversed(digits))}"


def is_reference(kind: Kind, text: str) -> bool:
    """Tell whether a text can be a reference of this kind; what cannot need not be looked up."""
    prefix = f"{kind}_"
    rest = text[len(prefix) :]
    return text.startswith(prefix) and len(rest) == _WIDTH and all(digit in _DIGITS for digit in rest)
