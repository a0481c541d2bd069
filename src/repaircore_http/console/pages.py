"""Pages and their forms, with the credential that they need.

    keys = Pages("keys", auth=Auth.SESSION)

    @keys.get("/keys")
    def index() -> str: ...

    @keys.post("/keys", again=index)
    def create() -> ResponseReturnValue: ...

``again`` renders a rejected form, with what was typed and the errors; without it, the visitor gets an error page.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from flask import Blueprint, Response, g, render_template, request, url_for
from flask.typing import ResponseReturnValue, RouteCallable
from typing_extensions import override

from repaircore_http.console.forms import FORM_BYTES, FORM_FIELDS, FileField, form_if_any
from repaircore_http.console.visitors import PREFIX
from repaircore_http.errors import ErrorReply
from repaircore_http.guards import Auth
from repaircore_http.routes import GuardedRule

DONE: Final = {
    "logged-out": "You have logged out.",
    "registered": "Your account is ready.",
    "reset-requested": "If this e-mail address has an account, a message with a link is on its way. The link works once, for 1 hour. If nothing arrives within a few minutes, check your spam folder.",
    "password-reset": "Your password was changed, and every session has ended. Log in with the new password.",
    "password-changed": "Your password was changed. Your other sessions have ended.",
    "session-ended": "The session has ended.",
    "sessions-ended": "All your other sessions have ended.",
    "first-admin": "Your admin account is ready. The link you used no longer works.",
    "webhook-tested": "A test event is on its way. Reload this page to see the response.",
    "webhook-deleted": "The webhook was deleted.",
    "webhook-changed": "The webhook was changed.",
    "key-renamed": "The key was renamed.",
    "key-deleted": "The key was deleted. It no longer works.",
    "rated": "Thank you for your feedback.",
    "region-added": "The region was added.",
    "region-changed": "The region was changed.",
    "region-deleted": "The region was deleted.",
    "transaction-deleted": "The transaction was deleted, and estimates have forgotten what they learned from it.",
    "draft-saved": "The draft was saved.",
    "draft-recorded": "The invoice was recorded, and estimates now learn from it.",
    "draft-deleted": "The draft was deleted.",
    "partner-suspended": "The partner was suspended.",
    "partner-resumed": "The partner has access again.",
    "member-added": "The account can now use this partner's pages.",
    "member-removed": "The account can no longer use this partner's pages.",
    "event-replayed": "The event is being sent again.",
    "shop-saved": "The shop was saved.",
    "visit-saved": "The estimate was saved.",
    "visit-sent": "The estimate now has a link. Copy it and send it to the customer.",
    "visit-mailed": "The estimate is on its way to the customer by e-mail.",
    "estimate-shared": "The link is ready. Copy it below.",
    "link-ended": "The link was revoked. Nobody can open it anymore.",
    "work-started": "The work has started. The customer can no longer change their answers.",
    "visit-cancelled": "The visit was canceled.",
    "visit-reopened": "The visit is a draft again.",
    "visit-approved": "Every line is approved.",
    "visit-invoiced": "The invoice is ready.",
    "visit-deleted": "The visit was deleted.",
    "quote-link-deleted": "The link was deleted. Nobody can open it anymore.",
    "job-requested": "The job was requested. It starts within seconds if jobs are running; reload this page to see when it is done.",
    "task-cancelled": "The task was canceled.",
    "task-cancelling": "The task will stop soon.",
    "task-started": "The task was started. It starts within seconds if jobs are running.",
    "text-decided": "The decision was saved. It also applies to later files from the same source.",
    "user-promoted": "The user is an admin now.",
    "user-demoted": "The user is no longer an admin.",
    "user-locked": "The account is locked. Its sessions have ended, and its API keys do not work.",
    "user-unlocked": "The account is unlocked. Its API keys work again, and its user can log in.",
    "vehicle-added": "The vehicle is now in your garage.",
    "vehicle-changed": "The vehicle was changed.",
    "vehicle-removed": "The vehicle is no longer in your garage.",
    "odometer-recorded": "The odometer reading was added.",
    "bill-recorded": "The bill was recorded.",
    "bill-deleted": "The bill was deleted.",
    "service-done": "The service was recorded.",
    "garage-settings-saved": "The settings were saved.",
    "prices-moved": "The price adjustment was saved.",
}
"""Messages about the last action, keyed by a word in the query string: a link cannot put any other text on a page."""

ERROR_TEMPLATE: Final = "error.html"
"""The template for errors that are not shown in a form."""

_HEADINGS: Final = {
    400: "We could not read this request",
    403: "Access denied",
    404: "Page not found",
    405: "This page cannot do that",
    409: "Someone else changed this",
    413: "The file or form is too large",
    422: "Please check what you entered",
    429: "Too many requests for now",
    503: "Temporarily unavailable",
}


def heading(status: int) -> str:
    """Return what a status means, for visitors who do not know HTTP."""
    return _HEADINGS.get(status, "Something went wrong")


class PageRule(GuardedRule):
    """A console route: its upload, its form limits, the view that shows its form again, and its error page."""

    def __init__(
        self,
        string: str,
        *,
        upload: FileField | None = None,
        again: Callable[..., ResponseReturnValue] | None = None,
        form_bytes: int = FORM_BYTES,
        form_fields: int = FORM_FIELDS,
        error_template: str = ERROR_TEMPLATE,
        **options: Any,
    ) -> None:
        super().__init__(string, **options)
        self.upload = upload
        self.form_bytes = form_bytes
        self.form_fields = form_fields
        self.again = again
        self.error_template = error_template


class Pages(Blueprint):
    """A blueprint of pages that need the same credential, under the console's address or at the root.

    Public pages have ``prefix=""`` and ``Auth.OPTIONAL``: ``guards.caller_if_any`` returns the visitor, if logged in.
    """

    def __init__(
        self, name: str, *, auth: Auth, prefix: str = PREFIX, error_template: str = ERROR_TEMPLATE
    ) -> None:
        super().__init__(name, __name__, url_prefix=prefix or None)
        self._auth = auth
        self._error_template = error_template

    @override
    def add_url_rule(
        self,
        rule: str,
        endpoint: str | None = None,
        view_func: RouteCallable | None = None,
        provide_automatic_options: bool | None = None,
        **options: Any,
    ) -> None:
        options = {"auth": self._auth, "safe": True, "error_template": self._error_template, **options}
        super().add_url_rule(rule, endpoint, view_func, provide_automatic_options, **options)


def show(template: str, **values: Any) -> str:
    """Render a page."""
    return render_template(template, **values)


def go(endpoint: str, *, done: str | None = None, **values: Any) -> Response:
    """Redirect to a page, optionally with a message (a key of ``DONE``)."""
    if done is not None:
        values["done"] = done
    return to(url_for(endpoint, **values))


def to(address: str) -> Response:
    """Redirect to an address by GET."""
    return Response(status=303, headers={"Location": address})


def done() -> str | None:
    """Return the message that the query string asks for, or None if there is none."""
    return DONE.get(request.args.get("done", ""))


def error_reply() -> ErrorReply | None:
    """Return why the form was rejected, or None if it was not."""
    return cast("ErrorReply | None", g.get("error_reply"))


def typed(name: str, default: object = "") -> str:
    """Return what was typed in a field, or its initial value."""
    sent = form_if_any()
    if sent is not None and name in sent.texts:
        return sent.text(name)
    return "" if default is None else str(default)


def field_errors(name: str) -> Sequence[str]:
    """Return the error messages of a field."""
    reply = error_reply()
    return () if reply is None or reply.fields is None else reply.fields.get(name, ())


def form_error() -> str | None:
    """Return the error for the form as a whole, or None if there is none or only fields have errors."""
    reply = error_reply()
    return None if reply is None or reply.fields is not None else reply.message
