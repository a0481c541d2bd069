"""The links that an account has shared, and how to end them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from attrs import frozen
from flask import Response, url_for
from flask.typing import ResponseReturnValue

from repaircore.kernel.errors import NotFound
from repaircore.kernel.ids import parse_uuid
from repaircore.kernel.paging import sort_by
from repaircore.kernel.views import view
from repaircore.shared_estimates.model import OwnLink
from repaircore.shared_quotes.model import SharedQuote
from repaircore_http.console.forms import form
from repaircore_http.console.lists import WholeListQuery, arranged, read_list, sort_links
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.listing import whole_csv

links = Pages("links", auth=Auth.SESSION)


@frozen(kw_only=True)
class ListLinks(WholeListQuery):
    """Search and sort order for the list of links."""

    sort: Annotated[str, sort_by("vehicle", "created_at")] = ""


def unfiltered() -> ResponseReturnValue:
    """List all links if the search is invalid."""
    return _show(ListLinks(), {})


@links.get("/links", again=unfiltered)
def index() -> ResponseReturnValue:
    """List the links to estimates and quotes that still work."""
    return _show(*read_list(ListLinks))


@view
class SharedLinkView:
    """A link that still works. The address of a quote's link was shown once, and is not stored."""

    shared: Literal["estimate", "quote"]
    vehicle: str
    repair: str | None
    address: str | None
    created_at: datetime
    expires_at: datetime


@links.get("/links.csv")
def download() -> Response:
    """Download the links that the search selects, as CSV."""
    wanted, _ = read_list(ListLinks)
    found = (
        *(
            SharedLinkView(
                shared="estimate",
                vehicle=link.estimate.vehicle_name,
                repair=link.estimate.problem_name,
                address=_address(link),
                created_at=link.created_at,
                expires_at=link.expires_at,
            )
            for link in _arranged_estimates(_estimates(), wanted)
        ),
        *(
            SharedLinkView(
                shared="quote",
                vehicle=quote.report.vehicle,
                repair=None,
                address=None,
                created_at=quote.created_at,
                expires_at=quote.expires_at,
            )
            for quote in _arranged_quotes(_quotes(), wanted)
        ),
    )
    return whole_csv(found, SharedLinkView, name="links")


@links.post("/links/stop", again=unfiltered)
def stop() -> Response:
    """End a link to an estimate or a quote."""
    known, served = caller(), core()
    if form().text("quote"):
        served.shared_quotes.stop(_hash(form().text("quote")), known)
    else:
        served.shared_estimates.stop(_session(form().text("estimate")), known)
    return go("links.index", done="link-ended")


@links.get("/links/stop")
def after_stopping() -> Response:
    """Redirect to the list when a browser opens this POST address with GET."""
    return go("links.index")


def _show(wanted: ListLinks, query: Mapping[str, Any]) -> str:
    estimates, quotes = _estimates(), _quotes()
    return show(
        "links.html",
        estimates=[(link, _address(link)) for link in _arranged_estimates(estimates, wanted)],
        quotes=_arranged_quotes(quotes, wanted),
        any_links=bool(estimates or quotes),
        search=wanted,
        sorts=sort_links({"vehicle": "Vehicle", "-created_at": "Shared"}, wanted.sort, usual="-created_at"),
        query=query,
    )


def _estimates() -> Sequence[OwnLink]:
    served = core()
    return served.shared_estimates.list_for(caller()) if served.settings.public_pages else ()


def _quotes() -> Sequence[SharedQuote]:
    return core().shared_quotes.list_for(caller())


def _arranged_estimates(found: Sequence[OwnLink], wanted: ListLinks) -> Sequence[OwnLink]:
    return arranged(
        found,
        wanted,
        text=lambda link: f"{link.estimate.vehicle_name} {link.estimate.problem_name}",
        keys={
            "vehicle": lambda link: link.estimate.vehicle_name.casefold(),
            "created_at": lambda link: link.created_at.timestamp(),
        },
        usual="-created_at",
    )


def _arranged_quotes(found: Sequence[SharedQuote], wanted: ListLinks) -> Sequence[SharedQuote]:
    return arranged(
        found,
        wanted,
        text=lambda shared: shared.report.vehicle,
        keys={
            "vehicle": lambda shared: shared.report.vehicle.casefold(),
            "created_at": lambda shared: shared.created_at.timestamp(),
        },
        usual="-created_at",
    )


def _address(link: OwnLink) -> str:
    base = core().settings.public_url.rstrip("/")
    return base + url_for("shared_estimates.detail", token=link.token)


def _hash(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise NotFound("This link does not exist or is no longer valid.") from error


def _session(text: str) -> UUID:
    session = parse_uuid(text)
    if session is None:
        raise NotFound("This link does not exist or is no longer valid.")
    return session
