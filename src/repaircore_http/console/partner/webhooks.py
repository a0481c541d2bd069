"""A partner's webhooks: add, test, change and delete them, list their deliveries, and replay events."""

from functools import partial
from typing import Annotated, Final

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.kernel.paging import PageRequest
from repaircore.kernel.rules import Length
from repaircore.webhooks.errors import SubscriptionNotFound
from repaircore.webhooks.event_types import ALL, EVENT_PATTERNS, EVENT_TYPES, TEST
from repaircore.webhooks.model import (
    MOST_SUBSCRIPTIONS,
    CreateSubscription,
    ReplayEvents,
    SubscriptionWithSecret,
    UpdateSubscription,
)
from repaircore_http.console.forms import clear, filled, form_if_any
from repaircore_http.console.lists import ListQuery, read_list
from repaircore_http.console.pages import go
from repaircore_http.console.partner.access import own_partner, partner_pages, show_own
from repaircore_http.core import core

partner_webhooks = partner_pages("partner_webhooks")

_GROUPS: Final = {
    ALL: "All events, including future ones",
    **{name: f"Everything about {name.removesuffix('.*')}s" for name in EVENT_PATTERNS},
}
_SINGLE: Final = tuple(name for name in EVENT_TYPES if name != TEST)
_STEPS: Final = frozenset({"test", "replay", "change", "delete", "secret"})


@frozen(kw_only=True)
class ChangeWebhook:
    """The URL and events of a webhook, and whether it is on, as its form submits them."""

    url: Annotated[str, Length(1, 2048)]
    events: tuple[str, ...] = ()
    active: bool = False


@frozen(kw_only=True)
class ReplayOne:
    """The event to deliver again."""

    event: Annotated[str, Length(1, 64)]


@partner_webhooks.get("/partner/webhooks")
def index() -> ResponseReturnValue:
    """List the partner's webhooks, with the form for a new one."""
    return _list(None)


@partner_webhooks.post("/partner/webhooks", again=index)
def create() -> ResponseReturnValue:
    """Add a webhook; this is the only time its secret is shown."""
    own = own_partner()
    validate = partial(core().webhooks.validate, own.environment)
    created = core().webhooks.create(filled(CreateSubscription, validate=validate), own)
    clear()
    return _list(created), 201


@partner_webhooks.get("/partner/webhooks/<ref>")
def detail(ref: str) -> ResponseReturnValue:
    """Show a webhook with its deliveries."""
    return _show(ref, None)


@partner_webhooks.post("/partner/webhooks/<ref>/test", again=detail)
def test(ref: str) -> Response:
    """Send a test event."""
    core().webhooks.enqueue_test(ref, own_partner())
    return go("partner_webhooks.detail", ref=ref, done="webhook-tested")


@partner_webhooks.post("/partner/webhooks/<ref>/replay", again=detail)
def replay(ref: str) -> Response:
    """Deliver an event again."""
    core().webhooks.replay(ref, ReplayEvents(event=filled(ReplayOne).event), own_partner())
    return go("partner_webhooks.detail", ref=ref, done="event-replayed")


@partner_webhooks.post("/partner/webhooks/<ref>/change", again=detail)
def change(ref: str) -> Response:
    """Change the URL and the events, or switch the webhook on or off."""
    own = own_partner()
    validate = partial(core().webhooks.validate, own.environment)
    data = filled(ChangeWebhook, validate=validate)
    core().webhooks.update(ref, UpdateSubscription(url=data.url, events=data.events, active=data.active), own)
    return go("partner_webhooks.detail", ref=ref, done="webhook-changed")


@partner_webhooks.post("/partner/webhooks/<ref>/secret", again=detail)
def rotate_secret(ref: str) -> ResponseReturnValue:
    """Replace the secret; this is the only time the new one is shown."""
    rotated = core().webhooks.update(ref, UpdateSubscription(rotate_secret=True), own_partner())
    return _show(ref, rotated), 201


@partner_webhooks.post("/partner/webhooks/<ref>/delete")
def delete(ref: str) -> Response:
    """Delete a webhook and its pending deliveries."""
    core().webhooks.delete(ref, own_partner())
    return go("partner_webhooks.index", done="webhook-deleted")


@partner_webhooks.get("/partner/webhooks/<ref>/<step>")
def after_sending(ref: str, step: str) -> Response:
    """Redirect to the webhook when a browser opens the POST address of a form with GET."""
    if step not in _STEPS:
        raise SubscriptionNotFound
    return go("partner_webhooks.detail", ref=ref)


def _list(created: SubscriptionWithSecret | None) -> str:
    page = core().webhooks.list_page(own_partner(), request=PageRequest(per_page=MOST_SUBSCRIPTIONS))
    return show_own(
        "partner/webhooks.html",
        webhooks=page.items,
        created=created,
        most=MOST_SUBSCRIPTIONS,
        **_choices(("ride.*", "tow.*", "appointment.*")),
    )


def _show(ref: str, rotated: SubscriptionWithSecret | None) -> str:
    own = own_partner()
    webhook = core().webhooks.get(ref, own)
    wanted, query = read_list(ListQuery)
    return show_own(
        "partner/webhook.html",
        webhook=webhook,
        rotated=rotated,
        page=core().webhooks.list_deliveries(ref, own, request=wanted.request()),
        query={**query, "ref": ref},
        **_choices(webhook.events),
    )


def _choices(usual: tuple[str, ...]) -> dict[str, object]:
    """Return the events that a form offers, and those that are chosen in it."""
    sent = form_if_any()
    chosen = usual if sent is None or "url" not in sent.texts else tuple(sent.texts.get("events", ()))
    return {"groups": _GROUPS, "single": _SINGLE, "chosen": chosen}
