"""The public repair book."""

from typing import Final
from xml.sax.saxutils import escape

from flask import Response, request
from flask.typing import ResponseReturnValue

from repaircore.kernel.errors import NotFound
from repaircore.repair_guides.model import LocalPrice, RepairGuide
from repaircore.repair_guides.service import PriceMyRepair
from repaircore_http.console.charts import price_columns
from repaircore_http.console.pages import show
from repaircore_http.console.public.access import canonical, count_visitor, public_pages
from repaircore_http.console.public.vehicle_form import read_form
from repaircore_http.console.public.wording import SAFETY, URGENCY, recurrence_text
from repaircore_http.core import core

_FOUND: Final = 20
_LONGEST: Final = 500

book = public_pages("book")


@book.get("/repairs")
def index() -> ResponseReturnValue:
    """Show the repairs by category, or those that match some words."""
    words, problems = request.args.get("q", "").strip(), core().problems
    can_search = problems.can_search(words)
    return show(
        "public/repairs.html",
        words=words[:_LONGEST],
        is_searched=bool(words),
        can_search=can_search,
        found=problems.search(words, limit=_FOUND) if can_search else (),
        categories=core().repair_guides.list_categories(),
        canonical=canonical("book.index"),
    )


@book.get("/repairs/<slug>")
def detail(slug: str) -> ResponseReturnValue:
    """Show a repair."""
    return _page(core().repair_guides.get(slug))


@book.post("/repairs/<slug>", again=detail)
def estimate(slug: str) -> ResponseReturnValue:
    """Show a repair with its price on the visitor's vehicle at their ZIP code."""
    guides = core().repair_guides
    guide = guides.get(slug)
    count_visitor()
    return _page(guide, guides.price(slug, read_form(PriceMyRepair, guides.validate)))


@book.get("/sitemap.xml")
def sitemap() -> Response:
    """Return the addresses of the public pages, or 404 if search engines must not list them."""
    if not core().settings.search_engines:
        raise NotFound("Not Found.")
    addresses = [
        *(canonical(endpoint) for endpoint in _LISTED),
        *(canonical("book.detail", slug=slug) for slug in core().repair_guides.list_slugs()),
    ]
    urls = "".join(f"<url><loc>{escape(address)}</loc></url>\n" for address in addresses)
    return Response(
        f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{_SITEMAPS}">\n{urls}</urlset>\n',
        content_type="application/xml; charset=utf-8",
    )


_SITEMAPS: Final = "http://www.sitemaps.org/schemas/sitemap/0.9"
_LISTED: Final = ("front_page.index", "quote_check.index", "diagnosis.index", "book.index")


def _page(guide: RepairGuide, local: LocalPrice | None = None) -> str:
    problem = guide.problem
    return show(
        "public/repair.html",
        guide=guide,
        problem=problem,
        local=local,
        urgency=URGENCY[problem.urgency],
        safety=SAFETY[problem.safe_to_drive],
        recurrence=recurrence_text(problem.recurrence),
        columns=() if guide.paid is None else price_columns(guide.paid),
        canonical=canonical("book.detail", slug=problem.slug),
    )
