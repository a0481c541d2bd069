"""Mechanics, their working hours and free slots."""

import datetime as dt
from typing import TypeVar

from attrs import frozen
from flask import Response

from repaircore.mechanics.search import ListAvailability, SearchMechanics
from repaircore.mechanics.views import (
    AvailabilityView,
    FoundMechanicView,
    MechanicView,
    WorkScheduleInFullView,
    WorkScheduleView,
)
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData, PartnerPage
from repaircore_http.guards import Auth, partner_caller
from repaircore_http.json_io import parse_input, read_query, read_query_params, require_known_params
from repaircore_http.partner.dialect import PREFIX, partner, reply_data, reply_page
from repaircore_http.routes import Routes

T = TypeVar("T")

mechanics = Routes(
    "partner_mechanics",
    url_prefix=f"{PREFIX}/mechanics",
    auth=Auth.PARTNER,
    dialect=partner,
    tag="partner mechanics",
)


@frozen(kw_only=True)
class ListSlots:
    """The date whose slots to list, if any."""

    date: dt.date | None = None


@mechanics.get("", safe=True, query=SearchMechanics, returns=PartnerPage[FoundMechanicView])
def index() -> Response:
    """List the mechanics in a state, or around a ZIP code or a point."""
    query = _read_query(SearchMechanics)
    page = core().mechanic_search.find(partner_caller().environment, query)
    return reply_page(page, FoundMechanicView.found)


@mechanics.get(
    "/availability", safe=True, query=ListAvailability, returns=PartnerData[list[AvailabilityView]]
)
def availability() -> Response:
    """List the free times of several mechanics on the given days."""
    query = _read_query(ListAvailability)
    found = core().mechanic_search.list_free(partner_caller().environment, query)
    return reply_data([AvailabilityView.of(mechanic, slots, query.service) for mechanic, slots in found])


@mechanics.get("/<reference>", safe=True, returns=PartnerData[MechanicView])
def show(reference: str) -> Response:
    """Show a mechanic."""
    return reply_data(MechanicView.of(core().mechanics.get(partner_caller().environment, reference)))


@mechanics.get("/<reference>/work-schedule", safe=True, returns=PartnerData[WorkScheduleView])
def work_schedule(reference: str) -> Response:
    """Show a mechanic's working hours."""
    mechanic = core().mechanics.get(partner_caller().environment, reference)
    return reply_data(WorkScheduleView.of(mechanic.profile.schedule))


@mechanics.get(
    "/<reference>/new-work-schedule", safe=True, query=ListSlots, returns=PartnerData[WorkScheduleInFullView]
)
def new_work_schedule(reference: str) -> Response:
    """Show a mechanic's working hours, the next free slot, and the slots of a day if one is given."""
    served = core().mechanics
    mechanic = served.get(partner_caller().environment, reference)
    day = read_query(ListSlots).date
    slots = None if day is None else served.list_slots(mechanic, day)
    schedule = mechanic.profile.schedule
    return reply_data(WorkScheduleInFullView.of(schedule, served.find_next_slot(mechanic), slots))


def _read_query(shape: type[T]) -> T:
    """Read the query of a search; parameters with bad values are reported together with those of the wrong type."""
    require_known_params(shape)
    return parse_input(shape, read_query_params(shape), validate=core().mechanic_search.validate)
