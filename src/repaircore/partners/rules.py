"""The rules of partners' names, of their keys' form, and of how long a session token counts."""

from datetime import datetime, timedelta
from typing import Final

from repaircore.kernel.callers import Environment
from repaircore.kernel.keys import encode_key, is_valid_key
from repaircore.partners.model import SESSION_LIFETIME, Claims

LEEWAY: Final = timedelta(seconds=5)
"""How far the clocks of two machines may differ."""

_LONGEST: Final = 255
_PUBLIC: Final = tuple(f"ppk_{environment}_" for environment in Environment)
_PREFIX: Final = len(_PUBLIC[0])


def validate(*, name: str, environment: str) -> dict[str, list[str]]:
    """Name what is wrong with a new partner."""
    told = {"name": _validate_name(name), "environment": _validate_environment(environment)}
    return {field: texts for field, texts in told.items() if texts}


def public_key(environment: Environment, random: bytes) -> str:
    """Spell the key that client code shows."""
    return encode_key(f"ppk_{environment}_", random)


def secret_key(environment: Environment, random: bytes) -> str:
    """Spell the key that never leaves the partner's servers."""
    return encode_key(f"psk_{environment}_", random)


def is_public_key(text: str) -> bool:
    """Tell whether a text can be a public key; what cannot need not be looked up."""
    return text.startswith(_PUBLIC) and is_valid_key(text, _PREFIX)


def looks_secret(text: str) -> bool:
    """Tell whether somebody sends their secret key where the public one belongs."""
    return text.startswith("psk_")


def is_current(claims: Claims, now: datetime) -> bool:
    """Tell whether a genuine token counts now: not yet expired, nor issued in a time to come, nor for too long."""
    return (
        claims.issued_at <= now + LEEWAY
        and now < claims.expires_at + LEEWAY
        and claims.expires_at - claims.issued_at <= SESSION_LIFETIME
    )


def _validate_name(name: str) -> list[str]:
    if not name.strip():
        return ["The name field is required."]
    if len(name) > _LONGEST:
        return [f"The name field must not be longer than {_LONGEST} characters."]
    return [] if name.isprintable() else ["The name field must hold printable characters only."]


def _validate_environment(environment: str) -> list[str]:
    return [] if environment in set(Environment) else ["The environment field must be one of: live, test."]
