"""Who uses a public page, and how much it may compute for them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from flask import Response, make_response, url_for
from flask.typing import ResponseReturnValue

from repaircore.kernel.callers import ANONYMOUS, Caller
from repaircore.kernel.errors import NotFound
from repaircore_http.clients import client_address
from repaircore_http.console.error_words import relabel
from repaircore_http.console.pages import Pages, error_reply
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller_if_any


def public_pages(name: str) -> Pages:
    """Return a blueprint of public pages at the root."""
    return Pages(name, auth=Auth.OPTIONAL, prefix="")


def visitor() -> Caller:
    """Return the caller who is logged in, or the anonymous one."""
    return caller_if_any() or ANONYMOUS


def count_visitor() -> None:
    """Count a computation for a visitor without an account, by their IP address, before it starts.

    Raises:
        TooMany: with the seconds to wait.
        Unavailable: visitors cannot be counted at the moment.
    """
    if caller_if_any() is None:
        core().limits.count_visitor(client_address())


def phone_pages(name: str) -> Pages:
    """Return a blueprint of pages behind links in messages, for anyone who has the link.

    They are not among the public pages that a setting closes: anyone who has a link was invited.
    """
    return Pages(name, auth=Auth.OPTIONAL, prefix="", error_template="public/provider_error.html")


@contextmanager
def counted_opening(token: str) -> Iterator[None]:
    """Count the opening of a link in a message: for the link if the block finds it, or else for the IP address.

    Thus phones that share an IP address do not use up each other's limit, and nobody can keep guessing links.

    Raises:
        TooMany: with the seconds to wait.
    """
    is_first = error_reply() is None  # a request that shows its form again counts once
    try:
        yield
    except NotFound:
        if is_first:
            core().limits.count_visitor(client_address())
        raise
    if is_first:
        core().limits.count_link(token)


def error_texts(labels: Mapping[str, str]) -> list[str]:
    """List the errors of a rejected form, with its fields named by their labels."""
    reply = error_reply()
    if reply is None:
        return []
    if reply.fields is None:
        return [reply.message]
    return [text for texts in relabel(reply.fields, labels).values() for text in texts]


def unlisted(answer: ResponseReturnValue) -> Response:
    """Return a response that search engines must not list, regardless of the settings."""
    marked = make_response(answer)
    marked.headers["X-Robots-Tag"] = "noindex, nofollow"
    return marked


def canonical(endpoint: str, **values: Any) -> str:
    """Return the public address of a page, which search engines list."""
    return core().settings.public_url.rstrip("/") + url_for(endpoint, **values)
