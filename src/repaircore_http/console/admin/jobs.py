"""Background jobs: their last runs, when they are due, and runs on request."""

from flask import Response
from flask.typing import ResponseReturnValue

from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

jobs = Pages("jobs", auth=Auth.ADMIN)


@jobs.get("/admin/jobs")
def index() -> ResponseReturnValue:
    """List the jobs."""
    return show("admin/jobs.html", jobs=core().jobs.list_statuses(caller()))


@jobs.post("/admin/jobs/<name>/run", again=lambda name: index())  # noqa: ARG005 - the page lists every job
def run(name: str) -> Response:
    """Run a job now, in the process that runs jobs."""
    core().jobs.request_run(name, caller())
    return go("jobs.index", done="job-requested")
