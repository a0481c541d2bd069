"""References: the public ids of the partner platform's records.

The prefix is the kind (``apt_``); the rest is a UUIDv7 in Crockford's base 32, so that newer references sort later and
none has a letter that is easily mistaken for another.
"""

from enum import StrEnum
from typing import Final
from uuid import UUID

_DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_WIDTH: Final = 26  # 32**26 > 2**128


class Kind(StrEnum):
    """The kind of record, which is the prefix of its references."""

    RIDE = "ride"
    TOW = "tow"
    CUSTOMER = "cus"
    MECHANIC = "mec"
    DRIVER = "drv"
    BUSINESS = "biz"
    APPOINTMENT = "apt"
    HOLD = "hold"
    WEBHOOK = "whs"
    EVENT = "evt"
    ESTIMATE = "est"
    REQUEST = "req"
    PROOF = "prf"


def reference(kind: Kind, record_id: UUID) -> str:
    """Return the reference of a new record."""
    number, digits = record_id.int, []
    for _ in range(_WIDTH):
        number, digit = divmod(number, 32)
        digits.append(_DIGITS[digit])
    return f"{kind}_{''.join(reversed(digits))}"


def is_reference(kind: Kind, text: str) -> bool:
    """Return whether a string has the form of a reference of this kind; others need no lookup."""
    prefix = f"{kind}_"
    rest = text[len(prefix) :]
    return text.startswith(prefix) and len(rest) == _WIDTH and all(digit in _DIGITS for digit in rest)
