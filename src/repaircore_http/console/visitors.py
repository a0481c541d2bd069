"""Visitors: cookies, form tokens and the origin of posted forms.

The session cookie holds a management token (docs/decisions/console.md). The forms of visitors who are not logged in
are bound to another cookie, which only shows that the same browser loaded the form.
"""

import hmac
import secrets
from hashlib import sha256
from typing import Final
from urllib.parse import urlsplit

from flask import Response, g, request

from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Forbidden

PREFIX: Final = "/console"
"""The path of the pages that need an account."""

_COOKIES: Final = "/"
"""The path of the cookies: public pages use them, too, to know who is logged in. The API ignores them."""

SESSION: Final = "repaircore_session"
VISIT: Final = "repaircore_visit"
ENVIRONMENT: Final = "repaircore_environment"
TOKEN: Final = "form_token"  # noqa: S105 - the name of a field
"""The field of every form that holds the form token."""

_STALE: Final = (
    "This form has expired, or was sent from another site. Go back, reload the page and send it again."
)
_A_YEAR: Final = 365 * 24 * 3600


def session_token() -> str | None:
    """Return the management token in the cookie, or None if there is none."""
    return request.cookies.get(SESSION)


def keep_session(answer: Response, token: str) -> Response:
    """Log the browser in until it is closed or the session ends."""
    _set_cookie(answer, SESSION, token)
    return answer


def end_session(answer: Response) -> Response:
    """Log the browser out."""
    answer.delete_cookie(SESSION, path=_COOKIES, secure=_is_secure(), httponly=True, samesite="Strict")
    return answer


def chosen_environment() -> Environment:
    """Return the environment that the visitor chose; the default is live."""
    chosen = request.cookies.get(ENVIRONMENT)
    return Environment.TEST if chosen == Environment.TEST else Environment.LIVE


def keep_environment(answer: Response, environment: Environment) -> Response:
    """Store the environment that the visitor chose."""
    _set_cookie(answer, ENVIRONMENT, environment, max_age=_A_YEAR)
    return answer


def form_token() -> str:
    """Return this page's form token: a keyed hash whose key is the browser's cookie."""
    return _token_of(_bound_to())


def require_token(token: str) -> None:
    """Check that ``token`` is the form token of this visitor.

    Raises:
        Forbidden: it is missing or wrong.
    """
    bound_to = session_token() if _is_logged_in() else request.cookies.get(VISIT)
    if not bound_to or not hmac.compare_digest(_token_of(bound_to).encode(), token.encode()):
        raise Forbidden(_STALE)


def require_own_origin(public_url: str) -> None:
    """Check that a page of this site sent the request.

    Every browser sends ``Origin`` or ``Sec-Fetch-Site``; the latter only over TLS, or to the local machine.

    Raises:
        Forbidden: another site sent it, or the browser does not say which site did.
    """
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin", "")
    ours = site in _OWN_SITES if site is not None else _is_own(origin, public_url)
    if not ours:
        raise Forbidden(_STALE)


_OWN_SITES: Final = frozenset({"same-origin", "none"})
"""The accepted values of ``Sec-Fetch-Site``; ``none`` is an action of the visitor, such as reloading a tab."""


def _is_own(origin: str, public_url: str) -> bool:
    try:
        sender, public = urlsplit(origin), urlsplit(public_url)
    except ValueError:
        return False
    if sender.scheme not in {"http", "https"} or not sender.netloc:
        return False
    # Behind a proxy that terminates TLS, the scheme here differs.
    return sender.netloc == request.host or (sender.scheme, sender.netloc) == (public.scheme, public.netloc)


def keep_visit(answer: Response) -> Response:
    """Set the cookie that the forms are bound to, if there is a new one."""
    new_visit: str | None = g.get("new_visit")
    if new_visit is not None:
        _set_cookie(answer, VISIT, new_visit)
    return answer


def _bound_to() -> str:
    if _is_logged_in():
        return session_token() or ""
    visit = request.cookies.get(VISIT) or g.get("new_visit")
    if not visit:
        visit = g.new_visit = secrets.token_urlsafe(32)
    return str(visit)


def _is_logged_in() -> bool:
    return g.get("caller") is not None


def _token_of(bound_to: str) -> str:
    return hmac.new(bound_to.encode(), b"repaircore console form", sha256).hexdigest()


def _set_cookie(answer: Response, name: str, value: str, *, max_age: int | None = None) -> None:
    answer.set_cookie(
        name, value, max_age=max_age, path=_COOKIES, secure=_is_secure(), httponly=True, samesite="Strict"
    )


def _is_secure() -> bool:
    return request.is_secure or str(g.get("public_url", "")).startswith("https://")
