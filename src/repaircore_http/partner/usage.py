"""The limits of a partner, and their usage."""

from typing import Annotated

from flask import Response, request

from repaircore.kernel.callers import Environment
from repaircore.kernel.rules import Range
from repaircore.kernel.views import Count, view
from repaircore.webhooks.model import MOST_SUBSCRIPTIONS
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData
from repaircore_http.guards import Auth, partner_caller
from repaircore_http.partner.dialect import PREFIX, partner, reply_data
from repaircore_http.partner_auth import window_of
from repaircore_http.routes import Routes

usage = Routes(
    "partner_usage", url_prefix=f"{PREFIX}/usage", auth=Auth.PARTNER, dialect=partner, tag="partner usage"
)


@view
class RequestUsageView:
    """The requests of one minute, including this one.

    `reset_at` is when the oldest of them stops counting, in seconds since 1970.
    """

    limit: Annotated[int, Range(1)]
    remaining: Count
    reset_at: int


@view
class WebhookUsageView:
    """The limit and the number of webhook subscriptions in the environment."""

    limit: Annotated[int, Range(1)]
    used: Count


@view
class UsageView:
    """The limits and usage of a partner in one environment."""

    environment: Environment
    requests_per_minute: RequestUsageView
    webhooks: WebhookUsageView


@usage.get("", safe=True, returns=PartnerData[UsageView])
def show() -> Response:
    """Show your limits and usage in this environment."""
    caller, window = partner_caller(), window_of(request.environ)
    return reply_data(
        UsageView(
            environment=caller.environment,
            requests_per_minute=RequestUsageView(
                limit=window.limit, remaining=window.remaining, reset_at=window.reset_at
            ),
            webhooks=WebhookUsageView(limit=MOST_SUBSCRIPTIONS, used=core().webhooks.count(caller)),
        )
    )
