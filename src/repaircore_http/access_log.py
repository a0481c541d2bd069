"""A line of the log for each request."""

import os
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from repaircore.json_text import encode
from repaircore.kernel.callers import Caller, PartnerCaller
from repaircore.kernel.metrics import Meter, Metric
from repaircore.kernel.types import Clock
from repaircore.logs import on_one_line
from repaircore.masking import masked
from repaircore_http.observations import CALLER, ROUTE, UNKNOWN, Notice
from repaircore_http.request_ids import KEPT

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


Write = Callable[[bytes], object]
"""Write a whole line at once."""

LINES_LOST: Final = Metric("log_lines_lost_total", "Lines of the log of requests that could not be written.")
_STANDARD_ERROR: Final = 2
_OWN_ID: Final = 16
"""The length of a request's name that we made; only one that the caller made may hold what is to be hidden."""


def to_standard_error(line: bytes) -> None:
    """Write a line in one piece: those of several threads and workers do not mix."""
    os.write(_STANDARD_ERROR, line)


def log_requests(form: str, *, clock: Clock, meter: Meter, write: Write = to_standard_error) -> Notice:
    """Have each request told to the log, as ``json`` or as ``text``.

    A line that cannot be written (a full disk, a reader that ended) is lost, and the meter is told.
    """
    line = _json_line if form == "json" else _text_line

    def notice(environ: "WSGIEnvironment", status: str, seconds: float) -> None:
        told = line(_told(environ, status, seconds, clock()))
        try:
            write(told)
        except OSError:
            meter.count(LINES_LOST)

    return notice


def _told(environ: "WSGIEnvironment", status: str, seconds: float, at: datetime) -> dict[str, Any]:
    name: str = environ.get(KEPT, "")
    return {
        "time": f"{at.isoformat(timespec='milliseconds')[:23]}Z",
        "level": "info",
        "logger": "repaircore.requests",
        "request_id": name if len(name) == _OWN_ID else masked(name),
        "method": environ["REQUEST_METHOD"],
        "route": environ.get(ROUTE, UNKNOWN),
        "status": int(status),
        "milliseconds": round(seconds * 1000, 3),
        **_caller(environ.get(CALLER)),
    }


def _caller(known: Caller | PartnerCaller | None) -> dict[str, Any]:
    if known is None:
        return {"caller": "anonymous"}
    if isinstance(known, PartnerCaller):
        return {"caller": "partner", "partner": known.partner_id, "environment": known.environment.value}
    told: dict[str, Any] = {
        "caller": known.credential.value,
        "user": known.user_id,
        "environment": known.environment.value,
    }
    return told if known.key_id is None else {**told, "key": known.key_id}


def _json_line(told: dict[str, Any]) -> bytes:
    return encode(told) + b"\n"


def _text_line(told: dict[str, Any]) -> bytes:
    fields = " ".join(
        f"{name}={value}" for name, value in told.items() if name not in {"time", "level", "logger"}
    )
    return f"{told['time']} INFO {told['logger']} {on_one_line(fields)}\n".encode()
