"""Services that are planned for vehicles."""

from datetime import date
from typing import cast

from attrs import asdict, frozen
from flask import Response

from repaircore.kernel.errors import Conflict, NotFound
from repaircore.schedules.model import Status
from repaircore.schedules.validation import NewSchedule, ScheduleChange, ScheduleFields
from repaircore.schedules.views import change_shape, schedule_shape
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataPage, DataWithMessage
from repaircore_http.errors import coded
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import parse_input, read_body, read_json, read_query, reply
from repaircore_http.paging import PageQuery, meta
from repaircore_http.routes import Routes
from repaircore_http.told.fleets import Schedule, ScheduleChanged, ScheduleGone

schedules = Routes(
    "service_schedules", url_prefix="/api/v1/fleet", auth=Auth.SECRET, dialect=coded, tag="fleet"
)


@frozen(kw_only=True)
class ListVehicleSchedules(PageQuery):
    """Which schedules of a vehicle, and which page of them."""

    status: Status | None = None


@frozen(kw_only=True)
class ListSchedules(ListVehicleSchedules):
    """Which schedules, and which page of them."""

    vehicle: str | None = None


@frozen(kw_only=True)
class UpdateSchedule(ScheduleFields):
    """What is to change; a status of completed or cancelled ends it."""

    status: Status | None = None
    completed_on: date | None = None
    completed_mileage: int | None = None
    version: int | None = None


@schedules.get(
    "/service-schedules", safe=True, query=ListSchedules, returns=DataPage[Schedule], raises=(NotFound,)
)
def index() -> Response:
    """List schedules, the most urgent first, in pages."""
    asked = read_query(ListSchedules)
    return _listed(asked, vehicle=asked.vehicle)


@schedules.get(
    "/vehicles/<vehicle>/service-schedules", safe=True, query=ListVehicleSchedules, returns=DataPage[Schedule]
)
def of_vehicle(vehicle: str) -> Response:
    """List the schedules of a vehicle, the most urgent first, in pages."""
    return _listed(read_query(ListVehicleSchedules), vehicle=vehicle)


@schedules.post(
    "/service-schedules",
    accepts=NewSchedule,
    returns=DataWithMessage[Schedule],
    status=201,
    raises=(NotFound, Conflict),
)
def create() -> Response:
    """Plan a service."""
    served = core().schedules
    made = served.create(read_body(NewSchedule, validate=served.validate), caller())
    return reply({"success": True, "message": "The service is planned.", "data": schedule_shape(made)}, 201)


@schedules.get("/service-schedules/<schedule_id>", safe=True, returns=Data[Schedule])
def show(schedule_id: str) -> Response:
    """Show a schedule."""
    return reply({"success": True, "data": schedule_shape(core().schedules.show(schedule_id, caller()))})


@schedules.put(
    "/service-schedules/<schedule_id>",
    accepts=UpdateSchedule,
    returns=DataWithMessage[ScheduleChanged],
    raises=(Conflict,),
)
def update(schedule_id: str) -> Response:
    """Change, complete or cancel a schedule."""
    served, body = core().schedules, read_json()
    asked = asdict(parse_input(UpdateSchedule, body, validate=served.validate))
    told = cast("ScheduleChange", {name: value for name, value in asked.items() if name in body})
    changed = served.change(schedule_id, told, caller())
    return reply({"success": True, "message": "The service is changed.", "data": change_shape(changed)})


@schedules.delete("/service-schedules/<schedule_id>", returns=DataWithMessage[ScheduleGone])
def delete(schedule_id: str) -> Response:
    """Forget a schedule."""
    gone = core().schedules.remove(schedule_id, caller())
    return reply({"success": True, "message": "The service is removed.", "data": {"id": gone.id}})


def _listed(asked: ListVehicleSchedules, *, vehicle: str | None) -> Response:
    page = core().schedules.page(
        caller(), vehicle=vehicle, status=asked.status, number=asked.page, per_page=asked.per_page
    )
    return reply({"success": True, "data": [schedule_shape(one) for one in page], "meta": meta(page)})
