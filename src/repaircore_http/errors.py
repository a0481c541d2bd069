"""From failures to error bodies.

A failure becomes a ``Refusal``: what happened, in the terms of HTTP. A dialect words it. The main service has three,
which differ in their 404s; an area of its own (the partner SDK) brings its own function, and may choose its own
status too. The dialect belongs to the blueprint, and by its prefix to the unknown addresses beneath it.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from attrs import frozen
from werkzeug.exceptions import HTTPException

from repaircore.kernel.errors import (
    Conflict,
    Failure,
    Forbidden,
    Invalid,
    NotFound,
    TooMany,
    Unauthenticated,
    Unavailable,
    Unresolvable,
)
from repaircore_http.paths import is_under


@frozen(kw_only=True)
class Refusal:
    """Why a request was not done.

    ``status`` is area A's; ``code`` the machine's word, where there is one; ``fields`` the sentences by dotted
    name when a rule is broken, else None; ``unresolvable`` a 422 about the world rather than about a field;
    ``details`` what a conflict, or a 422 about the world, tells a program;
    ``headers`` what the answer must carry whoever words it.
    """

    status: int
    message: str
    request_id: str
    code: str | None = None
    fields: Mapping[str, tuple[str, ...]] | None = None
    unresolvable: bool = False
    details: Mapping[str, Any] | None = None
    headers: tuple[tuple[str, str], ...] = ()


Dialect: TypeAlias = Callable[[Refusal], tuple[int, dict[str, Any]]]
"""Give the status and the body that an area tells of a refusal."""


def plain(refusal: Refusal) -> tuple[int, dict[str, Any]]:
    """Word a refusal as the main service does: ``{message}`` unless the status has more to say."""
    return refusal.status, _BODIES.get(refusal.status, _only_message)(refusal)


def flagged(refusal: Refusal) -> tuple[int, dict[str, Any]]:
    """Word a refusal as predictions do: a 404 also says ``success: false`` and its code, if it has one."""
    if refusal.status != 404:  # noqa: PLR2004 - a status reads best as itself
        return plain(refusal)
    code = {} if refusal.code is None else {"error_code": refusal.code}
    return refusal.status, {"success": False, "message": refusal.message, **code}


def coded(refusal: Refusal) -> tuple[int, dict[str, Any]]:
    """Word a refusal as fleets do: one that has a code as predictions do, any other plainly."""
    return plain(refusal) if refusal.code is None else flagged(refusal)


def _only_message(refusal: Refusal) -> dict[str, Any]:
    return {"message": refusal.message}


def _unprocessable(refusal: Refusal) -> dict[str, Any]:
    if refusal.fields is not None:
        return {"message": refusal.message, "errors": refusal.fields}
    if not refusal.unresolvable:
        return _only_message(refusal)
    code = {} if refusal.code is None else {"error_code": refusal.code}
    return {"success": False, "message": refusal.message, **code, **(refusal.details or {})}


def _internal(refusal: Refusal) -> dict[str, Any]:
    return {"success": False, "message": refusal.message, "error_details": refusal.request_id}


def _unavailable(refusal: Refusal) -> dict[str, Any]:
    return {"success": False, "message": refusal.message, "error_code": refusal.code or "SERVICE_UNAVAILABLE"}


_BODIES: dict[int, Callable[[Refusal], dict[str, Any]]] = {
    422: _unprocessable,
    500: _internal,
    503: _unavailable,
}

_STATUSES: tuple[tuple[type[Failure], int], ...] = (
    (Unauthenticated, 401),
    (Forbidden, 403),
    (NotFound, 404),
    (Conflict, 409),
    (Invalid, 422),
    (Unresolvable, 422),
    (TooMany, 429),
    (Unavailable, 503),
)

_TEXTS = {
    400: "The request could not be understood.",
    404: "Not Found.",
    405: "This address does not support that method.",
    413: "The body is too large.",
    415: "The body must be JSON, with Content-Type: application/json.",
}


def refusal_of(error: Exception, request_id: str) -> Refusal | None:
    """Tell what an exception means to the caller; None when nobody foresaw it."""
    if isinstance(error, HTTPException):
        return _refusal_of_http(error, request_id)
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), None)
    if status is None or not isinstance(error, Failure):
        return None
    return Refusal(
        status=status,
        message=error.message,
        request_id=request_id,
        code=error.code,
        fields=error.fields if isinstance(error, Invalid) else None,
        unresolvable=isinstance(error, Unresolvable),
        details=error.details if isinstance(error, Conflict | Unresolvable) else None,
        headers=_headers_of(error),
    )


def unforeseen(request_id: str) -> Refusal:
    """Tell of an exception that nobody foresaw, and nothing of what it says."""
    return Refusal(status=500, message="Something went wrong on our side.", request_id=request_id)


def _headers_of(error: Failure) -> tuple[tuple[str, str], ...]:
    if isinstance(error, Unauthenticated):
        return (("WWW-Authenticate", "Bearer"),)
    if isinstance(error, TooMany | Conflict) and error.retry_after is not None:
        return (("Retry-After", str(error.retry_after)),)
    return ()


def _refusal_of_http(error: HTTPException, request_id: str) -> Refusal | None:
    status = error.code or 500
    if status == 500:  # noqa: PLR2004 - a status reads best as itself
        return None
    own = error.description if error.description != type(error).description else None
    return Refusal(
        status=status,
        message=own or _TEXTS.get(status, f"{error.name}."),
        request_id=request_id,
        headers=tuple((name, value) for name, value in error.get_headers() if name != "Content-Type"),
    )


def dialect_of(path: str, dialects: Iterable[tuple[str, Dialect]]) -> Dialect:
    """Find the dialect of a path by the longest prefix of whole segments; without one it is ``plain``."""
    fitting = [(len(prefix), dialect) for prefix, dialect in dialects if is_under(path, prefix)]
    return max(fitting, key=lambda found: found[0])[1] if fitting else plain
