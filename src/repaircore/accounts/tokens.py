"""Credential formats: prefixes and checksums.

A management token is ``mst_`` and 32 random bytes; an API key is ``pk_test_``, ``pk_live_``,
``sk_test_`` or ``sk_live_`` and 24 random bytes in base62, followed by a CRC-32, so that a
mistyped key is detected without a lookup (docs/decisions/credentials.md). The token of a link is
``prl_`` (a password reset) or ``fal_`` (the first admin) and 32 random bytes.
"""

from typing import Final

from repaircore.accounts.model import CredentialHash
from repaircore.kernel.callers import Credential, Environment
from repaircore.kernel.keys import BASE62_DIGITS, base62, digest, encode_key, is_valid_key

SESSION_BYTES: Final = 32
LINK_BYTES: Final = 32
"""The number of random bytes in a link's token."""

_SESSION_DIGITS: Final = 43  # 62**43 > 2**256
_KINDS: Final = {
    "pk_test_": Credential.PUBLISHABLE,
    "pk_live_": Credential.PUBLISHABLE,
    "sk_test_": Credential.SECRET,
    "sk_live_": Credential.SECRET,
}
_PREFIX: Final = 8
_SESSION_PREFIX: Final = "mst_"


def session_token(random: bytes) -> str:
    """Return a management token made from 32 random bytes."""
    return _SESSION_PREFIX + base62(int.from_bytes(random), _SESSION_DIGITS)


def reset_token(random: bytes) -> str:
    """Return the token of a password reset link, made from 32 random bytes."""
    return "prl_" + base62(int.from_bytes(random), _SESSION_DIGITS)


def setup_token(random: bytes) -> str:
    """Return the token of the link that creates the first admin account, made from 32 random bytes."""
    return "fal_" + base62(int.from_bytes(random), _SESSION_DIGITS)


def api_key(credential: Credential, environment: Environment, random: bytes) -> str:
    """Return a publishable or secret key made from 24 random bytes."""
    kind = "pk" if credential is Credential.PUBLISHABLE else "sk"
    return encode_key(f"{kind}_{environment}_", random)


def parse_token(token: str) -> CredentialHash | None:
    """Return the lookup key of a presented token, or None if it is malformed."""
    kind = _KINDS.get(token[:_PREFIX])
    if kind is not None:
        return CredentialHash(credential=kind, digest=digest(token)) if is_valid_key(token, _PREFIX) else None
    body = token[len(_SESSION_PREFIX) :]
    if token.startswith(_SESSION_PREFIX) and len(body) == _SESSION_DIGITS and BASE62_DIGITS.issuperset(body):
        return CredentialHash(credential=Credential.SESSION, digest=digest(token))
    return None
