"""Rules for partners: the format of keys, and when a session token is current."""

from datetime import datetime, timedelta
from typing import Final

from repaircore.kernel.callers import Environment
from repaircore.kernel.keys import encode_key, is_valid_key
from repaircore.partners.model import SESSION_LIFETIME, Claims

LEEWAY: Final = timedelta(seconds=5)
"""How far the clocks of two servers may differ."""

LONGEST_STEP: Final = timedelta(hours=1)
"""How far a clock may be set back without rejecting sessions opened before: one hour, the step between time zones."""

_PUBLIC: Final = tuple(f"ppk_{environment}_" for environment in Environment)
_SECRET: Final = tuple(f"psk_{environment}_" for environment in Environment)
_PREFIX: Final = len(_PUBLIC[0])


def public_key(environment: Environment, random: bytes) -> str:
    """Return a new public key, which may appear in client code."""
    return encode_key(f"ppk_{environment}_", random)


def secret_key(environment: Environment, random: bytes) -> str:
    """Return a new secret key, which never leaves the partner's servers."""
    return encode_key(f"psk_{environment}_", random)


def is_public_key(text: str) -> bool:
    """Return whether ``text`` has the format of a public key; other strings need no lookup."""
    return text.startswith(_PUBLIC) and is_valid_key(text, _PREFIX)


def is_secret_key(text: str) -> bool:
    """Return whether ``text`` has the format of a secret key; other strings need no lookup."""
    return text.startswith(_SECRET) and is_valid_key(text, _PREFIX)


def looks_secret(text: str) -> bool:
    """Return whether ``text`` looks like a secret key, even a malformed one."""
    return text.startswith("psk_")


def is_current(claims: Claims, now: datetime) -> bool:
    """Return whether a genuine token is valid now: not expired, not issued too far ahead, and not too long-lived."""
    return (
        claims.issued_at <= now + LONGEST_STEP + LEEWAY
        and now < claims.expires_at + LEEWAY
        and claims.expires_at - claims.issued_at <= SESSION_LIFETIME
    )
