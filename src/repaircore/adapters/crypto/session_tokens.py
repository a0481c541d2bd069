"""Session tokens of partners: JWTs signed by HS256, and by nothing else (RFC 7519, RFC 8725)."""

import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import jwt
from typing_extensions import override

from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.partners.model import Claims
from repaircore.partners.ports import SessionTokens

SHORTEST_KEY: Final = 32
"""In bytes: as long as what HMAC-SHA256 gives."""
KEPT_AT_MOST: Final = 4096
"""So many tokens, of about 450 bytes each, are not verified again."""

_ALGORITHM: Final = "HS256"
_ISSUER: Final = "repaircore"
_AUDIENCES: Final = {environment: f"repaircore-partner-{environment}" for environment in Environment}
_LONGEST: Final = 2048
# Times are judged by the clock of whoever asks, the audience beside the environment that it belongs to.
_OPTIONS: Final[Any] = {
    "require": ["exp", "iat", "iss", "aud", "sub", "jti"],
    "verify_exp": False,
    "verify_iat": False,
    "verify_nbf": False,
    "verify_aud": False,
}
_LATEST: Final = 253_402_300_799  # the last second of the year 9999


class JwtSessionTokens(SessionTokens):
    """Sign with the newest key, accept any: a key is replaced without ending the sessions that are open.

    A token whose signature was once found good is known again by its whole text; that it is good does not
    change, and everything that does is judged elsewhere, each time.
    """

    def __init__(self, keys: Sequence[bytes], *, most: int = KEPT_AT_MOST) -> None:
        if not keys or any(len(key) < SHORTEST_KEY for key in keys):
            msg = f"Signing keys have {SHORTEST_KEY} bytes or more."
            raise ValueError(msg)
        self._keys = {_name(key): key for key in reversed(keys)}
        self._newest = _name(keys[0])
        self._most = most
        self._genuine: OrderedDict[str, Claims] = OrderedDict()

    @override
    def sign(self, claims: Claims, *, sdk_version: str) -> str:
        environment = claims.caller.environment
        told = {
            "iss": _ISSUER,
            "aud": _AUDIENCES[environment],
            "sub": str(claims.caller.partner_id),
            "jti": claims.token_id,
            "iat": int(claims.issued_at.timestamp()),
            "exp": int(claims.expires_at.timestamp()),
            "env": environment.value,
            "sdk": sdk_version,
        }
        key = self._keys[self._newest]
        return jwt.encode(told, key, algorithm=_ALGORITHM, headers={"kid": self._newest})

    @override
    def read(self, token: str) -> Claims | None:
        known = self._genuine.get(token)
        if known is None and len(token) <= _LONGEST and token.isascii():
            known = self._verified(token)
            if known is not None:
                self._genuine[token] = known
                while len(self._genuine) > self._most:
                    self._genuine.popitem(last=False)
        return known

    def _verified(self, token: str) -> Claims | None:
        try:
            kid = jwt.get_unverified_header(token).get("kid")
            key = self._keys.get(kid) if isinstance(kid, str) else None
            if key is None:
                return None
            told = jwt.decode(token, key, algorithms=[_ALGORITHM], issuer=_ISSUER, options=_OPTIONS)
        except (jwt.InvalidTokenError, RecursionError):
            return None
        return _claims(told)


def _name(key: bytes) -> str:
    """Name a key without telling anything of it."""
    return hashlib.sha256(b"repaircore signing key " + key).hexdigest()[:16]


def _claims(told: Mapping[str, Any]) -> Claims | None:
    """Give what a genuine token says; None when it is signed by our key, but not of our making."""
    issued, expires, partner = told["iat"], told["exp"], told["sub"]
    if any(type(at) is not int or not 0 <= at <= _LATEST for at in (issued, expires)):
        return None
    if not (partner.isascii() and partner.isdecimal() and len(partner) <= 18):  # noqa: PLR2004 - digits of an id
        return None
    environment = next((one for one in Environment if one == told.get("env")), None)
    if environment is None or told["aud"] != _AUDIENCES[environment]:
        return None
    return Claims(
        caller=PartnerCaller(partner_id=int(partner), environment=environment),
        token_id=told["jti"],
        issued_at=datetime.fromtimestamp(issued, UTC),
        expires_at=datetime.fromtimestamp(expires, UTC),
    )
