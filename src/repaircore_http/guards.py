"""Bearer credentials: who may call a route, and who is calling.

The guard runs before the body is read, so that 401 and 403 come before 413, 415, 400 and 422.
"""

import re
from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

from flask import g, request

from repaircore.kernel.callers import Caller, Credential, PartnerCaller, ProviderCaller
from repaircore.kernel.errors import Forbidden, Unauthenticated

Authenticate: TypeAlias = Callable[[str], Caller]
"""Return the caller with this bearer token; raise Unauthenticated if it is unknown, revoked or expired."""


AuthenticateProvider: TypeAlias = Callable[[str, str], ProviderCaller]
"""Return the provider with this key, or raise Unauthenticated if it is unknown or revoked.

The second argument is the client's IP address.
"""


class Auth(StrEnum):
    """The credential that a route needs (the ``auth`` column of the endpoint list)."""

    NONE = "none"
    SESSION = "session"
    KEY = "key"
    SECRET = "secret"  # noqa: S105 - a kind of credential, not a secret
    ADMIN = "admin"
    OPTIONAL = "optional"
    PARTNER = "partner"
    PROVIDER = "provider"


_ACCEPTED: dict[Auth, frozenset[Credential]] = {
    Auth.SESSION: frozenset({Credential.SESSION}),
    Auth.KEY: frozenset({Credential.PUBLISHABLE, Credential.SECRET, Credential.SESSION}),
    Auth.SECRET: frozenset({Credential.SECRET, Credential.SESSION}),
    Auth.ADMIN: frozenset({Credential.SECRET, Credential.SESSION}),
    Auth.OPTIONAL: frozenset({Credential.PUBLISHABLE, Credential.SECRET, Credential.SESSION}),
    Auth.PROVIDER: frozenset(),  # keys of providers are checked by the application
    Auth.PARTNER: frozenset(),  # partner tokens are checked by partner_auth; no credential of the main service counts
}

# RFC 6750: one token of the b64token alphabet; the case of the scheme does not matter.
_BEARER = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +([A-Za-z0-9._~+/-]{1,4096}=*) *")


def bearer_token(header: str) -> str:
    """Return the token in an Authorization header.

    Raises:
        Unauthenticated: it is not one bearer token.
    """
    match = _BEARER.fullmatch(header)
    if match is None:
        raise Unauthenticated
    return match[1]


def identify(auth: Auth, header: str | None, authenticate: Authenticate) -> Caller | None:
    """Return the caller after checking that the route admits them, or None for an anonymous caller.

    Raises:
        Unauthenticated: the credential is missing or invalid.
        Forbidden: the credential is valid, but of the wrong kind or role.
    """
    if auth is Auth.NONE or (auth is Auth.OPTIONAL and not header):
        return None
    if not header:
        raise Unauthenticated
    caller = authenticate(bearer_token(header))
    require_access(auth, caller)
    return caller


def require_access(auth: Auth, caller: Caller) -> None:
    """Raise Forbidden unless a route with this credential admits the caller."""
    if caller.credential not in _ACCEPTED[auth] or (auth is Auth.ADMIN and not caller.is_admin):
        raise Forbidden


def caller() -> Caller:
    """Return the caller; use this only on routes that need a credential."""
    authenticated: Caller = g.caller
    return authenticated


def caller_if_any() -> Caller | None:
    """Return the caller, or None for an anonymous one."""
    authenticated: Caller | None = g.get("caller")
    return authenticated


def partner_caller() -> PartnerCaller:
    """Return the partner; use this only on routes that need a session token of the partner platform."""
    authenticated: PartnerCaller = g.partner
    return authenticated


def provider_caller() -> ProviderCaller:
    """Return the provider; use this only on routes that need a provider's key."""
    authenticated: ProviderCaller = g.provider
    return authenticated


def presented_token() -> str:
    """Return the token of this request; use this only on routes that need a credential."""
    return bearer_token(request.headers.get("Authorization", ""))
