"""Webhooks: subscriptions, delivery attempts, and replays."""

from typing import Annotated, Final

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.kernel.rules import Length
from repaircore_http.console.forms import filled
from repaircore_http.console.lists import read_list
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

webhooks = Pages("webhooks", auth=Auth.ADMIN)

_MOST_ATTEMPTS: Final = 100


@frozen(kw_only=True)
class FilterAttempts:
    """The subscription whose attempts are listed; all subscriptions if none is given."""

    subscription: Annotated[str | None, Length(1, 100)] = None


@frozen(kw_only=True)
class ReplayEvent:
    """The event to replay."""

    event: str


@webhooks.get("/admin/webhooks")
def index() -> ResponseReturnValue:
    """List subscriptions, and the latest delivery attempts."""
    served, operator, query = core().webhook_operations, caller(), read_list(FilterAttempts)[0]
    subscriptions = served.list_all(operator)
    of_partners = {each.partner_id for each in subscriptions if each.partner_id is not None}
    return show(
        "admin/webhooks.html",
        subscriptions=subscriptions,
        backlog=served.get_backlog(),
        attempts=served.list_attempts(limit=_MOST_ATTEMPTS, subscription=query.subscription, caller=operator),
        partners=core().partners.list_names(of_partners, operator),
        chosen=query.subscription,
    )


@webhooks.post("/admin/webhooks/replay", again=index)
def replay() -> Response:
    """Replay an event to its current subscribers."""
    core().webhook_operations.replay(filled(ReplayEvent).event, caller())
    return go("webhooks.index", done="event-replayed")


@webhooks.get("/admin/webhooks/replay")
def after_replaying() -> Response:
    """Redirect to the list when a browser reloads this POST address with GET."""
    return go("webhooks.index")
