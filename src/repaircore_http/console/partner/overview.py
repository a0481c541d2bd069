"""A partner at a glance: its limits, its webhooks and its latest jobs."""

from typing import Final

from flask.typing import ResponseReturnValue

from repaircore.kernel.paging import PageRequest
from repaircore.webhooks.model import MOST_SUBSCRIPTIONS
from repaircore_http.console.partner.access import own_partner, partner_pages, show_own
from repaircore_http.console.partner.jobs import latest_jobs
from repaircore_http.core import core

partner_overview = partner_pages("partner_overview")

_LATEST: Final = 8


@partner_overview.get("/partner")
def index() -> ResponseReturnValue:
    """Show the partner's limits and their usage, its webhooks and its latest jobs."""
    own = own_partner()
    page = core().webhooks.list_page(own, request=PageRequest(per_page=MOST_SUBSCRIPTIONS))
    return show_own(
        "partner/overview.html",
        window=core().limits.count_partner_request(own.partner_id, own.environment),
        most_webhooks=MOST_SUBSCRIPTIONS,
        webhooks=page.items,
        jobs=latest_jobs(own, _LATEST),
    )
