"""The links that an account has shared, and how to end them."""

from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

from attrs import frozen
from flask import Response, url_for
from flask.typing import ResponseReturnValue

from repaircore.kernel.errors import NotFound
from repaircore.kernel.ids import parse_uuid
from repaircore.kernel.paging import sort_by
from repaircore_http.console.forms import form
from repaircore_http.console.lists import WholeListQuery, arranged, read_list, sort_links
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

links = Pages("links", auth=Auth.SESSION)


@frozen(kw_only=True)
class ListLinks(WholeListQuery):
    """The search among the links, and their order."""

    sort: Annotated[str, sort_by("vehicle", "created_at")] = ""


def unfiltered() -> ResponseReturnValue:
    """List every link despite an invalid search."""
    return _show(ListLinks(), {})


@links.get("/links", again=unfiltered)
def index() -> ResponseReturnValue:
    """List the links to estimates and quotes that still work."""
    return _show(*read_list(ListLinks))


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
    known, served = caller(), core()
    base = served.settings.public_url.rstrip("/")
    estimates = served.shared_estimates.list_for(known) if served.settings.public_pages else ()
    quotes = served.shared_quotes.list_for(known)
    return show(
        "links.html",
        estimates=[
            (link, base + url_for("shared_estimates.detail", token=link.token))
            for link in arranged(
                estimates,
                wanted,
                text=lambda link: f"{link.estimate.vehicle_name} {link.estimate.problem_name}",
                keys={
                    "vehicle": lambda link: link.estimate.vehicle_name.casefold(),
                    "created_at": lambda link: link.created_at.timestamp(),
                },
                usual="-created_at",
            )
        ],
        quotes=arranged(
            quotes,
            wanted,
            text=lambda shared: shared.report.vehicle,
            keys={
                "vehicle": lambda shared: shared.report.vehicle.casefold(),
                "created_at": lambda shared: shared.created_at.timestamp(),
            },
            usual="-created_at",
        ),
        any_links=bool(estimates or quotes),
        search=wanted,
        sorts=sort_links({"vehicle": "Vehicle", "-created_at": "Shared"}, wanted.sort, usual="-created_at"),
        query=query,
    )


def _hash(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise NotFound("This link does not exist, or has ended.") from error


def _session(text: str) -> UUID:
    session = parse_uuid(text)
    if session is None:
        raise NotFound("This link does not exist, or has ended.")
    return session
