"""Observers of requests: metrics and the access log.

Whatever handles a request (fast lane, API or console) stores the route and the caller in the WSGI environment. The
route is the declared one (``/api/v1/fleet/<vehicle>/health``), since a path may contain a VIN, and the number of
different paths is unlimited.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from repaircore.kernel.blocking import WouldBlock
from repaircore.kernel.metrics import Meter, Metric

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


_log = logging.getLogger("repaircore.http")

ROUTE: Final = "repaircore.route"
CALLER: Final = "repaircore.caller"
UNKNOWN_ROUTE: Final = "unknown"

REQUESTS: Final = Metric("requests_total", "Requests that got a response.", ("method", "route", "status"))
REQUEST_SECONDS: Final = Metric(
    "request_seconds", "Seconds until the response was ready to be sent.", ("method", "route")
)
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

RequestObserver: TypeAlias = "Callable[[WSGIEnvironment, str, float], None]"
"""Called with a request, the status of its response (three digits) and the seconds that it took.

An exception that it raises is logged, and does not affect the client.
"""


class ObservedApp:
    """A WSGI application that calls observers after each request."""

    def __init__(self, app: "WSGIApplication", observers: Sequence[RequestObserver]) -> None:
        self._app = app
        self._observers = observers

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Handle the request, then call the observers."""
        final_status = "500"  # the status that the server sends if the application raises

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            nonlocal final_status
            final_status = status[:3]
            return start_response(status, headers, exc_info)

        started = perf_counter()
        try:
            response = self._app(environ, start)
        except WouldBlock:  # a thread will handle the request
            raise
        except BaseException:
            self._observe(environ, final_status, perf_counter() - started)
            raise
        self._observe(environ, final_status, perf_counter() - started)
        return response

    def _observe(self, environ: "WSGIEnvironment", status: str, seconds: float) -> None:
        for observe in self._observers:
            try:
                observe(environ, status, seconds)
            except Exception:  # noqa: BLE001 - the request has taken effect; an observer cannot undo that
                _log.exception("A request observer failed")


def count_requests(meter: Meter) -> RequestObserver:
    """Return an observer that counts and times each request."""

    def count(environ: "WSGIEnvironment", status: str, seconds: float) -> None:
        method = environ["REQUEST_METHOD"]
        method = method if method in _METHODS else "other"
        route = environ.get(ROUTE, UNKNOWN_ROUTE)
        meter.count(REQUESTS, method, route, status)
        meter.time(REQUEST_SECONDS, seconds, method, route)

    return count
