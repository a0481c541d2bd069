"""Trouble codes: what they mean, and what cures them."""

from flask import Response

from repaircore.diagnostics.explaining import LikelyCause
from repaircore_http.core import core
from repaircore_http.errors import flagged
from repaircore_http.guards import Need, Routes
from repaircore_http.wire import reply

__all__ = ["codes"]

codes = Routes("codes", url_prefix="/api/v1/diagnostic/codes", need=Need.KEY, dialect=flagged)


@codes.get("/<code>", safe=True)
def show(code: str) -> Response:
    """Say what a trouble code means, what causes it, and whether to drive on."""
    served = core().codes
    told = served.show(code)
    data = {
        "code": told.code,
        "title": told.title,
        "meaning": told.meaning,
        "system": told.system,
        "urgency": told.urgency,
        "safe_to_drive": told.safe_to_drive,
        "causes": [_listed(cause) for cause in served.causes(told)],
    }
    return reply({"success": True, "data": data})


def _listed(cause: LikelyCause) -> dict[str, object]:
    problem = cause.problem
    return {
        "problem": {"id": problem.id, "slug": problem.slug, "display_name": problem.display_name},
        "likelihood": round(100 * cause.likelihood, 1),
        "urgency": problem.urgency,
        "safe_to_drive": problem.safe_to_drive,
    }
