"""Reference numbers that people read out: ``DR-20260131-7KXM4P``."""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from repaircore.kernel.errors import Unavailable
from repaircore.kernel.types import RandomBytes

_LETTERS: Final = "34679ACDEFGHJKMNPQRTUVWX"
"""Without 0, O, 1, I, L, 2, Z, 5, S, 8, B and Y, which are easily confused: a reference is read out over the phone."""

_LENGTH: Final = 6

_MOST_TRIES: Final = 20
"""A day has 191 million references: this many collisions in a row mean a broken source of randomness."""

REFERENCE_BYTES: Final = 8
"""The number of random bytes in a reference: enough that no letter is likelier than another by more than 1e-11."""


def reference_number(at: datetime, random: bytes, *, prefix: str) -> str:
    """Return a reference number, ``DR-20260131-7KXM4P``: the day in UTC, and six characters made of random bytes."""
    number, letters = int.from_bytes(random), ""
    for _ in range(_LENGTH):
        number, letter = divmod(number, len(_LETTERS))
        letters += _LETTERS[letter]
    return f"{prefix}-{at:%Y%m%d}-{letters}"


def claim_reference(at: datetime, random: RandomBytes, claim: Callable[[str], bool], *, prefix: str) -> str:
    """Return a new reference number with the day of ``at``, once ``claim`` has accepted one.

    Raises:
        Unavailable: ``claim`` rejected many numbers in a row.
    """
    for _ in range(_MOST_TRIES):
        reference = reference_number(at, random(REFERENCE_BYTES), prefix=prefix)
        if claim(reference):
            return reference
    raise Unavailable("No reference number is available right now. Try again.")
