"""Response bodies of the partner platform: ``{data}``, and ``{error {message, code, details}}``."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from flask import Response

from repaircore.kernel.paging import Page
from repaircore_http.envelopes import PartnerData, PartnerPage
from repaircore_http.errors import ErrorReply
from repaircore_http.json_io import reply

Item = TypeVar("Item")

PREFIX: Final = "/api/v1/partner"
"""The prefix of the partner platform's paths."""

_CODES: Final = {
    400: "INVALID_REQUEST",
    401: "INVALID_TOKEN",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    409: "CONFLICT",
    413: "INVALID_REQUEST",
    415: "INVALID_REQUEST",
    429: "RATE_LIMIT_EXCEEDED",
    503: "SERVICE_UNAVAILABLE",
}
_UNPROCESSABLE: Final = 422


def partner(error: ErrorReply) -> tuple[int, dict[str, Any]]:
    """Return the status and the body of an error; invalid fields result in a 400 with ``details {field: [text]}``."""
    status = 400 if error.status == _UNPROCESSABLE else error.status
    code = _CODES.get(status, "INTERNAL_ERROR" if status >= 500 else "INVALID_REQUEST")  # noqa: PLR2004 - a status code reads best as a number
    return status, {"error": {"message": error.message, "code": code, "details": _details(error)}}


def _details(error: ErrorReply) -> dict[str, Any]:
    if error.fields is not None:
        return dict(error.fields)
    if error.details is not None:
        return dict(error.details)
    return {"request_id": error.request_id} if error.status >= 500 else {}  # noqa: PLR2004 - a status code reads best as a number


def reply_data(data: object, status: int = 200) -> Response:
    """Return a response with ``{data}``."""
    return reply(PartnerData(data=data), status)


def reply_page(page: Page[Item], make: Callable[[Item], object]) -> Response:
    """Return a response with a page of a list, each item as ``make`` presents it."""
    return reply(PartnerPage.of(page, make))
