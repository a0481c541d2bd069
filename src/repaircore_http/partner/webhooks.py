"""Webhooks: who is told what happens, and where."""

from typing import Annotated

from attrs import asdict, frozen
from flask import Response

from repaircore.kernel.errors import Conflict
from repaircore.kernel.rules import Length
from repaircore.webhooks.service import LONGEST_DESCRIPTION, NewSubscription, SubscriptionChange
from repaircore.webhooks.targets import LONGEST_URL
from repaircore.webhooks.views import shown_told, subscription_told
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData, PartnerPage
from repaircore_http.guards import Auth, partner_caller
from repaircore_http.json_io import read_body, read_query
from repaircore_http.paging import PageQuery
from repaircore_http.partner.dialect import PREFIX, partner, reply_data, reply_page
from repaircore_http.routes import Routes
from repaircore_http.told.webhooks import (
    EventName,
    Subscription,
    SubscriptionChanged,
    SubscriptionGone,
    SubscriptionMade,
)

webhooks = Routes(
    "partner_webhooks",
    url_prefix=f"{PREFIX}/webhooks",
    auth=Auth.PARTNER,
    dialect=partner,
    tag="partner webhooks",
)

_MOST_EVENTS = 100


@frozen(kw_only=True)
class CreateSubscription:
    """What a partner wants to be told, and where."""

    url: Annotated[str, Length(1, LONGEST_URL)]
    events: Annotated[list[EventName], Length(1, _MOST_EVENTS)]
    description: Annotated[str | None, Length(0, LONGEST_DESCRIPTION)] = None
    active: bool = True


@frozen(kw_only=True)
class UpdateSubscription:
    """What is to change; what is not told, or null, is left as it is."""

    url: Annotated[str | None, Length(1, LONGEST_URL)] = None
    events: Annotated[list[EventName] | None, Length(1, _MOST_EVENTS)] = None
    description: Annotated[str | None, Length(0, LONGEST_DESCRIPTION)] = None
    active: bool | None = None
    rotate_secret: bool = False


@webhooks.get("", safe=True, query=PageQuery, returns=PartnerPage[Subscription])
def index() -> Response:
    """List subscriptions, the newest first, in pages."""
    asked = read_query(PageQuery)
    page = core().webhooks.page(partner_caller(), number=asked.page, per_page=asked.per_page)
    return reply_page(page, subscription_told)


@webhooks.post(
    "",
    idempotent=True,
    accepts=CreateSubscription,
    returns=PartnerData[SubscriptionMade],
    status=201,
    raises=(Conflict,),
)
def create() -> Response:
    """Subscribe; the answer alone tells the secret."""
    caller, served = partner_caller(), core().webhooks
    told = read_body(CreateSubscription, validate=lambda **good: served.validate(caller.environment, **good))
    return reply_data(shown_told(served.create(NewSubscription(**asdict(told)), caller)), 201)


@webhooks.patch(
    "/<webhook>",
    idempotent=True,
    accepts=UpdateSubscription,
    returns=PartnerData[SubscriptionChanged],
    raises=(Conflict,),
)
def change(webhook: str) -> Response:
    """Change a subscription, or have it signed with a new secret."""
    caller, served = partner_caller(), core().webhooks
    told = read_body(UpdateSubscription, validate=lambda **good: served.validate(caller.environment, **good))
    return reply_data(shown_told(served.change(webhook, SubscriptionChange(**asdict(told)), caller)))


@webhooks.delete("/<webhook>", idempotent=True, returns=PartnerData[SubscriptionGone], raises=(Conflict,))
def remove(webhook: str) -> Response:
    """Unsubscribe."""
    gone = core().webhooks.remove(webhook, partner_caller())
    return reply_data({"ref": gone.ref, "deleted": True})
