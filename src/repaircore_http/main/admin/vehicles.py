"""Vehicles as operators keep them."""

from typing import Annotated, cast
from uuid import UUID

from attrs import asdict, frozen
from flask import Response

from repaircore.kernel.errors import Conflict
from repaircore.kernel.rules import Length
from repaircore.vehicles.ports import VehicleFilter
from repaircore.vehicles.validation import CreateVehicle, UpdateVehicle, VehicleChange
from repaircore.vehicles.views import vehicle_shape
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataList, DataPage, DataWithMessage
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import parse_input, read_body, read_json, read_query, reply
from repaircore_http.paging import PageQuery, meta
from repaircore_http.routes import Routes
from repaircore_http.told.vehicles import ModelYear, VehicleGone, VehicleKept, VehicleOptions, VehicleStats

vehicles = Routes(
    "admin_vehicles", url_prefix="/api/v1/admin/vehicles", auth=Auth.ADMIN, tag="admin vehicles"
)

_Text = Annotated[str, Length(0, 255)]


@frozen(kw_only=True)
class ListVehicles(PageQuery):
    """Which vehicles, and which page of them."""

    search: _Text | None = None
    make: _Text | None = None
    model: _Text | None = None
    year: int | None = None
    facility_id: int | None = None


@frozen(kw_only=True)
class SearchModelYears:
    """What somebody types into a field that completes models."""

    q: str = ""
    limit: int | None = None


@vehicles.get("", safe=True, query=ListVehicles, returns=DataPage[VehicleKept])
def index() -> Response:
    """List vehicles, the newest first, in pages."""
    asked = read_query(ListVehicles)
    wanted = VehicleFilter(
        search=asked.search,
        make=asked.make,
        model=asked.model,
        year=asked.year,
        facility_id=asked.facility_id,
    )
    page = core().stored_vehicles.page(wanted, number=asked.page, per_page=asked.per_page)
    return reply({"success": True, "data": [vehicle_shape(one) for one in page], "meta": meta(page)})


@vehicles.get("/stats", safe=True, returns=Data[VehicleStats])
def stats() -> Response:
    """Count vehicles."""
    counts = core().stored_vehicles.counts()
    data = {
        "total": counts.total,
        "makes": [{"make": make, "count": count} for make, count in counts.makes],
        "years": [{"year": year, "count": count} for year, count in counts.years],
        "sources": [{"source": source, "count": count} for source, count in counts.sources],
        "motor_vehicle_types": [{"motor_vehicle_type": name, "count": count} for name, count in counts.types],
        "by_month": [{"month": month, "count": count} for month, count in counts.months],
    }
    return reply({"success": True, "data": data})


@vehicles.get("/form-options", safe=True, returns=Data[VehicleOptions])
def form_options() -> Response:
    """Tell what a form may offer."""
    served = core()
    offered = served.stored_vehicles.options()
    data = {
        "makes": served.catalog.list_makes(),
        "years": served.catalog.list_years(),
        "motor_vehicle_types": offered.types,
        "motor_vehicle_type_groups": offered.groups,
        "facilities": [{"id": str(shop_id), "name": name} for shop_id, name in offered.facilities],
    }
    return reply({"success": True, "data": data})


@vehicles.get("/search-models", safe=True, query=SearchModelYears, returns=DataList[ModelYear])
def search_models() -> Response:
    """Find the model-years that some words mean."""
    asked = read_query(SearchModelYears)
    found = core().catalog.search_model_years(asked.q, limit=asked.limit)
    data = [
        {
            "id": one.id,
            "display_name": one.display_name,
            "make": one.make,
            "model": one.model,
            "year": one.year,
        }
        for one in found
    ]
    return reply({"success": True, "count": len(data), "data": data})


@vehicles.post(
    "", accepts=CreateVehicle, returns=DataWithMessage[VehicleKept], status=201, raises=(Conflict,)
)
def create() -> Response:
    """Keep a new vehicle."""
    stored = core().stored_vehicles
    made = stored.create(read_body(CreateVehicle, validate=stored.validate_create), caller())
    return reply({"success": True, "message": "The vehicle is kept.", "data": vehicle_shape(made)}, 201)


@vehicles.get("/<uuid:vehicle_id>", safe=True, returns=Data[VehicleKept])
def show(vehicle_id: UUID) -> Response:
    """Show a vehicle."""
    return reply({"success": True, "data": vehicle_shape(core().stored_vehicles.get(vehicle_id))})


@vehicles.put(
    "/<uuid:vehicle_id>", accepts=UpdateVehicle, returns=DataWithMessage[VehicleKept], raises=(Conflict,)
)
def update(vehicle_id: UUID) -> Response:
    """Change what was told of a vehicle."""
    stored = core().stored_vehicles
    body = read_json()
    asked = asdict(parse_input(UpdateVehicle, body, validate=stored.validate_update))
    told = cast("VehicleChange", {name: value for name, value in asked.items() if name in body})
    changed = stored.update(vehicle_id, told, caller())
    return reply({"success": True, "message": "The vehicle is changed.", "data": vehicle_shape(changed)})


@vehicles.delete("/<uuid:vehicle_id>", returns=DataWithMessage[VehicleGone], raises=(Conflict,))
def delete(vehicle_id: UUID) -> Response:
    """Forget a vehicle that nothing refers to."""
    gone = core().stored_vehicles.delete(vehicle_id, caller())
    return reply({"success": True, "message": "The vehicle is removed.", "data": {"id": gone.id}})
