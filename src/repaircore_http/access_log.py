"""The access log: one line for each request."""

import os
import select
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from repaircore.json_text import encode
from repaircore.kernel.blocking import is_blocking_forbidden
from repaircore.kernel.callers import Caller, PartnerCaller, ProviderCaller
from repaircore.kernel.metrics import Meter, Metric
from repaircore.kernel.types import Clock
from repaircore.logs import on_one_line
from repaircore.masking import masked
from repaircore_http.observations import CALLER, ROUTE, UNKNOWN_ROUTE, RequestObserver
from repaircore_http.request_ids import REQUEST_ID

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


Write = Callable[[bytes], object]
"""A function that writes a whole line at once."""

LINES_LOST: Final = Metric("log_lines_lost_total", "Lines of the access log that could not be written.")
_STANDARD_ERROR: Final = 2
_GENERATED_ID_LENGTH: Final = 16
"""Ids of another length come from the caller, and may contain data that must be masked."""


def to_standard_error(line: bytes) -> None:
    """Write a line in one piece, so that the lines of threads and workers do not mix.

    Raises:
        OSError: it cannot be written, or, in a thread that must not block, the reader is not keeping up.
    """
    if is_blocking_forbidden() and not select.select([], [_STANDARD_ERROR], [], 0)[1]:
        raise BlockingIOError
    os.write(_STANDARD_ERROR, line)


def log_requests(
    log_format: str, *, clock: Clock, meter: Meter, write: Write = to_standard_error
) -> RequestObserver:
    """Return an observer that logs each request, as ``json`` or as ``text``.

    A line that cannot be written (the disk is full, or the reader has exited) is lost, but counted.
    """
    to_line = _json_line if log_format == "json" else _text_line

    def log(environ: "WSGIEnvironment", status: str, seconds: float) -> None:
        line = to_line(_fields(environ, status, seconds, clock()))
        try:
            write(line)
        except OSError:
            meter.count(LINES_LOST)

    return log


def _fields(environ: "WSGIEnvironment", status: str, seconds: float, at: datetime) -> dict[str, Any]:
    request_id: str = environ.get(REQUEST_ID, "")
    return {
        "time": f"{at.isoformat(timespec='milliseconds')[:23]}Z",
        "level": "info",
        "logger": "repaircore.requests",
        "request_id": request_id if len(request_id) == _GENERATED_ID_LENGTH else masked(request_id),
        "method": environ["REQUEST_METHOD"],
        "route": environ.get(ROUTE, UNKNOWN_ROUTE),
        "status": int(status),
        "milliseconds": round(seconds * 1000, 3),
        **_caller_fields(environ.get(CALLER)),
    }


def _caller_fields(caller: Caller | PartnerCaller | ProviderCaller | None) -> dict[str, Any]:
    if caller is None:
        return {"caller": "anonymous"}
    if isinstance(caller, ProviderCaller):
        environment = caller.environment.value
        return {"caller": "provider", "provider": caller.provider_ref, "environment": environment}
    if isinstance(caller, PartnerCaller):
        return {"caller": "partner", "partner": caller.partner_id, "environment": caller.environment.value}
    fields: dict[str, Any] = {
        "caller": caller.credential.value,
        "user": caller.user_id,
        "environment": caller.environment.value,
    }
    return fields if caller.key_id is None else {**fields, "key": caller.key_id}


def _json_line(fields: dict[str, Any]) -> bytes:
    return encode(fields) + b"\n"


def _text_line(fields: dict[str, Any]) -> bytes:
    pairs = " ".join(
        f"{name}={value}" for name, value in fields.items() if name not in {"time", "level", "logger"}
    )
    return f"{fields['time']} INFO {fields['logger']} {on_one_line(pairs)}\n".encode()
