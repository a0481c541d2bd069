"""Vehicle identification numbers: their format, check digit, model year and mask.

The rules are from 49 CFR 565: 17 characters without I, O and Q; the ninth is a check digit over the others; the tenth
is the model year in a cycle of 30 years, and for passenger cars and light trucks the seventh says which cycle.
"""

import re
from itertools import product
from operator import mul

LENGTHS = (11, 17)
"""How many characters a VIN may have: those that describe the vehicle, or all."""

_LOWER = "abcdefghijklmnopqrstuvwxyz"
_IGNORED = " \t\r\n\u00a0-\u2010\u2011\u2012\u2013\u2014\u2212"
_NORMAL = str.maketrans(_LOWER, _LOWER.upper(), _IGNORED)

_LOOKUP_LENGTH = "A VIN to look up must have 11 to 17 characters; this one has {}."

_VALID = re.compile(r"[A-HJ-NPR-Z0-9]{11}(?:[A-HJ-NPR-Z0-9]{6})?")
_FOREIGN = re.compile(r"[^A-Z0-9]")
_FORBIDDEN = "IOQ"
_MEANT = {"I": "1", "O": "0", "Q": "09"}
_MOST_GUESSED = 6

_ALLOWED = b"ABCDEFGHJKLMNPRSTUVWXYZ0123456789"
_VALUES = bytes.maketrans(_ALLOWED, bytes(map(int, "123456781234579234567890123456789")))
_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_CHECK = b"0123456789X"

_YEARS = {code: 1980 + turn for turn, code in enumerate("ABCDEFGHJKLMNPRSTVWXY123456789")}
_CYCLE = 30
_VISIBLE = 9


def normalize(text: str) -> str:
    """Return a VIN in uppercase, without spaces and dashes; nothing else is changed."""
    return text if _VALID.fullmatch(text) else text.translate(_NORMAL)


def validate(text: str) -> list[str]:
    """Return the errors in a VIN, which must have 11 or 17 characters.

    If there are none, ``normalize(text)`` can be looked up. A wrong check digit is not an error: see
    ``check_digit_holds``.
    """
    if _VALID.fullmatch(text):  # before ``normalize``, which would match it once more
        return []
    vin = normalize(text)
    if _VALID.fullmatch(vin):
        return []
    return [*_validate_length(vin), *_validate_foreign(vin), *_validate_forbidden(vin)]


def validate_lookup(text: str) -> list[str]:
    """Return the errors in a VIN, which may have any length from 11 to 17 characters."""
    vin = normalize(text)
    length = [] if min(LENGTHS) <= len(vin) <= max(LENGTHS) else [_LOOKUP_LENGTH.format(len(vin))]
    return [*length, *_validate_foreign(vin), *_validate_forbidden(vin)]


def _validate_length(vin: str) -> list[str]:
    return [] if len(vin) in LENGTHS else [f"A VIN has 11 or 17 characters; this one has {len(vin)}."]


def _validate_foreign(vin: str) -> list[str]:
    foreign = dict.fromkeys(_FOREIGN.findall(vin[: max(LENGTHS)]))
    if not foreign:
        return []
    listed = ", ".join(char if char.isprintable() else f"U+{ord(char):04X}" for char in foreign)
    return [f"A VIN has only the letters A to Z and the digits 0 to 9, not {listed}."]


def _validate_forbidden(vin: str) -> list[str]:
    found = [letter for letter in _FORBIDDEN if letter in vin]
    if not found:
        return []
    subject = f"letter {found[0]} is" if len(found) == 1 else f"letters {' and '.join(found)} are"
    meant = _correction(vin)
    return [f"The {subject} never used in a VIN{f': did you mean {meant}?' if meant else '.'}"]


def _correction(vin: str) -> str | None:
    """Return the VIN that was probably meant, with a correct check digit if one can be reached, or None."""
    if len(vin) not in LENGTHS or _FOREIGN.search(vin):
        return None
    readings = ["".join(chars) for chars in _readings(vin)]
    return next((reading for reading in readings if check_digit_holds(reading)), readings[0])


def _readings(vin: str) -> list[tuple[str, ...]]:
    choices = [_MEANT.get(char, char) for char in vin]
    if vin.count("Q") > _MOST_GUESSED:
        choices = [choice[0] for choice in choices]
    return list(product(*choices))


def check_digit_holds(vin: str) -> bool:
    """Return whether the check digit, the ninth of 17 characters, is correct.

    Return False unless ``vin`` has 17 valid uppercase characters.
    """
    chars = vin.encode("ascii", "replace")
    if len(chars) != len(_WEIGHTS) or chars.translate(None, _ALLOWED):
        return False
    total: int = sum(map(mul, chars.translate(_VALUES), _WEIGHTS))
    return chars[8] == _CHECK[total % 11]


def has_wrong_check_digit(vin: str) -> bool:
    """Return whether an uppercase VIN is whole and has a wrong check digit; short VINs have no check digit."""
    return len(vin) == len(_WEIGHTS) and not check_digit_holds(vin)


def has_year_code(vin: str) -> bool:
    """Return whether the tenth character stands for a year (U, Z and 0 do not)."""
    return vin[9] in _YEARS


def model_years(vin: str, *, latest: int) -> tuple[int, ...]:
    """Return the model years that the tenth character may mean, likeliest first, but none after ``latest``.

    ``vin`` must have at least 10 uppercase characters. A letter as the seventh means 2010 and later: this is binding
    for passenger cars and light trucks, and a hint for heavier vehicles. ``latest`` is the newest model year on sale,
    usually the next calendar year. The result is empty for U, Z and 0.
    """
    first = _YEARS.get(vin[9])
    if first is None:
        return ()
    second = first + _CYCLE
    likely = (second, first) if vin[6].isalpha() else (first, second)
    return tuple(year for year in likely if year <= latest)


def model_year(vin: str, *, latest: int) -> int | None:
    """Return the model year that the tenth character most likely means, or None if it means none up to ``latest``."""
    return next(iter(model_years(vin, latest=latest)), None)


def mask_tail(vin: str) -> str:
    """Return a VIN with stars after its first 9 characters, so that it no longer identifies a vehicle."""
    return vin[:_VISIBLE].ljust(max(LENGTHS), "*")
