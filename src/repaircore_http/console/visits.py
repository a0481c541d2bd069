"""Who visits: cookies, the token that a form must show, and where a form was posted from.

The session's cookie holds a management token (docs/decisions/console.md). Forms of people who are not logged in are bound
to a cookie of their own, which says nothing but that the same browser asked for the form.
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
"""Where the console is; cookies are sent nowhere else."""

SESSION: Final = "repaircore_session"
VISIT: Final = "repaircore_visit"
ENVIRONMENT: Final = "repaircore_environment"
TOKEN: Final = "form_token"  # noqa: S105 - the name of a field
"""The field of every form that shows the token."""

_STALE: Final = (
    "This form is out of date, or was not sent from here. Go back, reload the page, and send it again."
)
_A_YEAR: Final = 365 * 24 * 3600


def session_token() -> str | None:
    """Give the management token that the browser shows, None when it shows none."""
    return request.cookies.get(SESSION)


def keep_session(answer: Response, token: str) -> Response:
    """Log the browser in, until it is closed or the session ends."""
    _keep(answer, SESSION, token)
    return answer


def end_session(answer: Response) -> Response:
    """Log the browser out."""
    answer.delete_cookie(SESSION, path=PREFIX, secure=_is_secure(), httponly=True, samesite="Strict")
    return answer


def chosen_environment() -> Environment:
    """Tell which environment the visitor works in: live, until they choose."""
    chosen = request.cookies.get(ENVIRONMENT)
    return Environment.TEST if chosen == Environment.TEST else Environment.LIVE


def keep_environment(answer: Response, environment: Environment) -> Response:
    """Remember which environment the visitor works in."""
    _keep(answer, ENVIRONMENT, environment, max_age=_A_YEAR)
    return answer


def form_token() -> str:
    """Give the token that this page's forms show: what the browser is known by, hashed under its own key."""
    return _token_of(_bound_to())


def require_token(shown: str) -> None:
    """Demand the token that forms of this visitor have.

    Raises:
        Forbidden: it is another one, or none.
    """
    bound_to = session_token() if _is_known() else request.cookies.get(VISIT)
    if not bound_to or not hmac.compare_digest(_token_of(bound_to).encode(), shown.encode()):
        raise Forbidden(_STALE)


def require_own_origin(public_url: str) -> None:
    """Demand that the browser says that a page from here sent the request.

    Every browser says one of the two; ``Sec-Fetch-Site`` only over TLS, or to this very machine.

    Raises:
        Forbidden: another site sent it, or nobody says who.
    """
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin", "")
    ours = site in _OWN_SITES if site is not None else _is_own(origin, public_url)
    if not ours:
        raise Forbidden(_STALE)


_OWN_SITES: Final = frozenset({"same-origin", "none"})
"""``none`` is the visitor's own doing: a reloaded tab."""


def _is_own(origin: str, public_url: str) -> bool:
    try:
        told, public = urlsplit(origin), urlsplit(public_url)
    except ValueError:
        return False
    if told.scheme not in {"http", "https"} or not told.netloc:
        return False
    # Behind a proxy that speaks TLS for us, the scheme here may be another one.
    return told.netloc == request.host or (told.scheme, told.netloc) == (public.scheme, public.netloc)


def keep_visit(answer: Response) -> Response:
    """Have the browser known by the cookie that its forms are bound to, when there is a new one."""
    made: str | None = g.get("made_visit")
    if made is not None:
        _keep(answer, VISIT, made)
    return answer


def _bound_to() -> str:
    if _is_known():
        return session_token() or ""
    visit = request.cookies.get(VISIT) or g.get("made_visit")
    if not visit:
        visit = g.made_visit = secrets.token_urlsafe(32)
    return str(visit)


def _is_known() -> bool:
    return g.get("caller") is not None


def _token_of(bound_to: str) -> str:
    return hmac.new(bound_to.encode(), b"repaircore console form", sha256).hexdigest()


def _keep(answer: Response, name: str, value: str, *, max_age: int | None = None) -> None:
    answer.set_cookie(
        name, value, max_age=max_age, path=PREFIX, secure=_is_secure(), httponly=True, samesite="Strict"
    )


def _is_secure() -> bool:
    return request.is_secure or str(g.get("public_url", "")).startswith("https://")
