"""Stored vehicles, as operators maintain them."""

from typing import Annotated
from uuid import UUID

from attrs import asdict, frozen
from flask import Response

from repaircore.catalog.service import SearchModelYears
from repaircore.catalog.views import ModelYearView
from repaircore.kernel.errors import Conflict
from repaircore.kernel.paging import sort_by
from repaircore.kernel.rules import Length
from repaircore.vehicles.model import VehicleFilter
from repaircore.vehicles.validation import CreateVehicle, UpdateVehicle
from repaircore.vehicles.views import (
    DeletedVehicleView,
    VehicleFormOptionsView,
    VehicleStatsView,
    VehicleView,
)
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataList, DataWithMessage
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import parse_input, read_body, read_json, read_query, reply
from repaircore_http.listing import ListPage, ListQuery, reply_list
from repaircore_http.routes import Routes

vehicles = Routes(
    "admin_vehicles", url_prefix="/api/v1/admin/vehicles", auth=Auth.ADMIN, tag="admin vehicles"
)

_Text = Annotated[str, Length(0, 255)]


@frozen(kw_only=True)
class ListVehicles(ListQuery):
    """Filters, sort order and page for the list of vehicles."""

    sort: Annotated[str, sort_by("created_at")] = ""

    search: _Text | None = None
    make: _Text | None = None
    model: _Text | None = None
    year: int | None = None
    facility_id: int | None = None


@vehicles.get("", safe=True, query=ListVehicles, returns=ListPage[VehicleView])
def index() -> Response:
    """List vehicles, newest first, paginated."""
    query = read_query(ListVehicles)
    wanted = VehicleFilter(
        search=query.search,
        make=query.make,
        model=query.model,
        year=query.year,
        facility_id=query.facility_id,
    )
    stored = core().stored_vehicles
    return reply_list(
        query,
        lambda request: stored.page(wanted, request=request),
        VehicleView,
        VehicleView.of,
        name="vehicles",
    )


@vehicles.get("/stats", safe=True, returns=Data[VehicleStatsView])
def stats() -> Response:
    """Count stored vehicles by make, model year, source and type, and by the month in which they were stored."""
    return reply(Data(data=VehicleStatsView.of(core().stored_vehicles.counts())))


@vehicles.get("/form-options", safe=True, returns=Data[VehicleFormOptionsView])
def form_options() -> Response:
    """List the choices for a vehicle form."""
    served = core()
    options = VehicleFormOptionsView.of(
        served.stored_vehicles.options(),
        makes=[*served.catalog.list_makes()],
        years=[*served.catalog.list_years()],
    )
    return reply(Data(data=options))


@vehicles.get("/search-models", safe=True, query=SearchModelYears, returns=DataList[ModelYearView])
def search_models() -> Response:
    """Search the catalog for models by words, beginnings of words, or a model year."""
    query = read_query(SearchModelYears)
    found = core().catalog.search_model_years(query.q, limit=query.limit)
    return reply(DataList.of([ModelYearView.of(model_year) for model_year in found]))


@vehicles.post(
    "", accepts=CreateVehicle, returns=DataWithMessage[VehicleView], status=201, raises=(Conflict,)
)
def create() -> Response:
    """Create a vehicle."""
    stored = core().stored_vehicles
    created = stored.create(read_body(CreateVehicle, validate=stored.validate_create), caller())
    return reply(DataWithMessage(message="The vehicle was created.", data=VehicleView.of(created)), 201)


@vehicles.get("/<uuid:vehicle_id>", safe=True, returns=Data[VehicleView])
def show(vehicle_id: UUID) -> Response:
    """Show a vehicle."""
    return reply(Data(data=VehicleView.of(core().stored_vehicles.get(vehicle_id))))


@vehicles.put(
    "/<uuid:vehicle_id>", accepts=UpdateVehicle, returns=DataWithMessage[VehicleView], raises=(Conflict,)
)
def update(vehicle_id: UUID) -> Response:
    """Update the given fields of a vehicle; leave the others unchanged."""
    stored = core().stored_vehicles
    body = read_json()
    fields = asdict(parse_input(UpdateVehicle, body, validate=stored.validate_update))
    changes = {name: value for name, value in fields.items() if name in body}
    updated = stored.update(vehicle_id, changes, caller())
    return reply(DataWithMessage(message="The vehicle was updated.", data=VehicleView.of(updated)))


@vehicles.delete("/<uuid:vehicle_id>", returns=DataWithMessage[DeletedVehicleView], raises=(Conflict,))
def delete(vehicle_id: UUID) -> Response:
    """Delete a vehicle that nothing refers to."""
    deleted = core().stored_vehicles.delete(vehicle_id, caller())
    return reply(DataWithMessage(message="The vehicle was deleted.", data=DeletedVehicleView(id=deleted.id)))
