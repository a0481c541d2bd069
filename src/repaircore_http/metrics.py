"""Figures for Prometheus, for those who may see them.

They tell how much is asked, and by which kind of customer: not everybody's business. With a token in the settings,
whoever shows it may see them; without one, programs on this machine that no proxy stands before.
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

_FORWARDED: Final = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via")


@metrics.get(
    "/metrics",
    safe=True,
    returns=RawResponse(media_type="text/plain", description="The figures, in the words of Prometheus."),
    raises=(Unauthenticated, NotFound),
)
def scrape() -> Response:
    """Tell how much is asked, how it is answered, and what waits."""
    _require_permission(core().settings.metrics_token)
    told = core().metrics()
    if told is None:
        raise NoSuchAddress
    kind, text = told
    return Response(text, content_type=kind)


def _require_permission(token: str | None) -> None:
    if token is None:
        if not _is_from_here():
            raise NoSuchAddress  # as if there were none
    elif not compare_digest(token.encode(), presented_token().encode()):
        raise Unauthenticated


def _is_from_here() -> bool:
    """Tell whether a program on this machine asks, rather than a proxy on it that asks for somebody else."""
    if any(name in request.headers for name in _FORWARDED):
        return False
    try:
        return ip_address(request.remote_addr or "").is_loopback
    except ValueError:
        return False
