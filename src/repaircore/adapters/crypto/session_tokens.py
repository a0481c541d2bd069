"""Session tokens for partners: JWTs signed with HS256 only (RFC 7519, RFC 8725)."""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import jwt
from typing_extensions import override

from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.partners.model import SESSION_LIFETIME, Claims
from repaircore.partners.ports import SessionTokens

SHORTEST_KEY: Final = 32
"""The shortest signing key, in bytes: the length of an HMAC-SHA256."""
CACHE_SIZE: Final = 4096
"""How many verified tokens, of about 450 bytes each, are cached."""

_ALGORITHM: Final = "HS256"
_ISSUER: Final = "repaircore"
_AUDIENCES: Final = {environment: f"repaircore-partner-{environment}" for environment in Environment}
_LONGEST: Final = 2048
# The caller checks the times, by its own clock; the audience is checked together with the environment.
_OPTIONS: Final[Any] = {
    "require": ["exp", "iat", "iss", "aud", "sub", "jti"],
    "verify_exp": False,
    "verify_iat": False,
    "verify_nbf": False,
    "verify_aud": False,
}
_LATEST: Final = 253_402_300_799  # the last second of the year 9999


class JwtSessionTokens(SessionTokens):
    """Session tokens, signed with the newest key and verified with any, so that replacing a key ends no session.

    ``former`` is the key that signed until this process started; it is accepted for the lifetime of a session, so that
    no session ends when an operator first sets their own key. Verified tokens are cached by their full text: a
    signature stays valid, and callers check everything else each time. ``clock`` returns monotonic time in seconds.
    """

    def __init__(
        self,
        keys: Sequence[bytes],
        *,
        former: bytes | None = None,
        most: int = CACHE_SIZE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not keys or any(len(key) < SHORTEST_KEY for key in keys):
            msg = f"Signing keys must have at least {SHORTEST_KEY} bytes."
            raise ValueError(msg)
        self._keys = {_key_id(key): key for key in reversed(keys)}
        self._newest = _key_id(keys[0])
        self._former = None if former is None else (_key_id(former), former)
        self._former_until = clock() + SESSION_LIFETIME.total_seconds()
        self._clock = clock
        self._most = most
        self._verified: OrderedDict[str, Claims] = OrderedDict()

    @override
    def sign(self, claims: Claims, *, sdk_version: str) -> str:
        environment = claims.caller.environment
        payload = {
            "iss": _ISSUER,
            "aud": _AUDIENCES[environment],
            "sub": str(claims.caller.partner_id),
            "jti": claims.token_id,
            "iat": int(claims.issued_at.timestamp()),
            "exp": int(claims.expires_at.timestamp()),
            "env": environment.value,
            **({} if claims.ended_before is None else {"end": claims.ended_before}),
            "sdk": sdk_version,
        }
        key = self._keys[self._newest]
        return jwt.encode(payload, key, algorithm=_ALGORITHM, headers={"kid": self._newest})

    @override
    def read(self, token: str) -> Claims | None:
        claims = self._verified.get(token)
        if claims is None and len(token) <= _LONGEST and token.isascii():
            claims = self._verify(token)
            if claims is not None:
                self._verified[token] = claims
                while len(self._verified) > self._most:
                    self._verified.popitem(last=False)
        return claims

    def _verify(self, token: str) -> Claims | None:
        try:
            kid = jwt.get_unverified_header(token).get("kid")
            key = self._key(kid) if isinstance(kid, str) else None
            if key is None:
                return None
            payload = jwt.decode(token, key, algorithms=[_ALGORITHM], issuer=_ISSUER, options=_OPTIONS)
        except (jwt.InvalidTokenError, RecursionError):
            return None
        return _claims(payload)

    def _key(self, kid: str) -> bytes | None:
        if self._former is not None and kid == self._former[0] and self._clock() < self._former_until:
            return self._former[1]
        return self._keys.get(kid)


def _key_id(key: bytes) -> str:
    """Return an ID for a key that reveals nothing about the key."""
    return hashlib.sha256(b"repaircore signing key " + key).hexdigest()[:16]


def _claims(payload: Mapping[str, Any]) -> Claims | None:
    """Return the claims in a verified token, or None if another program signed it with our key."""
    issued, expires, partner = payload["iat"], payload["exp"], payload["sub"]
    if any(type(at) is not int or not 0 <= at <= _LATEST for at in (issued, expires)):
        return None
    if not (partner.isascii() and partner.isdecimal() and len(partner) <= 18):  # noqa: PLR2004 - digits of an id
        return None
    ended_before = payload.get("end")
    if ended_before is not None and type(ended_before) is not int:
        return None
    environment = next((each for each in Environment if each == payload.get("env")), None)
    if environment is None or payload["aud"] != _AUDIENCES[environment]:
        return None
    return Claims(
        caller=PartnerCaller(partner_id=int(partner), environment=environment),
        token_id=payload["jti"],
        issued_at=datetime.fromtimestamp(issued, UTC),
        expires_at=datetime.fromtimestamp(expires, UTC),
        ended_before=ended_before,
    )
