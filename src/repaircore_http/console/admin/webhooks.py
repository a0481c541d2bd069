"""Webhooks: who is told of what, how deliveries went, and events delivered anew."""

from typing import Annotated, Final

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.kernel.rules import Length
from repaircore_http.console.forms import filled
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query

webhooks = Pages("webhooks", auth=Auth.ADMIN)

_LISTED: Final = 100
"""So many attempts are listed, the newest first."""


@frozen(kw_only=True)
class FilterAttempts:
    """Whose attempts; without a subscription everybody's."""

    subscription: Annotated[str | None, Length(1, 100)] = None


@frozen(kw_only=True)
class ReplayEvents:
    """Which event is to be delivered anew."""

    event: str


@webhooks.get("/admin/webhooks")
def index() -> ResponseReturnValue:
    """List subscriptions, and the newest attempts to deliver."""
    served, known, asked = core().webhook_operation, caller(), read_query(FilterAttempts)
    return show(
        "admin/webhooks.html",
        subscriptions=served.all(known),
        backlog=served.backlog(),
        attempts=served.attempts(limit=_LISTED, subscription=asked.subscription, caller=known),
        partners={partner.id: partner for partner in core().partners.list_all(known)},
        chosen=asked.subscription,
    )


@webhooks.post("/admin/webhooks/replay", again=index)
def replay() -> Response:
    """Deliver an event anew to whoever is subscribed to it now."""
    core().webhook_operation.replay(filled(ReplayEvents).event, caller())
    return go("webhooks.index", done="event-replayed")


@webhooks.get("/admin/webhooks/replay")
def after_replaying() -> Response:
    """Lead to the list whoever opens the address of a form."""
    return go("webhooks.index")
