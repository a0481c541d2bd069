"""Webhook subscriptions."""

from functools import partial

from flask import Response

from repaircore.kernel.errors import Conflict
from repaircore.webhooks.model import CreateSubscription, UpdateSubscription
from repaircore.webhooks.views import (
    CreatedSubscriptionView,
    DeletedSubscriptionView,
    SubscriptionView,
    UpdatedSubscriptionView,
    created_view,
    updated_view,
)
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData, PartnerPage
from repaircore_http.guards import Auth, partner_caller
from repaircore_http.json_io import read_body, read_query
from repaircore_http.paging import PageQuery
from repaircore_http.partner.dialect import PREFIX, partner, reply_data, reply_page
from repaircore_http.routes import Routes

webhooks = Routes(
    "partner_webhooks",
    url_prefix=f"{PREFIX}/webhooks",
    auth=Auth.PARTNER,
    dialect=partner,
    tag="partner webhooks",
)


@webhooks.get("", safe=True, query=PageQuery, returns=PartnerPage[SubscriptionView])
def index() -> Response:
    """List subscriptions, newest first."""
    query = read_query(PageQuery)
    page = core().webhooks.list_page(partner_caller(), number=query.page, per_page=query.per_page)
    return reply_page(page, SubscriptionView.of)


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
