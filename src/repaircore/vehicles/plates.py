"""License plates: their format, and the states that issue them."""

import re
from typing import Final

from repaircore.vehicles.model import Plate

STATES: Final = frozenset(
    code
    for codes in (
        "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC",
        "ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY",
        "DC AS GU MP PR VI",
    )
    for code in codes.split()
)
"""The postal codes of the 50 states, the District of Columbia and the five territories."""

_LOWER: Final = "abcdefghijklmnopqrstuvwxyz"
_IGNORED: Final = " -\u00a0\u2010\u2011\u2012\u2013\u2014\u2212"
_NORMAL: Final = str.maketrans(_LOWER, _LOWER.upper(), _IGNORED)
_VALID: Final = re.compile(r"[A-Z0-9]{1,10}")

_NUMBER: Final = "The {} field must have 1 to 10 letters A to Z and digits; spaces and dashes do not count."
_STATE: Final = "The {} field must be the two-letter code of a US state, DC or a territory, such as CA."


def parse_plate(number: str, state: str) -> Plate | None:
    """Return a plate in its stored form, in uppercase without spaces and dashes, or None if it is invalid."""
    if validate_number(number) or validate_state(state):
        return None
    return Plate(state=state.upper(), number=number.translate(_NORMAL))


def validate_number(number: str, field: str = "plate") -> list[str]:
    """Return the errors in a plate number."""
    return [] if _VALID.fullmatch(number.translate(_NORMAL)) else [_NUMBER.format(field)]


def validate_state(state: str, field: str = "state") -> list[str]:
    """Return the errors in the code of a state, which may be in any case."""
    return [] if state.isascii() and state.upper() in STATES else [_STATE.format(field)]
