"""Credentials, declared where routes are.

    routes = Routes("predictions", url_prefix="/api/v1/predict", need=Need.KEY, dialect=flagged)

    @routes.get("/red-flags", need=Need.SECRET, safe=True)

A route takes ``need``, ``dialect`` and ``most_bytes`` from its blueprint unless it states its own. One that has no
``need`` from either stops the start of the application. The guard stands before the body is looked at, so that 401
and 403 come before 413, 415, 400 and 422. HEAD is answered only where a GET is declared ``safe``.
"""

import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any, TypeAlias

import attrs
from flask import Blueprint, g, request
from flask.typing import RouteCallable
from typing_extensions import override
from werkzeug.routing import Rule

from repaircore.kernel.callers import Caller, Credential, PartnerCaller
from repaircore.kernel.errors import Forbidden, Unauthenticated
from repaircore_http.declarations import UNDECLARED, Declared
from repaircore_http.errors import Dialect, plain

Authenticate: TypeAlias = Callable[[str], Caller]
"""Tell whose a bearer token is; raises Unauthenticated for one that is unknown, revoked or expired."""

Quick: TypeAlias = Callable[[Any, Caller, dict[str, Any]], bytes]
"""Answer a POST with JSON, given the served core, the caller and the body: see ``quick``."""

MOST_BYTES = 1024 * 1024
"""The largest body, in bytes, where a route does not say otherwise."""


class Need(StrEnum):
    """The credential that a route asks for (the ``auth`` column of the endpoint list)."""

    NONE = "none"
    SESSION = "session"
    KEY = "key"
    SECRET = "secret"  # noqa: S105 - the kind of a credential, not one
    ADMIN = "admin"
    OPTIONAL = "optional"
    PARTNER = "partner"


_ACCEPTED: dict[Need, frozenset[Credential]] = {
    Need.SESSION: frozenset({Credential.SESSION}),
    Need.KEY: frozenset({Credential.PUBLISHABLE, Credential.SECRET, Credential.SESSION}),
    Need.SECRET: frozenset({Credential.SECRET, Credential.SESSION}),
    Need.ADMIN: frozenset({Credential.SECRET, Credential.SESSION}),
    Need.OPTIONAL: frozenset({Credential.PUBLISHABLE, Credential.SECRET, Credential.SESSION}),
    Need.PARTNER: frozenset(),  # the gate of the partner platform lets partners in, and nothing of the main service
}

# RFC 6750: one token of the b64token alphabet; the scheme's case does not matter.
_BEARER = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +([A-Za-z0-9._~+/-]{1,4096}=*) *")


class UndeclaredCredential(RuntimeError):
    """Some routes do not say what credential they need."""


def bearer_token(header: str) -> str:
    """Take the token out of an Authorization header.

    Raises:
        Unauthenticated: when it is not one bearer token.
    """
    found = _BEARER.fullmatch(header)
    if found is None:
        raise Unauthenticated
    return found[1]


def identify(need: Need, header: str | None, authenticate: Authenticate) -> Caller | None:
    """Find out who asks, and whether this route is theirs to ask; None is an anonymous caller.

    Raises:
        Unauthenticated: no credential where one is needed, or a wrong one wherever one counts.
        Forbidden: a good credential of the wrong kind or role.
    """
    if need is Need.NONE or (need is Need.OPTIONAL and not header):
        return None
    if not header:
        raise Unauthenticated
    known = authenticate(bearer_token(header))
    admit(need, known)
    return known


def admit(need: Need, known: Caller) -> None:
    """Let a known caller through, or raise Forbidden."""
    if known.credential not in _ACCEPTED[need] or (need is Need.ADMIN and not known.is_admin):
        raise Forbidden


def caller() -> Caller:
    """Tell who asks; only on routes that need a credential."""
    known: Caller = g.caller
    return known


def caller_if_any() -> Caller | None:
    """Tell who asks, or None when the caller is anonymous."""
    known: Caller | None = g.get("caller")
    return known


def partner_caller() -> PartnerCaller:
    """Tell which partner asks; only on routes that need a session token of the partner platform."""
    known: PartnerCaller = g.partner
    return known


def presented_token() -> str:
    """Give the token that the caller showed; only on routes that need a credential."""
    return bearer_token(request.headers.get("Authorization", ""))


_DECLARED = frozenset(field.name for field in attrs.fields(Declared))


class GuardedRule(Rule):
    """A route that knows its credential, its dialect and its limit, and what it reads and tells (``Declared``).

    ``once``: an idempotency key counts here, and the view runs in one unit of work, with what is kept of its answer.
    ``prepare`` runs ahead of that unit of work, with the view's arguments: what asks outside has its place there.
    """

    def __init__(
        self,
        string: str,
        *,
        need: Need | None = None,
        dialect: Dialect | None = None,
        most_bytes: int = MOST_BYTES,
        safe: bool = False,
        quick: Quick | None = None,
        once: bool = False,
        prepare: Callable[..., None] | None = None,
        **options: Any,
    ) -> None:
        told = {name: options.pop(name) for name in _DECLARED & options.keys()}
        super().__init__(string, **options)
        self.declared = Declared(**told) if told else UNDECLARED
        self.quick = quick
        self.once = once
        self.prepare = prepare
        self.need = need
        self.dialect = dialect
        self.most_bytes = most_bytes
        self.provide_automatic_options = False  # Flask sets it on adding the rule.
        if not safe and self.methods is not None:
            # Werkzeug lets HEAD run every GET; a GET that acts would act on it.
            self.methods.discard("HEAD")


class Routes(Blueprint):
    """A blueprint that says what its routes need and how they word errors.

    ``need`` None leaves it to each route. ``dialect`` also words unknown addresses under ``url_prefix``. ``tag`` names the
    group of operations that they belong to; a route may say another.
    """

    def __init__(
        self,
        name: str,
        *,
        need: Need | None,
        url_prefix: str | None = None,
        dialect: Dialect = plain,
        most_bytes: int = MOST_BYTES,
        tag: str | None = None,
    ) -> None:
        super().__init__(name, __name__, url_prefix=url_prefix)
        self.dialect = dialect
        self._defaults = {"need": need, "dialect": dialect, "most_bytes": most_bytes, "tag": tag}

    @override
    def add_url_rule(
        self,
        rule: str,
        endpoint: str | None = None,
        view_func: RouteCallable | None = None,
        provide_automatic_options: bool | None = None,
        **options: Any,
    ) -> None:
        super().add_url_rule(
            rule, endpoint, view_func, provide_automatic_options, **{**self._defaults, **options}
        )


def require_credentials(rules: Iterable[Rule]) -> None:
    """Stop the start when a route does not declare its credential.

    Raises:
        UndeclaredCredential: naming each such route.
    """
    open_ones = [rule for rule in rules if not isinstance(rule, GuardedRule) or rule.need is None]
    if open_ones:
        named = "; ".join(
            f"{'|'.join(sorted(rule.methods or ()))} {rule.rule} ({rule.endpoint})" for rule in open_ones
        )
        msg = f"Routes without a declared credential (need=Need.…): {named}"
        raise UndeclaredCredential(msg)
