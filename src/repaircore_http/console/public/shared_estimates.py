"""Estimates that were shared through a link."""

from flask import url_for
from flask.typing import ResponseReturnValue

from repaircore_http.console.charts import share_of_range
from repaircore_http.console.estimate_figures import anchor_at
from repaircore_http.console.pages import show
from repaircore_http.console.public.access import public_pages, unlisted
from repaircore_http.core import core

shared_estimates = public_pages("shared_estimates")


@shared_estimates.get("/e/<token>")
def detail(token: str) -> ResponseReturnValue:
    """Show a shared estimate."""
    link = core().shared_estimates.get(token)
    estimate = link.estimate
    average_at = share_of_range(estimate.local)
    page = show(
        "public/shared_estimate.html",
        estimate=estimate,
        expires_at=link.expires_at,
        shown={"figures": estimate, "average_at": average_at, "anchor": anchor_at(average_at)},
        own=url_for("visitor_estimates.index", problem=estimate.problem_slug, zip_code=estimate.zip_code),
    )
    return unlisted(page)
