"""Keys: a prefix, random bytes in base 62, and a CRC-32 of both.

The checksum detects a mistyped or truncated key without a lookup; it protects against mistakes, not attackers
(docs/decisions/credentials.md).
"""

import hashlib
import zlib
from typing import Final

KEY_BYTES: Final = 24
"""The number of random bytes in a key."""

_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM_DIGITS: Final = 33  # 62**33 > 2**192
_CHECK_DIGITS: Final = 6  # 62**6 > 2**32
BASE62_DIGITS: Final = frozenset(_ALPHABET)
"""The digits of base 62."""
CHECKED_LENGTH: Final = _RANDOM_DIGITS + _CHECK_DIGITS
"""The length of a key without its prefix."""
_PAIRS: Final = tuple(a + b for a in _ALPHABET for b in _ALPHABET)
"""The digits of each number below 62 * 62."""


def encode_key(prefix: str, random: bytes) -> str:
    """Return the key made of ``KEY_BYTES`` random bytes."""
    body = prefix + base62(int.from_bytes(random), _RANDOM_DIGITS)
    return body + _checksum(body)


def is_valid_key(key: str, prefix_length: int) -> bool:
    """Return whether a presented key has the right length and checksum."""
    return (
        len(key) == prefix_length + CHECKED_LENGTH
        and key.isascii()
        and _checksum(key[:-_CHECK_DIGITS]) == key[-_CHECK_DIGITS:]
    )


def digest(key: str) -> bytes:
    """Return the hash that is stored for a key or token; with 192 random bits or more, SHA-256 needs no salt."""
    return hashlib.sha256(key.encode()).digest()


def base62(number: int, width: int) -> str:
    """Return a number in base 62, padded to ``width`` digits."""
    digits = []
    for _ in range(width):
        number, rest = divmod(number, 62)
        digits.append(_ALPHABET[rest])
    return "".join(reversed(digits))


def _checksum(body: str) -> str:
    """Return the CRC-32 in base 62, two digits at a time: it is checked on each request."""
    rest, low = divmod(zlib.crc32(body.encode()), len(_PAIRS))
    high, middle = divmod(rest, len(_PAIRS))
    return _PAIRS[high] + _PAIRS[middle] + _PAIRS[low]
