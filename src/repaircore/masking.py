"""Mask personal data, vehicles and credentials in logs.

Logs are read by more people, and stored longer, than the data itself. Sensitive values are recognized by their form, so
that they are masked anywhere: in a message, in the text of an exception, in a URL.
"""

import re
from collections.abc import Callable
from typing import Final

HIDDEN: Final = "[hidden]"

_Rule = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]

_NAMES: Final = (
    r"passwords?|passwd|secrets?|[a-z_]*token|api[_-]?key|client_secret|authorization|code_verifier|signature"
    r"|vin|plates?|license_plate|plate_number|e-?mail|phone|phone_number"
)
_VIN_LETTERS: Final = "A-HJ-NPR-Z0-9"
_NO_PLATES: Final = re.compile(
    r"(?:SHA|UTF|ISO|RFC|MD|HTTP|TLS|UTC|CP|ED|RS|HS|ES|PS|IPV|AES|BLAKE)\d+[A-Z]?"
)
"""Technical terms that look like plates but are not."""


def _unless_a_word(found: re.Match[str]) -> str:
    return found[0] if _NO_PLATES.fullmatch(found[0]) else HIDDEN


_RULES: Final[tuple[_Rule, ...]] = (
    # Credentials, by prefix or position.
    (re.compile(r"\beyJ[\w-]{4,}\.[\w-]+\.[\w-]*"), HIDDEN),
    (re.compile(r"\b(?:[sp]k|[sp]pk|mst|prl|fal|whsec|psk|ppk|prv|rk)_[\w.=+/-]{6,}", re.IGNORECASE), HIDDEN),
    (re.compile(r"\b(Bearer|Basic)\s+[\w.~+/=-]+", re.IGNORECASE), rf"\1 {HIDDEN}"),
    (re.compile(r"(?<=://)[^\s/@\"']+@"), f"{HIDDEN}@"),
    # E-mail addresses and phone numbers.
    (re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]+(?:@|%40)[\w-]+(?:\.[\w-]+)+"), HIDDEN),
    (re.compile(r"(?<![\w.+])(?:\+|%2B)\d[\d ().-]{6,18}\d\b"), HIDDEN),
    (re.compile(r"(?<![\w.-])(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}\b"), HIDDEN),
    # Values by name: in a query, in JSON, in the repr of a Python object.
    (
        re.compile(
            rf"""(?P<name>(?<![\w-])(?:{_NAMES})["']?\s*(?:=|:)\s*)(?P<value>"[^"\n]*"|'[^'\n]*'|[^\s&;,"'(){{}}\[\]]+)""",
            re.IGNORECASE,
        ),
        rf"\g<name>{HIDDEN}",
    ),
    (re.compile(r"(?<=[?&])(code|state)=[^\s&\"']+"), rf"\1={HIDDEN}"),
    # Vehicles: a full VIN, its first 11 characters, and what looks like a license plate.
    (
        re.compile(rf"(?<![A-Za-z0-9])(?=[A-Za-z]*\d)[{_VIN_LETTERS}]{{17}}(?![A-Za-z0-9])", re.IGNORECASE),
        HIDDEN,
    ),
    (
        re.compile(
            rf"(?<![A-Za-z0-9])(?=(?:\d*[A-Z]){{2}})(?=(?:[A-Z]*\d){{2}})[{_VIN_LETTERS}]{{11}}(?![A-Za-z0-9])"
        ),
        HIDDEN,
    ),
    (
        re.compile(r"(?<![\w-])(?=(?:\d*[A-Z]){2})(?=(?:[A-Z]*\d){2})[A-Z0-9]{5,8}(?![\w-])"),
        _unless_a_word,
    ),
)


def masked(text: str) -> str:
    """Return ``text`` with VINs, plates, e-mail addresses, phone numbers, tokens, keys and passwords hidden.

    Plates have no common form, so the value of a name such as ``plate`` is hidden, and so is any word of 5 to 8
    capital letters and digits with at least two of each, except technical terms such as SHA256.
    """
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text
