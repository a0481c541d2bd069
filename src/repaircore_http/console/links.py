"""The links that an account has shared, and how to end them."""

from uuid import UUID

from flask import Response, url_for
from flask.typing import ResponseReturnValue

from repaircore.kernel.errors import NotFound
from repaircore.kernel.ids import parse_uuid
from repaircore_http.console.forms import form
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

links = Pages("links", auth=Auth.SESSION)


@links.get("/links")
def index() -> ResponseReturnValue:
    """List the links to estimates and quotes that work."""
    known, served = caller(), core()
    base = served.settings.public_url.rstrip("/")
    return show(
        "links.html",
        estimates=[
            (link, base + url_for("shared_estimates.detail", token=link.token))
            for link in (served.shared_estimates.list_for(known) if served.settings.public_pages else ())
        ],
        quotes=served.shared_quotes.list_for(known),
    )


@links.post("/links/stop", again=index)
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
    """Redirect to the list, when the address of an answer is opened."""
    return go("links.index")


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
