"""The services and costs of the caller's garage, as lists and totals."""

from collections.abc import Sequence
from typing import Annotated

from attrs import frozen
from flask import Response

from repaircore.garage.model import VEHICLE_SORTS, FleetSums
from repaircore.garage.validation import Day, FilterGarage
from repaircore.garage.views import (
    FleetSumsView,
    GarageVehicleView,
    ListedServiceView,
    ModelCostView,
    MonthCostView,
)
from repaircore.kernel.paging import sort_by
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataList
from repaircore_http.errors import coded
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query, reply
from repaircore_http.listing import ListPage, ListQuery, WholeList, reply_list, reply_whole
from repaircore_http.routes import Routes

garage_tables = Routes(
    "garage_tables", url_prefix="/api/v1/fleet", auth=Auth.SECRET, dialect=coded, tag="garage"
)


@frozen(kw_only=True)
class ListGarageVehicles(ListQuery, FilterGarage):
    """Filters, sort order and page for the list of vehicles."""

    sort: Annotated[str, sort_by(*VEHICLE_SORTS)] = ""


@frozen(kw_only=True)
class ListGarageServices(ListQuery, FilterGarage):
    """The date by which services are due (by default, within 30 days), the vehicle filters, and the page."""

    sort: Annotated[str, sort_by("due_on")] = ""
    due_by: Day = None


@frozen(kw_only=True)
class SplitSums(WholeList, FilterGarage):
    """Filters for the vehicles to add up, and the format."""


@garage_tables.get("/vehicles", safe=True, query=ListGarageVehicles, returns=ListPage[GarageVehicleView])
def vehicles() -> Response:
    """List the vehicles of the garage, with their services and costs."""
    query, stored, known = read_query(ListGarageVehicles), core().garage, caller()
    return reply_list(
        query,
        lambda request: stored.page(query, known, request=request),
        GarageVehicleView,
        GarageVehicleView.of,
        name="vehicles",
    )


@garage_tables.get("/services", safe=True, query=ListGarageServices, returns=ListPage[ListedServiceView])
def services() -> Response:
    """List the services that are due within 30 days, or by another date, most urgent first."""
    query, stored, known = read_query(ListGarageServices), core().garage, caller()
    today = stored.today()
    return reply_list(
        query,
        lambda request: stored.services(query, known, due_by=query.due_by, request=request),
        ListedServiceView,
        lambda service: ListedServiceView.of(service, today),
        name="services",
    )


@garage_tables.get("/sums", safe=True, query=FilterGarage, returns=Data[FleetSumsView])
def sums() -> Response:
    """Add up the services and costs of the vehicles: this month, by month for the coming year, in total, by model."""
    return reply(Data(data=FleetSumsView.of(core().garage.sums(read_query(FilterGarage), caller()))))


@garage_tables.get("/months", safe=True, query=SplitSums, returns=DataList[MonthCostView])
def months() -> Response:
    """List what each coming month will cost."""
    query = read_query(SplitSums)
    return reply_whole(
        months_of(core().garage.sums(query, caller())), MonthCostView, DataList.of, name="months", query=query
    )


@garage_tables.get("/models", safe=True, query=SplitSums, returns=DataList[ModelCostView])
def models() -> Response:
    """List the expected cost of each model, and its cost per mile so far."""
    query = read_query(SplitSums)
    return reply_whole(
        models_of(core().garage.sums(query, caller())), ModelCostView, DataList.of, name="models", query=query
    )


def months_of(sums: FleetSums) -> Sequence[MonthCostView]:
    """Return what each coming month will cost."""
    return [*map(MonthCostView.of, sums.months)]


def models_of(sums: FleetSums) -> Sequence[ModelCostView]:
    """Return what each model costs."""
    return [*map(ModelCostView.of, sums.models)]
