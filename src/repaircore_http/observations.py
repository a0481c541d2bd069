"""What is noticed of every request, whoever answers it: quick lane, API or console.

Whoever answers leaves the route and the caller in the WSGI environment. A route is told as it was declared
(``/api/v1/fleet/<vehicle>/health``), never as it was asked: an address may hold a VIN, and there is no end of addresses.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from repaircore.kernel.metrics import Meter, Metric

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


_log = logging.getLogger("repaircore.http")

ROUTE: Final = "repaircore.route"
CALLER: Final = "repaircore.caller"
UNKNOWN: Final = "unknown"
"""The route of an address that leads nowhere."""

REQUESTS: Final = Metric("requests_total", "Requests that were answered.", ("method", "route", "status"))
REQUEST_SECONDS: Final = Metric(
    "request_seconds", "How long it took until the answer was ready to be sent.", ("method", "route")
)
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

Notice: TypeAlias = "Callable[[WSGIEnvironment, str, float], None]"
"""Told of a request, the status of its answer (three figures) and the seconds that it took.

What it raises is written to the log, and changes nothing for the asker.
"""


class Observed:
    """An application, and who is told of each request that it answered."""

    def __init__(self, inner: "WSGIApplication", notices: Sequence[Notice]) -> None:
        self._inner = inner
        self._notices = notices

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Have the request answered, then tell of it."""
        seen = "500"  # what the server answers when nobody did

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            nonlocal seen
            seen = status[:3]
            return start_response(status, headers, exc_info)

        began = perf_counter()
        try:
            return self._inner(environ, start)
        finally:
            seconds = perf_counter() - began
            for notice in self._notices:
                try:
                    notice(environ, seen, seconds)
                except Exception:  # noqa: BLE001 - the request has acted, and who only watches does not take that back
                    _log.exception("A request could not be told of")


def count_requests(meter: Meter) -> Notice:
    """Have a meter told of each request."""

    def notice(environ: "WSGIEnvironment", status: str, seconds: float) -> None:
        method = environ["REQUEST_METHOD"]
        method = method if method in _METHODS else "other"
        route = environ.get(ROUTE, UNKNOWN)
        meter.count(REQUESTS, method, route, status)
        meter.time(REQUEST_SECONDS, seconds, method, route)

    return notice
