"""The gate of the partner platform: who asks, and how often, before anything else is looked at.

It stands before every address under the prefix, unknown ones and wrong methods included, so that whoever guesses is
counted as well. Whoever shows a good session token is counted as the partner, everybody else by the client's address.
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
"""Tell whose a session token is; raises Unauthenticated for one that does not count."""

_STANDING: Final = "repaircore.standing"


@frozen(kw_only=True)
class PartnerGate:
    """Stands before every address under ``prefix``; ``dialect`` words what is refused there."""

    prefix: str
    dialect: Dialect
    authenticate: AuthenticatePartner
    limits: Limits

    def covers(self, path: str) -> bool:
        """Tell whether the gate stands before a path."""
        return is_under(path, self.prefix)

    def admit(self, environ: "WSGIEnvironment", auth: Auth | None, address: str) -> PartnerCaller | None:
        """Find out which partner asks, and count the request; None where no token is needed and no good one shown.

        ``auth`` None is an address that leads nowhere; what is said of it is not the gate's to say.

        Raises:
            TooMany: the partner, or the client at this address, has asked too often.
            BadToken: a session token is needed, and no good one was shown.
            Unavailable: nobody can tell at the moment.
        """
        known, failure = self._identified(environ.get("HTTP_AUTHORIZATION"))
        standing = environ[_STANDING] = self._counted(environ, known, address)
        if not standing.admitted:
            raise TooMany(standing.retry_after, "Too many requests; ask again later.")
        if known is None and auth is Auth.PARTNER:
            raise failure or BadToken
        return known

    def require(self, rules: Iterable[Rule]) -> None:
        """Stop the start when a route asks for partners elsewhere, or for others here.

        Raises:
            UndeclaredCredential: naming each such route.
        """
        guarded = [rule for rule in rules if isinstance(rule, GuardedRule)]
        odd = [
            rule.rule
            for rule in guarded
            if rule.auth not in ({Auth.NONE, Auth.PARTNER} if self.covers(rule.rule) else _OTHERS)
        ]
        if odd:
            msg = f"Partners are known under {self.prefix} alone, and nobody else is there: {', '.join(odd)}"
            raise UndeclaredAuth(msg)

    def _identified(self, header: str | None) -> tuple[PartnerCaller | None, Unavailable | None]:
        try:
            return (self.authenticate(bearer_token(header)) if header else None), None
        except Unauthenticated:
            return None, None
        except Unavailable as failure:
            return None, failure

    def _counted(self, environ: "WSGIEnvironment", known: PartnerCaller | None, address: str) -> WindowStatus:
        if known is not None:
            return self.limits.partner(known.partner_id, known.environment)
        try:
            return self.limits.stranger(address)
        except Unavailable:
            environ[_STANDING] = self.limits.stranger_uncounted()  # the refusal tells figures as well
            raise


_OTHERS: Final = frozenset(Auth) - {Auth.PARTNER}


def rate_headers(environ: "WSGIEnvironment") -> tuple[tuple[str, str], ...]:
    """Give the headers that tell how the asker's window stands; none of who was not counted at the gate."""
    standing: WindowStatus | None = environ.get(_STANDING)
    if standing is None:
        return ()
    return (
        ("X-RateLimit-Limit", str(standing.limit)),
        ("X-RateLimit-Remaining", str(standing.remaining)),
        ("X-RateLimit-Reset", str(standing.reset_at)),
    )
