"""Regions: the facilities that labor rates come from."""

from typing import Annotated

from attrs import frozen
from flask import Response

from repaircore.facilities.model import CreateFacility
from repaircore.facilities.views import FacilityStatsView, FacilityView, RecalculationView, StateSummaryView
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.paging import sort_by
from repaircore.structuring import structure_partially
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataWithMessage, Message
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, read_json, read_query, reply
from repaircore_http.listing import ListPage, ListQuery, reply_list
from repaircore_http.routes import Routes

regions = Routes("admin_regions", url_prefix="/api/v1/admin/regions", auth=Auth.ADMIN, tag="admin regions")


@frozen(kw_only=True)
class ListRegions(ListQuery):
    """Filters, sort order and page for the list of regions."""

    sort: Annotated[
        str, sort_by("facility_name", "city", "state", "zip_code", "avg_labor_rate", "created_at")
    ] = ""

    search: str = ""
    state: str | None = None


@regions.get("", safe=True, query=ListRegions, returns=ListPage[FacilityView])
def index() -> Response:
    """List regions by name, paginated."""
    query, facilities = read_query(ListRegions), core().facilities
    return reply_list(
        query,
        lambda request: facilities.page(search=query.search, state=query.state or None, request=request),
        FacilityView,
        FacilityView.of,
        name="regions",
    )


@regions.get("/stats", safe=True, returns=Data[FacilityStatsView])
def stats() -> Response:
    """Return the number of regions, their labor rates, and the totals of their invoices."""
    return reply(Data(data=FacilityStatsView.of(core().facilities.stats(caller()))))


@regions.get("/states", safe=True, returns=Data[list[StateSummaryView]])
def states() -> Response:
    """List the states, with the number of regions and the mean rate of each."""
    return reply(Data(data=[StateSummaryView.of(state) for state in core().facilities.states()]))


@regions.post("/recalculate", returns=DataWithMessage[RecalculationView])
def recalculate() -> Response:
    """Recalculate each region's labor rate from its invoices."""
    result = core().facilities.recalculate(caller())
    return reply(DataWithMessage(message=result.text, data=RecalculationView.of(result)))


@regions.post("", accepts=CreateFacility, returns=DataWithMessage[FacilityView], status=201)
def create() -> Response:
    """Create a region."""
    facility = core().facilities.create(read_body(CreateFacility), caller())
    return reply(DataWithMessage(message="The region was added.", data=FacilityView.of(facility)), 201)


@regions.get("/<int:facility_id>", safe=True, returns=Data[FacilityView])
def show(facility_id: int) -> Response:
    """Return a region."""
    return reply(Data(data=FacilityView.of(core().facilities.get(facility_id))))


@regions.put(
    "/<int:facility_id>",
    accepts=CreateFacility,
    returns=DataWithMessage[FacilityView],
    raises=(Conflict,),
)
def update(facility_id: int) -> Response:
    """Update a region; fields that are not sent stay unchanged."""
    changes, errors = structure_partially(CreateFacility, read_json())
    if errors:
        raise Invalid(errors)
    facility = core().facilities.update(facility_id, caller(), **changes)
    return reply(DataWithMessage(message="The region was changed.", data=FacilityView.of(facility)))


@regions.delete("/<int:facility_id>", returns=Message, raises=(Conflict,))
def delete(facility_id: int) -> Response:
    """Delete a region that nothing refers to."""
    core().facilities.delete(facility_id, caller())
    return reply(Message(message="The region was deleted."))
