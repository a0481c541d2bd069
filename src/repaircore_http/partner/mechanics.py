"""The directory of mechanics, their hours and their free slots."""

import datetime as dt
from typing import Annotated

from attrs import frozen
from flask import Response

from repaircore.kernel.paging import PER_PAGE
from repaircore.kernel.rules import Range
from repaircore.mechanics.service import MOST_PER_PAGE
from repaircore.mechanics.views import MechanicView, WorkScheduleInFullView, WorkScheduleView
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData, PartnerPage
from repaircore_http.guards import Auth, partner_caller
from repaircore_http.json_io import parse_input, read_query, read_query_params
from repaircore_http.partner.dialect import PREFIX, partner, reply_data, reply_page
from repaircore_http.routes import Routes

mechanics = Routes(
    "partner_mechanics",
    url_prefix=f"{PREFIX}/mechanics",
    auth=Auth.PARTNER,
    dialect=partner,
    tag="partner mechanics",
)


@frozen(kw_only=True)
class ListMechanics:
    """Where, for what, and which page."""

    state: str
    service: str | None = None
    page: Annotated[int, Range(1)] = 1
    per_page: Annotated[int, Range(1, MOST_PER_PAGE)] = PER_PAGE


@frozen(kw_only=True)
class ListSlots:
    """Of which day the slots are wanted as well."""

    date: dt.date | None = None


@mechanics.get("", safe=True, query=ListMechanics, returns=PartnerPage[MechanicView])
def index() -> Response:
    """List the mechanics of a state."""
    served = core().mechanics
    asked = parse_input(ListMechanics, read_query_params(ListMechanics), validate=served.validate)
    page = served.search(
        partner_caller().environment,
        state=asked.state,
        service=asked.service,
        number=asked.page,
        per_page=asked.per_page,
    )
    return reply_page(page, MechanicView.of)


@mechanics.get("/<reference>", safe=True, returns=PartnerData[MechanicView])
def show(reference: str) -> Response:
    """Show a mechanic."""
    return reply_data(MechanicView.of(core().mechanics.find(partner_caller().environment, reference)))


@mechanics.get("/<reference>/work-schedule", safe=True, returns=PartnerData[WorkScheduleView])
def work_schedule(reference: str) -> Response:
    """Show when a mechanic opens and closes."""
    mechanic = core().mechanics.find(partner_caller().environment, reference)
    return reply_data(WorkScheduleView.of(mechanic.profile.schedule))


@mechanics.get(
    "/<reference>/new-work-schedule", safe=True, query=ListSlots, returns=PartnerData[WorkScheduleInFullView]
)
def new_work_schedule(reference: str) -> Response:
    """Show every interval in which a mechanic works, the next free slot, and the slots of a day if one is named."""
    served = core().mechanics
    mechanic = served.find(partner_caller().environment, reference)
    day = read_query(ListSlots).date
    slots = None if day is None else served.slots(mechanic, day)
    schedule = mechanic.profile.schedule
    return reply_data(WorkScheduleInFullView.of(schedule, served.next_available(mechanic), slots))
