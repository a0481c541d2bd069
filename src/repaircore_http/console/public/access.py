"""Who uses a public page, and how much it may compute for them."""

from typing import Any

from flask import Response, make_response, url_for
from flask.typing import ResponseReturnValue

from repaircore.kernel.callers import ANONYMOUS, Caller
from repaircore_http.clients import client_address
from repaircore_http.console.pages import Pages
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller_if_any


def public_pages(name: str) -> Pages:
    """Return a blueprint of public pages at the root."""
    return Pages(name, auth=Auth.OPTIONAL, prefix="")


def visitor() -> Caller:
    """Return the caller who is logged in, else the anonymous one."""
    return caller_if_any() or ANONYMOUS


def count_visitor() -> None:
    """Count what a page is about to compute for a visitor without an account, by their address.

    Raises:
        TooMany: with the seconds to wait.
        Unavailable: visitors cannot be counted at the moment.
    """
    if caller_if_any() is None:
        core().limits.count_visitor(client_address())


def unlisted(answer: ResponseReturnValue) -> Response:
    """Return an answer that search engines must not list, whatever the settings are."""
    marked = make_response(answer)
    marked.headers["X-Robots-Tag"] = "noindex, nofollow"
    return marked


def canonical(endpoint: str, **values: Any) -> str:
    """Return the public address of a page, which search engines list."""
    return core().settings.public_url.rstrip("/") + url_for(endpoint, **values)
