"""Error responses.

An exception becomes an ``ErrorReply``: what happened, in terms of HTTP. A dialect turns it into a status and a body.
The main service has four dialects, which differ in their 404s and 409s; another area (the partner platform) brings its
own function. A blueprint has a dialect, which also applies to unknown URLs under its prefix.
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
class ErrorReply:
    """The contents of an error response.

    ``status`` is that of the main service; ``code`` is for machines; ``fields`` are the sentences about invalid fields
    by their dotted names, or None if no field is at fault; ``unresolvable`` marks a 422 for a valid
    request that cannot be fulfilled, such as an unknown plate; ``details`` are those of a conflict or of such a 422;
    ``headers`` are sent in every dialect.
    """

    status: int
    message: str
    request_id: str
    code: str | None = None
    fields: Mapping[str, tuple[str, ...]] | None = None
    unresolvable: bool = False
    details: Mapping[str, Any] | None = None
    headers: tuple[tuple[str, str], ...] = ()


Dialect: TypeAlias = Callable[[ErrorReply], tuple[int, dict[str, Any]]]
"""Return the status and the body of an error response."""


def plain(error: ErrorReply) -> tuple[int, dict[str, Any]]:
    """Return the status and body of the main service: ``{message}``, unless the status has a body of its own."""
    return error.status, _BODIES.get(error.status, _message_only)(error)


def flagged(error: ErrorReply) -> tuple[int, dict[str, Any]]:
    """Return the status and body for predictions: a 404 also has ``success: false`` and its code, if there is one."""
    if error.status != 404:  # noqa: PLR2004 - a status code reads best as a number
        return plain(error)
    return error.status, {"success": False, "message": error.message, **_error_code(error)}


def coded(error: ErrorReply) -> tuple[int, dict[str, Any]]:
    """Return the status and body for fleets: those of ``flagged`` if there is a code, else those of ``plain``."""
    return plain(error) if error.code is None else flagged(error)


def versioned(error: ErrorReply) -> tuple[int, dict[str, Any]]:
    """Return the status and body for visits: those of ``flagged``, but a 409 also has details for programs.

    The details are, for example, ``version``, ``status`` and ``allowed``.
    """
    if error.status != 409:  # noqa: PLR2004 - a status code reads best as a number
        return flagged(error)
    return error.status, {"success": False, "message": error.message, **(error.details or {})}


def _message_only(error: ErrorReply) -> dict[str, Any]:
    return {"message": error.message}


def _unprocessable(error: ErrorReply) -> dict[str, Any]:
    if error.fields is not None:
        return {"message": error.message, "errors": error.fields}
    if not error.unresolvable:
        return _message_only(error)
    return {"success": False, "message": error.message, **_error_code(error), **(error.details or {})}


def _internal(error: ErrorReply) -> dict[str, Any]:
    return {"success": False, "message": error.message, "error_details": error.request_id}


def _unavailable(error: ErrorReply) -> dict[str, Any]:
    return {"success": False, "message": error.message, "error_code": error.code or "SERVICE_UNAVAILABLE"}


def _error_code(error: ErrorReply) -> dict[str, str]:
    return {} if error.code is None else {"error_code": error.code}


_BODIES: dict[int, Callable[[ErrorReply], dict[str, Any]]] = {
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

_OUTAGE_SECONDS = 5
"""Seconds after which a client may retry if a service is not responding."""

OUTAGE_HEADERS: Mapping[str, str] = {"Retry-After": str(_OUTAGE_SECONDS)}
"""The headers of every 503."""

_MESSAGES = {
    400: "The request could not be understood.",
    404: "Not Found.",
    405: "This URL does not support that method.",
    413: "The body is too large.",
    415: "The body must be JSON, with Content-Type: application/json.",
}


def to_error_reply(error: Exception, request_id: str) -> ErrorReply | None:
    """Return the reply for an exception, or None for an unexpected one."""
    if isinstance(error, HTTPException):
        return _of_http_exception(error, request_id)
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), None)
    if status is None or not isinstance(error, Failure):
        return None
    return ErrorReply(
        status=status,
        message=error.message,
        request_id=request_id,
        code=error.code,
        fields=error.fields if isinstance(error, Invalid) else None,
        unresolvable=isinstance(error, Unresolvable),
        details=error.details if isinstance(error, Conflict | Unresolvable) else None,
        headers=_headers_of(error),
    )


def internal_error(request_id: str) -> ErrorReply:
    """Return the reply for an unexpected exception, without any of its details."""
    return ErrorReply(status=500, message="Something went wrong on our side.", request_id=request_id)


def _headers_of(error: Failure) -> tuple[tuple[str, str], ...]:
    if isinstance(error, Unauthenticated):
        return (("WWW-Authenticate", "Bearer"),)
    if isinstance(error, Unavailable):
        return tuple(OUTAGE_HEADERS.items())
    if isinstance(error, TooMany | Conflict) and error.retry_after is not None:
        return (("Retry-After", str(error.retry_after)),)
    return ()


def _of_http_exception(error: HTTPException, request_id: str) -> ErrorReply | None:
    status = error.code or 500
    if status == 500:  # noqa: PLR2004 - a status code reads best as a number
        return None
    own_message = error.description if error.description != type(error).description else None
    return ErrorReply(
        status=status,
        message=own_message or _MESSAGES.get(status, f"{error.name}."),
        request_id=request_id,
        headers=tuple((name, value) for name, value in error.get_headers() if name != "Content-Type"),
    )


def dialect_of(path: str, dialects: Iterable[tuple[str, Dialect]]) -> Dialect:
    """Return the dialect with the longest prefix of a path, by whole segments, or ``plain`` if none matches."""
    matches = [(len(prefix), dialect) for prefix, dialect in dialects if is_under(path, prefix)]
    return max(matches, key=lambda match: match[0])[1] if matches else plain
