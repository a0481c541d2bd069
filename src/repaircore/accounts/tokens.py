"""The form of every credential: prefixes, checksums, and how a token is told from another.

A management token is ``mst_`` and 32 random bytes; an API key is ``pk_test_``, ``pk_live_``,
``sk_test_`` or ``sk_live_`` and 24 random bytes in base62 with a CRC-32 behind them, so that a
mistyped key is refused without a look-up (docs/decisions/credentials.md).
"""

import hashlib
import zlib
from typing import Final

from repaircore.accounts.model import CredentialHash
from repaircore.kernel.callers import Credential, Environment

__all__ = ["KEY_BYTES", "SESSION_BYTES", "api_key", "digest", "read", "session_token"]

KEY_BYTES: Final = 24
SESSION_BYTES: Final = 32

_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM_DIGITS: Final = 33  # 62**33 > 2**192
_CHECK_DIGITS: Final = 6  # 62**6 > 2**32
_SESSION_DIGITS: Final = 43  # 62**43 > 2**256
_KINDS: Final = {
    "pk_test_": Credential.PUBLISHABLE,
    "pk_live_": Credential.PUBLISHABLE,
    "sk_test_": Credential.SECRET,
    "sk_live_": Credential.SECRET,
}
_PREFIX: Final = 8
_KEY_LENGTH: Final = _PREFIX + _RANDOM_DIGITS + _CHECK_DIGITS
_SESSION_PREFIX: Final = "mst_"
_LETTERS: Final = frozenset(_ALPHABET)
_PAIRS: Final = tuple(a + b for a in _ALPHABET for b in _ALPHABET)
"""The spelling of each number below 62 * 62."""


def session_token(random: bytes) -> str:
    """Spell a management token from 32 random bytes."""
    return _SESSION_PREFIX + _base62(int.from_bytes(random), _SESSION_DIGITS)


def api_key(credential: Credential, environment: Environment, random: bytes) -> str:
    """Spell a publishable or a secret key from 24 random bytes."""
    kind = "pk" if credential is Credential.PUBLISHABLE else "sk"
    body = f"{kind}_{environment}_" + _base62(int.from_bytes(random), _RANDOM_DIGITS)
    return body + _checksum(body)


def read(token: str) -> CredentialHash | None:
    """Tell what a presented token claims to be; None when it cannot be one of ours."""
    kind = _KINDS.get(token[:_PREFIX])
    if kind is not None:
        body, check = token[:-_CHECK_DIGITS], token[-_CHECK_DIGITS:]
        well_formed = len(token) == _KEY_LENGTH and token.isascii() and _checksum(body) == check
        return CredentialHash(credential=kind, digest=digest(token)) if well_formed else None
    body = token[len(_SESSION_PREFIX) :]
    if token.startswith(_SESSION_PREFIX) and len(body) == _SESSION_DIGITS and _LETTERS.issuperset(body):
        return CredentialHash(credential=Credential.SESSION, digest=digest(token))
    return None


def digest(token: str) -> bytes:
    """Hash a token for keeping: it is 192 random bits or more, so SHA-256 needs no salt."""
    return hashlib.sha256(token.encode()).digest()


def _base62(number: int, width: int) -> str:
    digits = []
    for _ in range(width):
        number, rest = divmod(number, 62)
        digits.append(_ALPHABET[rest])
    return "".join(reversed(digits))


def _checksum(body: str) -> str:
    """Spell the CRC-32 as ``_base62`` does, two digits at a time: each request has it checked."""
    rest, low = divmod(zlib.crc32(body.encode()), len(_PAIRS))
    high, middle = divmod(rest, len(_PAIRS))
    return _PAIRS[high] + _PAIRS[middle] + _PAIRS[low]
