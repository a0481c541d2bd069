"""The health of the installation: what ``repaircore doctor`` checks, and how to fix problems."""

from flask.typing import ResponseReturnValue

from repaircore.kernel.errors import Failure
from repaircore_http.console.pages import Pages, show
from repaircore_http.core import core
from repaircore_http.guards import Auth

health = Pages("health", auth=Auth.ADMIN)


@health.get("/admin/health")
def index() -> ResponseReturnValue:
    """Show what keeps requests from being served, which checks failed, and which passed."""
    report = core().checkup.examine()
    return show("admin/health.html", report=report, obstacles=_obstacles())


def _obstacles() -> list[str]:
    try:
        return [*core().readiness.obstacles()]
    except Failure as failure:  # the page is for when something is down
        return [failure.message]
