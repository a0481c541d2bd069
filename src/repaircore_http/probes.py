"""Probes: whether the process is up, and whether requests can be served."""

from typing import Literal

from flask import Response, current_app

from repaircore.kernel.views import UNSET, UnsetType, view
from repaircore_http.core import EXTENSION, Probed
from repaircore_http.draining import DRAIN
from repaircore_http.errors import OUTAGE_HEADERS
from repaircore_http.guards import Auth
from repaircore_http.json_io import reply
from repaircore_http.routes import Routes

probes = Routes("probes", auth=Auth.NONE, tag="service")


@view
class UpView:
    """The process is up."""

    status: Literal["ok"] = "ok"


@view
class ReadyView:
    """Requests are served; ``warnings`` are problems that do not prevent that, one sentence each."""

    status: Literal["ok"] = "ok"
    warnings: list[str] | UnsetType = UNSET


@view
class NotReadyView:
    """Requests are not served, for these reasons, one sentence each."""

    status: Literal["unavailable"] = "unavailable"
    problems: list[str]


@probes.get("/healthz", safe=True, returns=UpView)
def healthz() -> Response:
    """Report that the process is up."""
    return reply(UpView())


@probes.get("/readyz", safe=True, returns=ReadyView, responses={503: NotReadyView})
def readyz() -> Response:
    """Report whether requests can be served, and if not, why."""
    if DRAIN.has_begun:
        return reply(NotReadyView(problems=["This server is about to stop."]), 503, OUTAGE_HEADERS)
    served: Probed = current_app.extensions[EXTENSION]
    obstacles = served.obstacles()
    if obstacles:
        return reply(NotReadyView(problems=[*obstacles]), 503, OUTAGE_HEADERS)
    return reply(ReadyView(warnings=[*served.warnings()] or UNSET))
