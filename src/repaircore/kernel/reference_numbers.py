"""Reference numbers that people read out: ``DR-20260131-7KXM4P``."""

from datetime import datetime
from typing import Final

_LETTERS: Final = "34679ACDEFGHJKMNPQRTUVWX"
"""Neither 0 nor O, 1 nor I nor L, 2 nor Z, 5 nor S, 8 nor B: a reference is read out over the phone."""


_LENGTH: Final = 6


REFERENCE_BYTES: Final = 8
"""The random bytes that a reference is made of; so many that no letter is likelier than another by more than 1e-11."""


def reference_number(at: datetime, random: bytes, *, prefix: str = "DR") -> str:
    """Spell a reference number, ``DR-20260131-7KXM4P``: the day in UTC, and six letters of random bytes."""
    number, letters = int.from_bytes(random), ""
    for _ in range(_LENGTH):
        number, which = divmod(number, len(_LETTERS))
        letters += _LETTERS[which]
    return f"{prefix}-{at:%Y%m%d}-{letters}"
