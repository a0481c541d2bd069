"""Authentication and rate limits of the partner platform.

They cover every URL under the prefix, including unknown ones and wrong methods, so that guessing is counted, too. A
request with a valid session token counts for its partner, every other request for the client's IP address.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final, TypeAlias

from attrs import frozen
from werkzeug.routing import Rule

from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import TooMany, Unauthenticated, Unavailable
from repaircore.limits.model import WindowStatus
from repaircore.limits.service import Limits
from repaircore.partners.errors import BadToken
from repaircore_http.errors import Dialect
from repaircore_http.guards import Auth, bearer_token
from repaircore_http.paths import is_under
from repaircore_http.routes import GuardedRule, UndeclaredAuth

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


AuthenticatePartner: TypeAlias = Callable[[str], PartnerCaller]
"""Return the partner with this session token; raise Unauthenticated if the token is not valid."""

_WINDOW: Final = "repaircore.rate_window"
_NOT_PARTNERS: Final = frozenset(Auth) - {Auth.PARTNER}


@frozen(kw_only=True)
class PartnerAuth:
    """Authenticates and counts every request under ``prefix``; ``dialect`` creates its error bodies."""

    prefix: str
    dialect: Dialect
    authenticate: AuthenticatePartner
    limits: Limits

    def covers(self, path: str) -> bool:
        """Return whether a path lies under the prefix."""
        return is_under(path, self.prefix)

    def admit(self, environ: "WSGIEnvironment", auth: Auth | None, address: str) -> PartnerCaller | None:
        """Count the request, and return its partner, or None if it has no valid token and needs none.

        ``auth`` is None for an unknown URL, whose error is raised after this. A route that needs no token is counted by
        ``count_session`` instead.

        Raises:
            TooMany: the partner, or the client at this IP address, has sent too many requests.
            BadToken: a session token is needed, and there is no valid one.
            Unavailable: tokens cannot be checked at the moment.
        """
        partner, error = self._authenticated(environ.get("HTTP_AUTHORIZATION"))
        if auth is Auth.NONE:
            return partner
        _admit(environ, self._counted(environ, partner, address))
        if partner is None and auth is Auth.PARTNER:
            raise error or BadToken
        return partner

    def require_prefix(self, rules: Iterable[Rule]) -> None:
        """Check that only routes under the prefix need a partner, and that they need no other caller.

        Raises:
            UndeclaredAuth: with each route that violates this.
        """
        guarded = [rule for rule in rules if isinstance(rule, GuardedRule)]
        misplaced = [
            rule.rule
            for rule in guarded
            if rule.auth not in ({Auth.NONE, Auth.PARTNER} if self.covers(rule.rule) else _NOT_PARTNERS)
        ]
        if misplaced:
            msg = f"Only routes under {self.prefix} may require a partner, and they may require no other caller: {', '.join(misplaced)}"
            raise UndeclaredAuth(msg)

    def _authenticated(self, header: str | None) -> tuple[PartnerCaller | None, Unavailable | None]:
        try:
            return (self.authenticate(bearer_token(header)) if header else None), None
        except Unauthenticated:
            return None, None
        except Unavailable as error:
            return None, error

    def _counted(
        self, environ: "WSGIEnvironment", partner: PartnerCaller | None, address: str
    ) -> WindowStatus:
        if partner is not None:
            return self.limits.count_partner_request(partner.partner_id, partner.environment)
        try:
            return self.limits.count_anonymous(address)
        except Unavailable:
            environ[_WINDOW] = self.limits.anonymous_status()  # the error response has the headers, too
            raise


def count_session(
    environ: "WSGIEnvironment", limits: Limits, partner: PartnerCaller | None, address: str
) -> None:
    """Count a request for a session: by partner and IP address, or only by IP address if the key is unknown.

    Raises:
        TooMany: too many such requests.
        Unavailable: requests cannot be counted at the moment.
    """
    try:
        window = (
            limits.count_anonymous(address)
            if partner is None
            else limits.count_session(partner.partner_id, partner.environment, address)
        )
    except Unavailable:
        environ[_WINDOW] = limits.anonymous_status()
        raise
    _admit(environ, window)


def _admit(environ: "WSGIEnvironment", window: WindowStatus) -> None:
    environ[_WINDOW] = window
    if not window.admitted:
        raise TooMany(window.retry_after, "Too many requests. Try again later.")


def window_of(environ: "WSGIEnvironment") -> WindowStatus:
    """Return the caller's rate window, including this request; every request of a partner has one."""
    window: WindowStatus = environ[_WINDOW]
    return window


def rate_limit_headers(environ: "WSGIEnvironment") -> tuple[tuple[str, str], ...]:
    """Return the headers with the caller's rate window; empty if the request was not counted."""
    window: WindowStatus | None = environ.get(_WINDOW)
    if window is None:
        return ()
    return (
        ("X-RateLimit-Limit", str(window.limit)),
        ("X-RateLimit-Remaining", str(window.remaining)),
        ("X-RateLimit-Reset", str(window.reset_at)),
    )
