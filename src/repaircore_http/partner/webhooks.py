"""Webhook subscriptions."""

from functools import partial

from flask import Response

from repaircore.kernel.errors import Conflict, NotFound
from repaircore.webhooks.model import CreateSubscription, ReplayEvents, UpdateSubscription
from repaircore.webhooks.views import (
    CreatedSubscriptionView,
    DeletedSubscriptionView,
    DeliveryView,
    EnqueuedTestView,
    ReplayView,
    SubscriptionView,
    UpdatedSubscriptionView,
    created_view,
    updated_view,
)
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData
from repaircore_http.guards import Auth, partner_caller
from repaircore_http.json_io import read_body, read_query
from repaircore_http.listing import NewestQuery, PartnerListPage, reply_list
from repaircore_http.partner.dialect import PREFIX, partner, reply_data
from repaircore_http.routes import Routes

webhooks = Routes(
    "partner_webhooks",
    url_prefix=f"{PREFIX}/webhooks",
    auth=Auth.PARTNER,
    dialect=partner,
    tag="partner webhooks",
)


@webhooks.get("", safe=True, query=NewestQuery, returns=PartnerListPage[SubscriptionView])
def index() -> Response:
    """List subscriptions, newest first."""
    query, served, caller = read_query(NewestQuery), core().webhooks, partner_caller()
    return reply_list(
        query,
        lambda request: served.list_page(caller, request=request),
        SubscriptionView,
        SubscriptionView.of,
        name="webhooks",
        envelope=PartnerListPage,
    )


@webhooks.post(
    "",
    idempotent=True,
    accepts=CreateSubscription,
    returns=PartnerData[CreatedSubscriptionView],
    status=201,
    raises=(Conflict,),
)
def create() -> Response:
    """Create a subscription. Only this response has the secret."""
    caller, served = partner_caller(), core().webhooks
    data = read_body(CreateSubscription, validate=partial(served.validate, caller.environment))
    return reply_data(created_view(served.create(data, caller)), 201)


@webhooks.get("/<webhook>", safe=True, returns=PartnerData[SubscriptionView], raises=(NotFound,))
def show(webhook: str) -> Response:
    """Show a subscription."""
    return reply_data(SubscriptionView.of(core().webhooks.get(webhook, partner_caller())))


@webhooks.get(
    "/<webhook>/deliveries",
    safe=True,
    query=NewestQuery,
    returns=PartnerListPage[DeliveryView],
    raises=(NotFound,),
)
def deliveries(webhook: str) -> Response:
    """List the stored deliveries, newest first; those that have ended are deleted after 30 days by default."""
    query, served, caller = read_query(NewestQuery), core().webhooks, partner_caller()
    return reply_list(
        query,
        lambda request: served.list_deliveries(webhook, caller, request=request),
        DeliveryView,
        DeliveryView.of,
        name="deliveries",
        envelope=PartnerListPage,
    )


@webhooks.post(
    "/<webhook>/test",
    idempotent=True,
    returns=PartnerData[EnqueuedTestView],
    status=202,
    raises=(NotFound, Conflict),
)
def test(webhook: str) -> Response:
    """Send a `webhook.test` event, delivered and retried like any other; the deliveries show the result."""
    event = core().webhooks.enqueue_test(webhook, partner_caller())
    return reply_data(EnqueuedTestView(event=event), 202)


@webhooks.post(
    "/<webhook>/replay",
    idempotent=True,
    accepts=ReplayEvents,
    returns=PartnerData[ReplayView],
    status=202,
    raises=(NotFound, Conflict),
)
def replay(webhook: str) -> Response:
    """Deliver an event, or all events of a period, to a subscription again, with the same ids."""
    replayed = core().webhooks.replay(webhook, read_body(ReplayEvents), partner_caller())
    return reply_data(ReplayView(events=replayed.events, deliveries=replayed.deliveries), 202)


@webhooks.patch(
    "/<webhook>",
    idempotent=True,
    accepts=UpdateSubscription,
    returns=PartnerData[UpdatedSubscriptionView],
    raises=(Conflict,),
)
def change(webhook: str) -> Response:
    """Update a subscription, or rotate its secret."""
    caller, served = partner_caller(), core().webhooks
    data = read_body(UpdateSubscription, validate=partial(served.validate, caller.environment))
    return reply_data(updated_view(served.update(webhook, data, caller)))


@webhooks.delete(
    "/<webhook>", idempotent=True, returns=PartnerData[DeletedSubscriptionView], raises=(Conflict,)
)
def remove(webhook: str) -> Response:
    """Delete a subscription."""
    return reply_data(DeletedSubscriptionView(ref=core().webhooks.delete(webhook, partner_caller()).ref))
