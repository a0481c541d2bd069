"""The form of keys: a prefix, random bytes in base 62, and a CRC-32 of both behind them.

The checksum refuses a mistyped or cut-off key without a look-up; it protects from mistakes, not from attackers
(docs/decisions/credentials.md).
"""

import hashlib
import zlib
from typing import Final

KEY_BYTES: Final = 24
"""How many random bytes a key is made of."""

_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM_DIGITS: Final = 33  # 62**33 > 2**192
_CHECK_DIGITS: Final = 6  # 62**6 > 2**32
LETTERS: Final = frozenset(_ALPHABET)
"""The digits of base 62."""
CHECKED_LENGTH: Final = _RANDOM_DIGITS + _CHECK_DIGITS
"""How long a key is behind its prefix."""
_PAIRS: Final = tuple(a + b for a in _ALPHABET for b in _ALPHABET)
"""The spelling of each number below 62 * 62."""


def spelled(prefix: str, random: bytes) -> str:
    """Spell a key from ``KEY_BYTES`` random bytes."""
    body = prefix + base62(int.from_bytes(random), _RANDOM_DIGITS)
    return body + _checksum(body)


def is_whole(key: str, prefix_length: int) -> bool:
    """Tell whether a presented key has the length of one with such a prefix, and a checksum that holds."""
    return (
        len(key) == prefix_length + CHECKED_LENGTH
        and key.isascii()
        and _checksum(key[:-_CHECK_DIGITS]) == key[-_CHECK_DIGITS:]
    )


def digest(key: str) -> bytes:
    """Hash a key or token for keeping: it is 192 random bits or more, so SHA-256 needs no salt."""
    return hashlib.sha256(key.encode()).digest()


def base62(number: int, width: int) -> str:
    """Spell a number in so many digits."""
    digits = []
    for _ in range(width):
        number, rest = divmod(number, 62)
        digits.append(_ALPHABET[rest])
    return "".join(reversed(digits))


def _checksum(body: str) -> str:
    """Spell the CRC-32 as ``base62`` does, two digits at a time: each request has it checked."""
    rest, low = divmod(zlib.crc32(body.encode()), len(_PAIRS))
    high, middle = divmod(rest, len(_PAIRS))
    return _PAIRS[high] + _PAIRS[middle] + _PAIRS[low]
