"""Pages and the forms on them, with the credential that they need.

    keys = Pages("keys", auth=Auth.SESSION)

    @keys.get("/keys")
    def index() -> str: ...

    @keys.post("/keys", again=index)
    def create() -> ResponseReturnValue: ...

A form that something is wrong with is shown ``again``, with what was typed and what is wrong; without ``again`` the visitor
gets a page that says so.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from flask import Blueprint, Response, g, render_template, request, url_for
from flask.typing import ResponseReturnValue, RouteCallable
from typing_extensions import override

from repaircore_http.console.forms import FileField, form_if_any
from repaircore_http.console.visits import PREFIX
from repaircore_http.errors import ErrorReply
from repaircore_http.guards import Auth
from repaircore_http.routes import GuardedRule

DONE: Final = {
    "logged-out": "You are logged out.",
    "registered": "Your account is ready.",
    "key-deleted": "The key was deleted. It stopped working at once.",
    "rated": "Thank you for your feedback.",
    "region-added": "The region was added.",
    "region-changed": "The region was changed.",
    "region-deleted": "The region was deleted.",
    "transaction-deleted": "The transaction was deleted, and what was learned from it was taken back.",
    "partner-suspended": "The partner is suspended.",
    "partner-resumed": "The partner is let in again.",
    "event-replayed": "The event is replayed to its subscribers.",
    "prices-moved": "The price adjustment was changed.",
}
"""What was done, by the word that an address may carry: no address puts other words on a page."""


_HEADINGS: Final = {
    400: "That could not be read",
    403: "Not yours to do",
    404: "Nothing is here",
    405: "Not this way",
    409: "That does not go together",
    413: "Too large",
    422: "Something is wrong with that",
    429: "Please wait a little",
    503: "Not available at the moment",
}


def heading(status: int) -> str:
    """Say in a few words what a status means to somebody who has never heard of one."""
    return _HEADINGS.get(status, "Something went wrong")


class PageRule(GuardedRule):
    """A route of the console: it also knows its upload, and how its form is shown again."""

    def __init__(
        self,
        string: str,
        *,
        upload: FileField | None = None,
        again: Callable[..., ResponseReturnValue] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(string, **options)
        self.upload = upload
        self.again = again


class Pages(Blueprint):
    """A blueprint of pages below the console's address, all of which need the same credential."""

    def __init__(self, name: str, *, auth: Auth) -> None:
        super().__init__(name, __name__, url_prefix=PREFIX)
        self._auth = auth

    @override
    def add_url_rule(
        self,
        rule: str,
        endpoint: str | None = None,
        view_func: RouteCallable | None = None,
        provide_automatic_options: bool | None = None,
        **options: Any,
    ) -> None:
        options = {"auth": self._auth, "safe": True, **options}
        super().add_url_rule(rule, endpoint, view_func, provide_automatic_options, **options)


def show(template: str, **values: Any) -> str:
    """Render a page."""
    return render_template(template, **values)


def go(endpoint: str, *, done: str | None = None, **values: Any) -> Response:
    """Send the visitor to a page by GET, which may tell what was done (a word of ``DONE``)."""
    if done is not None:
        values["done"] = done
    return to(url_for(endpoint, **values))


def to(address: str) -> Response:
    """Send the visitor to an address by GET."""
    return Response(status=303, headers={"Location": address})


def done() -> str | None:
    """Say what the address says was done, None when it says nothing that is known."""
    return DONE.get(request.args.get("done", ""))


def refusal() -> ErrorReply | None:
    """Give why the form that was sent is shown again, None where it is shown for the first time."""
    return cast("ErrorReply | None", g.get("refusal"))


def typed(name: str, default: object = "") -> str:
    """Give what was typed in a field, or what stands in it at first."""
    sent = form_if_any()
    if sent is not None and name in sent.texts:
        return sent.text(name)
    return "" if default is None else str(default)


def faults(name: str) -> Sequence[str]:
    """Give the sentences about a field."""
    told = refusal()
    return () if told is None or told.fields is None else told.fields.get(name, ())


def complaint() -> str | None:
    """Say what is wrong with the form as a whole, None when nothing is, or its fields tell it."""
    told = refusal()
    return None if told is None or told.fields is not None else told.message
