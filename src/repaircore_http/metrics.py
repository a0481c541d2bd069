"""Metrics for Prometheus.

They show how much is requested, and by which kind of customer, so they are not public. With a token in the settings, whoever
presents it may read them; without one, only programs on this machine, and not through a proxy.
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
    """Return counts and durations of requests, and what waits in queues."""
    _require_permission(core().settings.metrics_token)
    exposition = core().metrics()
    if exposition is None:
        raise NoSuchAddress
    content_type, text = exposition
    return Response(text, content_type=content_type)


def _require_permission(token: str | None) -> None:
    if token is None:
        if not _is_local():
            raise NoSuchAddress  # as if the address did not exist
    elif not compare_digest(token.encode(), presented_token().encode()):
        raise Unauthenticated


def _is_local() -> bool:
    """Return whether the client is a program on this machine, and not a proxy on it for somebody else."""
    if any(name in request.headers for name in _PROXY_HEADERS):
        return False
    try:
        return ip_address(request.remote_addr or "").is_loopback
    except ValueError:
        return False
