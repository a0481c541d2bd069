"""Services that are planned for vehicles."""

from attrs import frozen
from flask import Response

from repaircore.kernel.errors import Conflict, NotFound
from repaircore.schedules.model import Status
from repaircore.schedules.validation import CreateSchedule, UpdateSchedule
from repaircore.schedules.views import ChangedScheduleView, DeletedScheduleView, ScheduleView
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataPage, DataWithMessage
from repaircore_http.errors import coded
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, read_query, reply
from repaircore_http.paging import PageQuery
from repaircore_http.routes import Routes

schedules = Routes(
    "service_schedules", url_prefix="/api/v1/fleet", auth=Auth.SECRET, dialect=coded, tag="fleet"
)


@frozen(kw_only=True)
class ListVehicleSchedules(PageQuery):
    """Filter (status) and page for the list of a vehicle's schedules."""

    status: Status | None = None


@frozen(kw_only=True)
class ListSchedules(ListVehicleSchedules):
    """Filters (vehicle and status) and page for the list of schedules."""

    vehicle: str | None = None


@schedules.get(
    "/service-schedules", safe=True, query=ListSchedules, returns=DataPage[ScheduleView], raises=(NotFound,)
)
def index() -> Response:
    """List schedules, most urgent first, paginated."""
    query = read_query(ListSchedules)
    return _page(query, vehicle=query.vehicle)


@schedules.get(
    "/vehicles/<vehicle>/service-schedules",
    safe=True,
    query=ListVehicleSchedules,
    returns=DataPage[ScheduleView],
)
def of_vehicle(vehicle: str) -> Response:
    """List a vehicle's schedules, most urgent first, paginated."""
    return _page(read_query(ListVehicleSchedules), vehicle=vehicle)


@schedules.post(
    "/service-schedules",
    accepts=CreateSchedule,
    returns=DataWithMessage[ScheduleView],
    status=201,
    raises=(NotFound, Conflict),
)
def create() -> Response:
    """Schedule a service."""
    served = core().schedules
    report = served.create(read_body(CreateSchedule, validate=served.validate), caller())
    return reply(DataWithMessage(message="The service was scheduled.", data=ScheduleView.of(report)), 201)


@schedules.get("/service-schedules/<schedule_id>", safe=True, returns=Data[ScheduleView])
def show(schedule_id: str) -> Response:
    """Show a schedule."""
    return reply(Data(data=ScheduleView.of(core().schedules.get(schedule_id, caller()))))


@schedules.put(
    "/service-schedules/<schedule_id>",
    accepts=UpdateSchedule,
    returns=DataWithMessage[ChangedScheduleView],
    raises=(Conflict,),
)
def update(schedule_id: str) -> Response:
    """Update, complete or cancel a schedule."""
    served = core().schedules
    changed = served.update(schedule_id, read_body(UpdateSchedule, validate=served.validate), caller())
    view = ChangedScheduleView.of(changed.report, changed.following)
    return reply(DataWithMessage(message="The service was updated.", data=view))


@schedules.delete("/service-schedules/<schedule_id>", returns=DataWithMessage[DeletedScheduleView])
def delete(schedule_id: str) -> Response:
    """Delete a schedule."""
    deleted = core().schedules.delete(schedule_id, caller())
    return reply(DataWithMessage(message="The service was deleted.", data=DeletedScheduleView(id=deleted.id)))


def _page(query: ListVehicleSchedules, *, vehicle: str | None) -> Response:
    page = core().schedules.page(
        caller(), vehicle=vehicle, status=query.status, number=query.page, per_page=query.per_page
    )
    return reply(DataPage.of(page, ScheduleView.of))
