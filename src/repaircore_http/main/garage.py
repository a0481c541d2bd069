"""The vehicles of the caller's garage."""

from typing import Final

from attrs import frozen
from flask import Response

from repaircore.garage.validation import (
    AddGarageVehicle,
    AddGarageVehicles,
    CompleteService,
    RecordOdometer,
    SaveGarageSettings,
    UpdateGarageVehicle,
)
from repaircore.garage.views import (
    AddedVehiclesView,
    GarageSettingsView,
    LabelsView,
    OdometerReadingView,
    RecordedOdometerView,
    RemovedVehicleView,
    VehicleReportView,
)
from repaircore.health.compliance import ODOMETER_RUNS_BACKWARDS
from repaircore.kernel.errors import Conflict, Invalid, NotFound, Unavailable
from repaircore.schedules.views import ScheduleView
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataPage, DataWithMessage
from repaircore_http.errors import coded
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, read_query, reply
from repaircore_http.paging import PageQuery
from repaircore_http.routes import FormFile, Routes
from repaircore_http.uploads import FORM_OVERHEAD, uploaded_file

MAX_FILE_BYTES: Final = 1024 * 1024
"""The maximum size of a file of vehicles, in bytes."""

_LOOK_UP: Final = (NotFound, Conflict, Unavailable)
_FILE: Final = FormFile(field="file", media_types="text/csv")

garage = Routes("garage", url_prefix="/api/v1/fleet", auth=Auth.SECRET, dialect=coded, tag="garage")


@frozen(kw_only=True)
class ListReadings(PageQuery):
    """The page for the list of odometer readings."""


@garage.post(
    "/vehicles", accepts=AddGarageVehicle, returns=DataWithMessage[LabelsView], status=201, raises=_LOOK_UP
)
def add() -> Response:
    """Add a vehicle by its VIN or its license plate."""
    served, known = core(), caller()
    request = read_body(AddGarageVehicle, validate=served.garage_additions.validate)
    added = served.garage_additions.add(request, known)
    return reply(
        DataWithMessage(message="The vehicle is now in your garage.", data=LabelsView.of(added)), 201
    )


@garage.post(
    "/vehicles/batch", accepts=AddGarageVehicles, returns=Data[AddedVehiclesView], raises=(Conflict,)
)
def add_many() -> Response:
    """Add up to 200 vehicles; one that fails does not affect the others."""
    items = read_body(AddGarageVehicles).vehicles
    return reply(Data(data=AddedVehiclesView.of(core().garage_additions.add_many(items, caller()))))


@garage.post(
    "/vehicles/csv",
    max_bytes=MAX_FILE_BYTES + FORM_OVERHEAD,
    file=_FILE,
    returns=Data[AddedVehiclesView],
    raises=(Conflict,),
)
def add_file() -> Response:
    """Add the vehicles in a CSV file of at most 1 MB; a row that fails does not affect the others."""
    with uploaded_file("file", max_bytes=MAX_FILE_BYTES, too_large=file_too_large) as file:
        lines = file.read().decode("utf-8", "surrogateescape").splitlines(keepends=True)
    return reply(Data(data=AddedVehiclesView.of([*core().garage_additions.add_file(lines, caller())])))


@garage.get("/vehicles/<vehicle>", safe=True, returns=Data[VehicleReportView], raises=(NotFound,))
def show(vehicle: str) -> Response:
    """Show a vehicle by its id or VIN, with its services, costs, health and odometer."""
    return reply(Data(data=VehicleReportView.of(core().garage.get(vehicle, caller()))))


@garage.put(
    "/vehicles/<vehicle>",
    accepts=UpdateGarageVehicle,
    returns=DataWithMessage[LabelsView],
    raises=(NotFound, Conflict),
)
def update(vehicle: str) -> Response:
    """Change the given labels of a vehicle; leave the others unchanged."""
    served = core()
    changes = read_body(UpdateGarageVehicle, validate=served.garage.validate)
    changed = served.garage.update(vehicle, changes, caller())
    return reply(DataWithMessage(message="The vehicle was updated.", data=LabelsView.of(changed)))


@garage.delete("/vehicles/<vehicle>", returns=DataWithMessage[RemovedVehicleView], raises=(NotFound,))
def remove(vehicle: str) -> Response:
    """Remove a vehicle from the garage; its signals and schedules are kept."""
    removed = core().garage.remove(vehicle, caller())
    data = RemovedVehicleView(id=removed.id, vin=removed.vehicle.vin)
    return reply(DataWithMessage(message="The vehicle is no longer in your garage.", data=data))


@garage.get(
    "/vehicles/<vehicle>/odometer",
    safe=True,
    query=ListReadings,
    returns=DataPage[OdometerReadingView],
    raises=(NotFound,),
)
def odometer(vehicle: str) -> Response:
    """List a vehicle's odometer readings, newest first, paginated."""
    query = read_query(ListReadings)
    page = core().garage.odometer(vehicle, caller(), number=query.page, per_page=query.per_page)
    return reply(DataPage.of(page, OdometerReadingView.of))


@garage.post(
    "/vehicles/<vehicle>/odometer",
    accepts=RecordOdometer,
    returns=DataWithMessage[RecordedOdometerView],
    raises=(NotFound,),
)
def record_odometer(vehicle: str) -> Response:
    """Record an odometer reading; one that runs backward is not stored, but reported as a warning."""
    served = core()
    reading = read_body(RecordOdometer, validate=served.garage.validate)
    recorded = served.garage.record_odometer(vehicle, reading, caller())
    message = (
        "The reading was recorded." if recorded else "The odometer would run backward: nothing was stored."
    )
    warnings = [] if recorded else [ODOMETER_RUNS_BACKWARDS]
    return reply(
        DataWithMessage(message=message, data=RecordedOdometerView(recorded=recorded, warnings=warnings))
    )


@garage.post(
    "/vehicles/<vehicle>/services/<service>/done",
    accepts=CompleteService,
    returns=DataWithMessage[ScheduleView],
    raises=(NotFound, Conflict),
)
def complete(vehicle: str, service: str) -> Response:
    """Record that a service was done; a recurring one is due again after its interval."""
    served = core()
    done = read_body(CompleteService, validate=served.garage.validate)
    report = served.garage.complete(vehicle, service, done, caller())
    return reply(DataWithMessage(message="The service was recorded.", data=ScheduleView.of(report)))


@garage.get("/settings", safe=True, returns=Data[GarageSettingsView])
def settings() -> Response:
    """Show the settings of the garage."""
    return reply(Data(data=GarageSettingsView.of(core().garage.settings(caller()))))


@garage.put("/settings", accepts=SaveGarageSettings, returns=DataWithMessage[GarageSettingsView])
def save_settings() -> Response:
    """Save the settings of the garage: where vehicles are priced, and whether reminders are sent by e-mail."""
    served = core()
    request = read_body(SaveGarageSettings, validate=served.garage.validate)
    saved = served.garage.save_settings(request, caller())
    return reply(DataWithMessage(message="The settings were saved.", data=GarageSettingsView.of(saved)))


def file_too_large() -> Invalid:
    """Return the error for a file that is too large."""
    return Invalid({"file": ["The file must be at most 1 MB."]})
