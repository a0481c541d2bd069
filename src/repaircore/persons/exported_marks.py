"""Finding a person's e-mail, phone numbers and VINs in any text, and striking them out.

Upper and lower case, look-alikes of Unicode, invisible characters and the escapes of JSON, URLs and HTML do not hide
them; nor do spaces and dashes within a VIN or a phone number.
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
"""So many characters of a VIN are those of all vehicles of its kind."""
_APART: Final = r"[\W_]{0,3}"
_LAYERS: Final = 3
_ESCAPED: Final = re.compile(r"\\+u([0-9a-fA-F]{4})")
_BROKEN: Final = re.compile(r'\\+[nrtbf"/]')
_INVISIBLE: Final = dict.fromkeys([0xAD, *range(0x200B, 0x2010), 0x2060, 0xFEFF])
_ENCODED: Final = re.compile(r"[\\%&]")
_SEPARATORS: Final = {code: None for code in range(128) if not chr(code).isalnum()}
_NEVER: Final = re.compile(r"(?!)")
_NORTH_AMERICAN: Final = 11


def phone_digits(phone: str) -> str:
    """Return a phone number as marks have it: its digits, without the 1 of North America."""
    digits = re.sub(r"\D", "", phone)
    return digits[1:] if len(digits) == _NORTH_AMERICAN and digits.startswith("1") else digits


@define(frozen=True, slots=False, kw_only=True)
class PersonalMarks:
    """What tells of a person: folded e-mails, phone numbers as digits, VINs of 17 characters."""

    emails: AbstractSet[str]
    phones: AbstractSet[str] = frozenset()
    vins: AbstractSet[str] = frozenset()

    def stand_in(self, text: str) -> bool:
        """Return whether any of them stands in a text; of JSON its texts count, not its figures."""
        if not self._show_in(text):
            return False
        told = _json(text)
        return told is None or any(map(self._show_in, _texts(told)))

    def struck_from(self, text: str) -> str:
        """Return the text without them: of a VIN what all vehicles of its kind share is left.

        JSON stays JSON; a text that hides them too well goes as a whole.
        """
        told = _json(text)
        if told is None:
            return self._struck(text)
        return encode_text(self._struck_value(told))

    def lie_in(self, data: bytes) -> bool:
        """Return whether any of them lies among the bytes of a file, in any case."""
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
        return _any_of(rf"(?<!\d)(?:1{_APART})?{_APART.join(phone)}(?!\d)" for phone in self.phones)

    @cached_property
    def _vin(self) -> re.Pattern[str]:
        return _any_of(_APART.join(vin.lower()) for vin in self.vins)

    def _show_in(self, text: str) -> bool:
        plain = _plain(text)
        if not self._may_show_in(plain):
            return False
        return any(pattern.search(plain) for pattern in (self._email, self._phone, self._vin))

    def _may_show_in(self, plain: str) -> bool:
        """Rule most texts out: looking for words is many times as quick as looking for patterns."""
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

    def _struck(self, text: str) -> str:
        struck = re.sub(self._email.pattern, ERASED, text, flags=re.IGNORECASE)
        struck = re.sub(self._phone.pattern, ERASED, struck)
        struck = re.sub(self._vin.pattern, _shared_part, struck, flags=re.IGNORECASE)
        return ERASED if self._show_in(struck) else struck

    def _struck_value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._struck(value)
        if isinstance(value, list):
            return [self._struck_value(one) for one in value]
        if isinstance(value, dict):
            return {self._struck(name): self._struck_value(one) for name, one in value.items()}
        return value


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    told = sorted(patterns)
    return re.compile("|".join(told)) if told else _NEVER


def _shared_part(found: re.Match[str]) -> str:
    return re.sub(r"[\W_]", "", found[0])[:SHARED_OF_A_VIN].upper()


def _json(text: str) -> Any:
    """Read an object or a list; None of anything else."""
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
        yield from (text for one in value.values() for text in _texts(one))
    elif isinstance(value, list):
        yield from (text for one in value for text in _texts(one))


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
