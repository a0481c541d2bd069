"""The front page, and what search engines may list."""

from flask import Response, url_for
from flask.typing import ResponseReturnValue

from repaircore.predictions.previews import SAMPLE_PLACE
from repaircore_http.console.estimate_figures import shown_figures
from repaircore_http.console.estimate_request import same_question
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.console.public.access import public_pages
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller_if_any

front_page = public_pages("front_page")
robots = Pages("robots", auth=Auth.NONE, prefix="")
closed = Pages("closed", auth=Auth.NONE, prefix="")
"""The root when the public pages are closed."""


@front_page.get("/")
def index() -> ResponseReturnValue:
    """Show the front page, or redirect a visitor who is logged in to their estimates."""
    if caller_if_any() is not None:
        return go("estimates.index")
    sample = core().sample_prediction.get()
    return show(
        "public/front.html",
        sample=None if sample is None else shown_figures(sample.figures, sample.warnings),
        place=SAMPLE_PLACE,
        question={} if sample is None else same_question(sample.figures),
    )


@closed.get("/")
def to_console() -> Response:
    """Redirect to the console."""
    return go("estimates.index")


@robots.get("/robots.txt")
def robots_txt() -> Response:
    """Return which pages search engines may list: the public ones, or none."""
    settings = core().settings
    if not (settings.public_pages and settings.search_engines):
        return _plain("User-agent: *\nDisallow: /\n")
    sitemap = settings.public_url.rstrip("/") + url_for("book.sitemap")
    return _plain(f"User-agent: *\nDisallow: /console\nDisallow: /api\n\nSitemap: {sitemap}\n")


def _plain(text: str) -> Response:
    return Response(text, content_type="text/plain; charset=utf-8")
