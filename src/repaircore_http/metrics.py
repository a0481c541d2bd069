"""Metrics for Prometheus.

They show how many requests there are, and from which kind of customer, so they are not public. If the settings have a
token, whoever presents it may read them; otherwise only programs on this machine may, and not through a proxy.
"""

from hmac import compare_digest
from ipaddress import ip_address
from typing import Final

from flask import Response, request
from werkzeug.exceptions import NotFound as NoSuchAddress

from repaircore.kernel.errors import NotFound, Unauthenticated
from repaircore_http.core import core
from repaircore_http.guards import Auth, presented_token
from repaircore_http.routes import RawResponse, Routes

metrics = Routes("metrics", auth=Auth.NONE, tag="service")

_PROXY_HEADERS: Final = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via")


@metrics.get(
    "/metrics",
    safe=True,
    returns=RawResponse(media_type="text/plain", description="The metrics in the text format of Prometheus."),
    raises=(Unauthenticated, NotFound),
)
def scrape() -> Response:
    """Return the counts and durations of requests, and the lengths of queues."""
    _require_permission(core().settings.metrics_token)
    exposition = core().metrics()
    if exposition is None:
        raise NoSuchAddress
    content_type, text = exposition
    return Response(text, content_type=content_type)


def _require_permission(token: str | None) -> None:
    if token is None:
        if not _is_local():
            raise NoSuchAddress  # the response is the same as for an unknown address
    elif not compare_digest(token.encode(), presented_token().encode()):
        raise Unauthenticated


def _is_local() -> bool:
    """Return whether the client is a program on this machine, but not a proxy that runs here for other clients."""
    if any(name in request.headers for name in _PROXY_HEADERS):
        return False
    try:
        return ip_address(request.remote_addr or "").is_loopback
    except ValueError:
        return False
