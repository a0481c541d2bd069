"""Find and redact a person's e-mail address, phone numbers and VINs in any text.

They are found in upper and lower case, with Unicode look-alikes or invisible characters, escaped as in JSON, URLs and
HTML, and with spaces or dashes inside a VIN or phone number.
"""

import html
import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Any, Final
from unicodedata import normalize
from urllib.parse import unquote

from attrs import define

from repaircore.json_text import decode, encode_text

ERASED: Final = "[erased]"

SHARED_OF_A_VIN: Final = 11
"""How many leading characters of a VIN are the same for all vehicles of its kind."""
_GAP: Final = r"[\W_]{0,3}"
_LAYERS: Final = 3
_ESCAPED: Final = re.compile(r"\\+u([0-9a-fA-F]{4})")
_BROKEN: Final = re.compile(r'\\+[nrtbf"/]')
_INVISIBLE: Final = dict.fromkeys([0xAD, *range(0x200B, 0x2010), 0x2060, 0xFEFF])
_ENCODED: Final = re.compile(r"[\\%&]")
_SEPARATORS: Final = {code: None for code in range(128) if not chr(code).isalnum()}
_NEVER: Final = re.compile(r"(?!)")
_NORTH_AMERICAN: Final = 11


def phone_digits(phone: str) -> str:
    """Return a phone number as ``PersonalMarks`` has it: its digits, without the North American country code."""
    digits = re.sub(r"\D", "", phone)
    return digits[1:] if len(digits) == _NORTH_AMERICAN and digits.startswith("1") else digits


@define(frozen=True, slots=False, kw_only=True)
class PersonalMarks:
    """A person's identifiers: folded e-mail addresses, phone numbers as digits, and 17-character VINs."""

    emails: AbstractSet[str]
    phones: AbstractSet[str] = frozenset()
    vins: AbstractSet[str] = frozenset()

    def occur_in(self, text: str) -> bool:
        """Return whether ``text`` contains any of these identifiers; in JSON, only strings are searched."""
        if not self._found_in(text):
            return False
        value = _json(text)
        return value is None or any(map(self._found_in, _texts(value)))

    def redact(self, text: str) -> str:
        """Return ``text`` without these identifiers, except the part of each VIN that all vehicles of its kind share.

        JSON stays JSON. If they cannot be cut out of a string, it is redacted entirely.
        """
        value = _json(text)
        return self._redact_text(text) if value is None else encode_text(self._redact_value(value))

    def occur_in_bytes(self, data: bytes) -> bool:
        """Return whether the bytes of a file contain any of these identifiers, in upper or lower case."""
        folded = data.lower()
        return any(mark in folded for mark in self._bytes)

    @cached_property
    def _bytes(self) -> tuple[bytes, ...]:
        return tuple(mark.lower().encode() for mark in (*self.emails, *self.vins, *self.phones))

    @cached_property
    def _email(self) -> re.Pattern[str]:
        # ada@example.com is neither nevada@example.com nor ada@example.com.au
        return _any_of(rf"(?<![\w.+-]){re.escape(_folded(email))}(?![\w-]|\.\w)" for email in self.emails)

    @cached_property
    def _phone(self) -> re.Pattern[str]:
        return _any_of(rf"(?<!\d)(?:1{_GAP})?{_GAP.join(phone)}(?!\d)" for phone in self.phones)

    @cached_property
    def _vin(self) -> re.Pattern[str]:
        return _any_of(_GAP.join(vin.lower()) for vin in self.vins)

    def _found_in(self, text: str) -> bool:
        plain = _plain(text)
        if not self._may_be_in(plain):
            return False
        return any(pattern.search(plain) for pattern in (self._email, self._phone, self._vin))

    def _may_be_in(self, plain: str) -> bool:
        """Return whether ``plain`` may contain any; a substring search is many times faster than the patterns."""
        if not plain.isascii():
            return True
        joined = plain.translate(_SEPARATORS)
        return any(mark in plain for mark in self._exact) or any(mark in joined for mark in self._spaced)

    @cached_property
    def _exact(self) -> tuple[str, ...]:
        return tuple(map(_folded, self.emails))

    @cached_property
    def _spaced(self) -> tuple[str, ...]:
        return (*self.phones, *(vin.lower() for vin in self.vins))

    def _redact_text(self, text: str) -> str:
        redacted = re.sub(self._email.pattern, ERASED, text, flags=re.IGNORECASE)
        redacted = re.sub(self._phone.pattern, ERASED, redacted)
        redacted = re.sub(self._vin.pattern, _shared_part, redacted, flags=re.IGNORECASE)
        return ERASED if self._found_in(redacted) else redacted

    def _redact_value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._redact_text(value)
        if isinstance(value, list):
            return [self._redact_value(item) for item in value]
        if isinstance(value, dict):
            return {self._redact_text(name): self._redact_value(item) for name, item in value.items()}
        return value


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    ordered = sorted(patterns)
    return re.compile("|".join(ordered)) if ordered else _NEVER


def _shared_part(found: re.Match[str]) -> str:
    return re.sub(r"[\W_]", "", found[0])[:SHARED_OF_A_VIN].upper()


def _json(text: str) -> Any:
    """Parse a JSON object or array; return None for anything else."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return decode(text)
    except ValueError:
        return None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        yield from (text for item in value.values() for text in _texts(item))
    elif isinstance(value, list):
        yield from (text for item in value for text in _texts(item))


def _plain(text: str) -> str:
    for _ in range(_LAYERS):  # an escape may be escaped
        if not _ENCODED.search(text):
            break
        text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
        text = html.unescape(unquote(_BROKEN.sub(" ", text)))
    return _folded(text)


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    return normalize("NFKC", normalize("NFKC", text).casefold()).translate(_INVISIBLE)
