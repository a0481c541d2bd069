"""Webhooks of the caller's account, for events about its visits."""

from functools import partial

from flask import Response

from repaircore.kernel.errors import Conflict, NotFound
from repaircore.webhooks.model import AccountSubscriber, CreateAccountSubscription
from repaircore.webhooks.views import (
    AccountSubscriptionView,
    CreatedAccountSubscriptionView,
    DeletedSubscriptionView,
    DeliveryView,
    EnqueuedTestView,
)
from repaircore_http.core import core
from repaircore_http.envelopes import DataWithMessage
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, read_query, reply
from repaircore_http.listing import ListPage, NewestQuery, reply_list
from repaircore_http.routes import Routes

webhooks = Routes(
    "webhooks", url_prefix="/api/v1/webhooks", auth=Auth.SECRET, dialect=flagged, tag="webhooks"
)


@webhooks.get("", safe=True, query=NewestQuery, returns=ListPage[AccountSubscriptionView])
def index() -> Response:
    """List webhooks, newest first."""
    query, served, owner = read_query(NewestQuery), core().webhooks, _subscriber()
    return reply_list(
        query,
        lambda request: served.list_page(owner, request=request),
        AccountSubscriptionView,
        AccountSubscriptionView.of,
        name="webhooks",
    )


@webhooks.post(
    "",
    accepts=CreateAccountSubscription,
    returns=DataWithMessage[CreatedAccountSubscriptionView],
    status=201,
    raises=(Conflict,),
)
def create() -> Response:
    """Add a webhook. Only this response has the secret that signs its deliveries."""
    served, owner = core().webhooks, _subscriber()
    validate = partial(served.validate, owner.environment, is_trusted=owner.is_trusted)
    made = served.create(read_body(CreateAccountSubscription, validate=validate), owner)
    view = CreatedAccountSubscriptionView.of(made.subscription, secret=made.secret or "")
    message = "The webhook was added. Save its secret now: it will not be shown again."
    return reply(DataWithMessage(message=message, data=view), 201)


@webhooks.delete("/<webhook>", returns=DataWithMessage[DeletedSubscriptionView], raises=(NotFound,))
def delete(webhook: str) -> Response:
    """Delete a webhook and its pending deliveries."""
    deleted = core().webhooks.delete(webhook, _subscriber())
    view = DeletedSubscriptionView(ref=deleted.ref)
    return reply(DataWithMessage(message="The webhook was deleted.", data=view))


@webhooks.get(
    "/<webhook>/deliveries",
    safe=True,
    query=NewestQuery,
    returns=ListPage[DeliveryView],
    raises=(NotFound,),
)
def deliveries(webhook: str) -> Response:
    """List the stored deliveries, newest first; those that have ended are deleted after 30 days by default."""
    query, served, owner = read_query(NewestQuery), core().webhooks, _subscriber()
    return reply_list(
        query,
        lambda request: served.list_deliveries(webhook, owner, request=request),
        DeliveryView,
        DeliveryView.of,
        name="deliveries",
    )


@webhooks.post(
    "/<webhook>/test", returns=DataWithMessage[EnqueuedTestView], status=202, raises=(NotFound, Conflict)
)
def test(webhook: str) -> Response:
    """Send a `webhook.test` event, delivered and retried like any other; its deliveries show the result."""
    event = core().webhooks.enqueue_test(webhook, _subscriber())
    return reply(
        DataWithMessage(message="The test event is on its way.", data=EnqueuedTestView(event=event)), 202
    )


def _subscriber() -> AccountSubscriber:
    return AccountSubscriber.of(caller())
