"""The visitor's garage: the list of vehicles, each vehicle, and the services and costs of all of them."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Annotated, Any, Final

from attrs import frozen
from flask import Response, request
from flask.typing import ResponseReturnValue

from repaircore.garage.model import VEHICLE_SORTS, ServiceBasis
from repaircore.garage.service import VehicleReport
from repaircore.garage.validation import (
    CompleteService,
    FilterGarage,
    RecordOdometer,
    SaveGarageSettings,
    UpdateGarageVehicle,
)
from repaircore.garage.views import GarageVehicleView, ListedServiceView, ModelCostView, MonthCostView
from repaircore.kernel.engine_names import facts_line
from repaircore.kernel.errors import Invalid
from repaircore.kernel.paging import MOST_PER_PAGE, PageRequest, sort_by
from repaircore.messages.model import Channel
from repaircore.recalls.campaign_years import CampaignCoverage
from repaircore.schedules.due import DueStatus
from repaircore.vehicle_bills.validation import RecordBill
from repaircore_http.console.charts import columns_of
from repaircore_http.console.forms import filled, form, form_if_any
from repaircore_http.console.lists import ListQuery, filters_of, read_list, sort_links
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query_params
from repaircore_http.listing import csv_reply, whole_csv
from repaircore_http.main.garage_tables import models_of, months_of

garage = Pages("garage", auth=Auth.SESSION)

SORTS: Final = {
    "name": "Name",
    "unit_number": "Unit number",
    "next_due_on": "Next service",
    "-cost": "Cost",
    "-cost_per_mile": "Cost per mile",
    "health": "Health",
    "-odometer": "Odometer",
    "-value": "Value",
    "-added_at": "Added",
}
DUE: Final = (("overdue", "Overdue"), ("due", "Due within 30 days"), ("none", "Nothing due"))
STATUSES: Final = {
    DueStatus.OVERDUE: ("Overdue", "bad"),
    DueStatus.DUE: ("Due soon", "warn"),
    DueStatus.UPCOMING: ("Upcoming", ""),
}
BASES: Final = {
    ServiceBasis.SCHEDULE: "you planned it",
    ServiceBasis.HISTORY: "since it was last done",
    ServiceBasis.PLAN: "usual interval, no record yet",
}
WARNINGS: Final = {
    "no_zip_code": "There are no prices. Add a ZIP code to the vehicle, or set one for the garage under Settings.",
    "no_odometer": "The odometer has no readings yet, so average mileage is assumed. Add a reading for better dates.",
    "outside_book": "The repair book does not cover this vehicle. Its costs are a rough guess.",
    "vin_check_digit": "This VIN may have a typo. Compare it with the one on the vehicle.",
}
_FILTERS: Final = ("search", "department", "make", "model", "due", "recalls", "health_below")


@frozen(kw_only=True)
class ListVehicles(ListQuery, FilterGarage):
    """Filters, sort order and page for the list of vehicles."""

    sort: Annotated[str, sort_by(*VEHICLE_SORTS)] = ""


@frozen(kw_only=True)
class ShowSums(ListQuery, FilterGarage):
    """Filters for the vehicles to add up, and the sort order and page for their due services."""

    sort: Annotated[str, sort_by("due_on")] = ""


def unfiltered() -> ResponseReturnValue:
    """List all vehicles if the filter is invalid; the field keeps what was typed."""
    return _list(ListVehicles(), read_query_params(ListVehicles), query={})


@garage.get("/garage", again=unfiltered)
def index() -> ResponseReturnValue:
    """List the vehicles that the filters select."""
    wanted, query = read_list(ListVehicles)
    return _list(wanted, query, query=query)


@garage.get("/garage.csv")
def vehicles_csv() -> Response:
    """Download the vehicles that the filters select, as CSV."""
    wanted, _ = read_list(ListVehicles)
    stored, known = core().garage, caller()
    return csv_reply(
        wanted.sort,
        lambda request: stored.page(wanted, known, request=request),
        GarageVehicleView,
        GarageVehicleView.of,
        name="vehicles",
    )


def _list(wanted: ListVehicles, typed: Mapping[str, Any], *, query: Mapping[str, Any]) -> str:
    stored, known = core().garage, caller()
    page = stored.page(wanted, known, request=wanted.request())
    return show(
        "garage/list.html",
        page=page,
        departments=stored.departments(known),
        makes=stored.makes(known),
        sorts=sort_links(SORTS, wanted.sort, usual="name"),
        due_filters=DUE,
        fields=filters_of(_FILTERS, typed),
        query=query,
    )


@garage.get("/garage/sums")
def sums() -> ResponseReturnValue:
    """Add up the services and costs of the vehicles that the filters select."""
    wanted, query = read_list(ShowSums)
    stored, known = core().garage, caller()
    found = stored.sums(wanted, known)
    due_by = _month_end(found.today)
    return show(
        "garage/sums.html",
        sums=found,
        due=stored.services(wanted, known, due_by=due_by, request=wanted.request()),
        due_by=due_by,
        today=found.today,
        departments=stored.departments(known),
        columns=columns_of([month.cost.mean for month in found.months]),
        fields=filters_of(_FILTERS, query),
        query=query,
    )


@garage.get("/garage/services.csv")
def services_csv() -> Response:
    """Download the services that are due by the end of the month, as CSV."""
    wanted, _ = read_list(ShowSums)
    stored, known = core().garage, caller()
    today = stored.today()
    return csv_reply(
        wanted.sort,
        lambda request: stored.services(wanted, known, due_by=_month_end(today), request=request),
        ListedServiceView,
        lambda service: ListedServiceView.of(service, today),
        name="services",
    )


@garage.get("/garage/months.csv")
def months_csv() -> Response:
    """Download what each coming month will cost, as CSV."""
    wanted, _ = read_list(ShowSums)
    return whole_csv(months_of(core().garage.sums(wanted, caller())), MonthCostView, name="months")


@garage.get("/garage/models.csv")
def models_csv() -> Response:
    """Download what each model costs, as CSV."""
    wanted, _ = read_list(ShowSums)
    return whole_csv(models_of(core().garage.sums(wanted, caller())), ModelCostView, name="models")


@garage.get("/garage/settings")
def settings() -> ResponseReturnValue:
    """Show the settings of the garage."""
    served = core()
    return show(
        "garage/settings.html",
        settings=served.garage.settings(caller()),
        can_mail=Channel.EMAIL in served.messages.channels,
    )


@garage.post("/garage/settings", again=settings)
def save_settings() -> Response:
    """Save the settings of the garage."""
    served = core()
    served.garage.save_settings(filled(SaveGarageSettings, validate=served.garage.validate), caller())
    return go("garage.settings", done="garage-settings-saved")


# One vehicle


@garage.get("/garage/vehicles/<vehicle>")
def detail(vehicle: str) -> ResponseReturnValue:
    """Show a vehicle with its services and costs, and the forms that change it."""
    return _show_vehicle(core().garage.get(vehicle, caller()))


@garage.post("/garage/vehicles/<vehicle>", again=detail)
def update(vehicle: str) -> Response:
    """Change the labels of a vehicle; an empty field removes its label."""
    served = core()
    labels = filled(UpdateGarageVehicle, validate=served.garage.validate)
    served.garage.update(vehicle, _with_empty(labels), caller())
    return go("garage.detail", vehicle=vehicle, done="vehicle-changed")


@garage.post("/garage/vehicles/<vehicle>/odometer", again=detail)
def record_odometer(vehicle: str) -> Response:
    """Record an odometer reading."""
    served = core()
    reading = filled(RecordOdometer, validate=served.garage.validate, numbers=("miles",))
    if not served.garage.record_odometer(vehicle, reading, caller()):
        raise Invalid(
            {"miles": ["The odometer would run backward. Check the number, and the newest reading below."]}
        )
    return go("garage.detail", vehicle=vehicle, done="odometer-recorded")


@garage.post("/garage/vehicles/<vehicle>/done", again=detail)
def complete(vehicle: str) -> Response:
    """Record that a service was done."""
    served = core()
    done = filled(CompleteService, validate=served.garage.validate, numbers=("miles",))
    served.garage.complete(vehicle, form().text("service"), done, caller())
    return go("garage.detail", vehicle=vehicle, done="service-done")


@garage.post("/garage/vehicles/<vehicle>/bills", again=detail)
def record_bill(vehicle: str) -> Response:
    """Record a bill that was paid for the vehicle."""
    served = core().vehicle_bills
    bill = filled(RecordBill, validate=served.validate, numbers=("total", "mileage"))
    served.record(vehicle, bill, caller())
    return go("garage.detail", vehicle=vehicle, done="bill-recorded")


@garage.post("/garage/vehicles/<vehicle>/bills/remove", again=detail)
def remove_bill(vehicle: str) -> Response:
    """Delete a bill."""
    core().vehicle_bills.remove(vehicle, form().text("bill"), caller())
    return go("garage.detail", vehicle=vehicle, done="bill-deleted")


@garage.post("/garage/vehicles/<vehicle>/remove", again=detail)
def remove(vehicle: str) -> Response:
    """Remove a vehicle from the garage."""
    core().garage.remove(vehicle, caller())
    return go("garage.index", done="vehicle-removed")


@garage.get("/garage/vehicles/<vehicle>/odometer")
@garage.get("/garage/vehicles/<vehicle>/done")
@garage.get("/garage/vehicles/<vehicle>/remove")
@garage.get("/garage/vehicles/<vehicle>/bills")
@garage.get("/garage/vehicles/<vehicle>/bills/remove")
def after_a_form(vehicle: str) -> Response:
    """Redirect to the vehicle when a browser opens this POST address with GET."""
    return go("garage.detail", vehicle=vehicle)


def _show_vehicle(report: VehicleReport) -> str:
    listed = report.listed
    bills = core().vehicle_bills.page(str(listed.id), PageRequest(per_page=MOST_PER_PAGE), caller())
    recalls = report.health.listed
    return show(
        "garage/detail.html",
        report=report,
        listed=listed,
        bills=bills,
        today=report.today,
        facts=facts_line(report.vehicle.vehicle.specs.facts),
        recalls=() if recalls is None else recalls.open_recalls,
        is_covered=listed.recall_coverage is CampaignCoverage.FULL,
        columns=columns_of([month.cost.mean for month in report.months]),
        warnings=[WARNINGS[warning.value] for warning in listed.warnings],
        statuses=STATUSES,
        bases=BASES,
        sent_to=request.path.rpartition("/")[2] if form_if_any() is not None else "",
    )


def _with_empty(changes: UpdateGarageVehicle) -> UpdateGarageVehicle:
    """Return the changes with None for each field that was sent empty, which clears it."""
    names = ("unit_number", "nickname", "department", "zip_code", "in_service_on")
    sent: dict[str, Any] = {
        name: getattr(changes, name) if form().text(name).strip() else None
        for name in names
        if name in form().texts
    }
    return UpdateGarageVehicle(**sent, version=changes.version)


def _month_end(today: date) -> date:
    later = today.replace(day=28) + timedelta(days=4)
    return later - timedelta(days=later.day)
