"""``repaircore garage``."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from repaircore.kernel.wording import counted
from repaircore_cli import garage_bills
from repaircore_cli.bar import bar
from repaircore_cli.garage_options import Day, Owner, Vehicle, caller_of
from repaircore_cli.options import InTest, Limit, PageNumber, Yes, one_of, parse_day
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import in_dollars, none_of, print_left, print_rows, print_text

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.garage.model import ListedService, ListedVehicle
    from repaircore.kernel.money import PriceRange
    from repaircore.kernel.paging import Page, PageRequest

T = TypeVar("T")

app = commands("Manage the vehicles of an account: services, costs, reminders.")

_Unit = Annotated[str | None, typer.Option("--unit", metavar="NUMBER", help="The unit number.")]
_Nickname = Annotated[str | None, typer.Option("--nickname", metavar="NAME", help="The nickname.")]
_Department = Annotated[str | None, typer.Option("--department", metavar="NAME", help="The department.")]
_Zip = Annotated[str | None, typer.Option("--zip", metavar="ZIP", help="The ZIP code where it is serviced.")]
_Csv = Annotated[bool, typer.Option("--csv", help="Print everything as CSV.")]
_Search = Annotated[
    str | None,
    typer.Option("--search", metavar="TEXT", help="Words in VINs, names, unit numbers or departments."),
]


@app.command(
    epilog="Example: repaircore garage add 1HGCM82633A004352 --zip 60601 --odometer 148000 --unit 12"
)
def add(
    core: "Core",
    *,
    vin: Annotated[str, typer.Argument(metavar="VIN", help="The VIN; with --state, the license plate.")],
    state: Annotated[
        str | None, typer.Option("--state", metavar="STATE", help="The state of the plate.")
    ] = None,
    unit: _Unit = None,
    nickname: _Nickname = None,
    department: _Department = None,
    zip_code: _Zip = None,
    odometer: Annotated[
        int | None, typer.Option("--odometer", metavar="MILES", help="What the odometer shows today.")
    ] = None,
    in_service: Annotated[
        str | None, typer.Option("--in-service", metavar="DATE", help="The day it was put into service.")
    ] = None,
    email: Owner = None,
    test: InTest = False,
) -> Output:
    """Add a vehicle by its VIN, or by its license plate and state."""
    from repaircore.garage.validation import AddGarageVehicle
    from repaircore.garage.views import LabelsView

    added = core.garage_additions.add(
        AddGarageVehicle(
            vin=None if state else vin,
            plate=vin if state else None,
            state=state,
            unit_number=unit,
            nickname=nickname,
            department=department,
            zip_code=zip_code,
            odometer=odometer,
            in_service_on=parse_day(in_service, "--in-service"),
        ),
        caller_of(core, email, test=test),
    )
    yield LabelsView.of(added)
    print_text(f"{added.vehicle.specs.display_name} ({added.vehicle.vin}) is in the garage.")


@app.command(
    "import", epilog="Example: repaircore garage import vehicles.csv --email ada@example.com", rows=True
)
def import_(
    core: "Core",
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A CSV file with a vin column.")],
    email: Owner = None,
    test: InTest = False,
) -> Output:
    """Add the vehicles in a CSV file; a row that fails does not affect the others."""
    from repaircore.garage.views import AddedVehiclesView

    caller = caller_of(core, email, test=test)
    with (
        file.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as lines,
        bar("Adding") as report,
    ):
        results = [*core.garage_additions.add_file(lines, caller, lambda done: report(done, None))]
    view = AddedVehiclesView.of(results)
    yield view
    failed = [(result.line, failure.message) for result in results if (failure := result.failure) is not None]
    if failed:
        print_rows(("line", "why it was not added"), failed)
    typer.echo(f"Added {view.added:,} of {counted(len(results), 'vehicle')}.", err=bool(failed))


@app.command(
    "list", epilog="Example: repaircore garage list --due overdue --sort=-cost", opening=reading, rows=True
)
def list_(
    core: "Core",
    *,
    search: _Search = None,
    department: _Department = None,
    make: Annotated[str | None, typer.Option("--make", metavar="MAKE", help="The make.")] = None,
    due: Annotated[
        str | None, typer.Option("--due", metavar="WHICH", help="overdue, due (or overdue), or none.")
    ] = None,
    health_below: Annotated[
        float | None,
        typer.Option(
            "--health-below", metavar="SCORE", help="Only with a health score below this, 0 to 100."
        ),
    ] = None,
    sort: Annotated[
        str,
        typer.Option(
            "--sort",
            metavar="ORDER",
            help="name, unit_number, next_due_on, health, -cost, -cost_per_mile, …; a leading - sorts in descending order.",
        ),
    ] = "",
    page: PageNumber = 1,
    limit: Limit = 15,
    csv: _Csv = False,
    email: Owner = None,
    test: InTest = False,
) -> Output:
    """List the vehicles with their services and costs."""
    from repaircore.garage.model import DueFilter
    from repaircore.garage.validation import FilterGarage
    from repaircore.garage.views import GarageVehicleView
    from repaircore.kernel.paging import PageRequest

    wanted = FilterGarage(
        search=search,
        department=department,
        make=make,
        due=one_of(DueFilter, due, "due"),
        health_below=health_below,
    )
    caller = caller_of(core, email, test=test)

    def fetch(request: "PageRequest") -> "Page[ListedVehicle]":
        return core.garage.page(wanted, caller, request=request)

    found = _whole(fetch, sort) if csv else fetch(PageRequest(number=page, per_page=limit, sort=sort))
    views = [*map(GarageVehicleView.of, found)]
    yield views
    if csv:
        _print_csv(GarageVehicleView, views)
        return
    heads = ("unit", "vehicle", "VIN", "odometer", "overdue", "due", "next", "health", "a year ($)", "a mile")
    print_rows(
        heads,
        [*map(_row, found)],
        none=none_of("vehicles in the garage", search, department, make, due, health_below, page - 1),
    )
    print_left(found)


@app.command(epilog="Example: repaircore garage show 1HGCM82633A004352", opening=reading, rows=True)
def show(core: "Core", *, vehicle: Vehicle, email: Owner = None, test: InTest = False) -> Output:
    """Show a vehicle with its services and costs."""
    from repaircore.garage.model import status_on
    from repaircore.garage.views import VehicleReportView

    report = core.garage.get(vehicle, caller_of(core, email, test=test))
    yield VehicleReportView.of(report)
    listed = report.listed
    cost = "no price: it has no ZIP code" if listed.cost is None else f"{_span(listed.cost.range())} a year"
    print_text(f"{listed.display_name}, {listed.vin}: {cost}")
    rows = [
        (
            service.title,
            status_on(service.due_on, report.today).value,
            service.due_on,
            "" if service.due_mileage is None else f"{service.due_mileage:,}",
            "" if service.price is None else in_dollars(service.price.average),
            service.name,
        )
        for service in report.services
    ]
    print_rows(
        ("service", "status", "due on", "at miles", "price ($)", "name"), rows, none="No services planned."
    )


@app.command(epilog="Example: repaircore garage edit 1HGCM82633A004352 --department Sales")
def edit(
    core: "Core",
    *,
    vehicle: Vehicle,
    unit: _Unit = None,
    nickname: _Nickname = None,
    department: _Department = None,
    zip_code: _Zip = None,
    email: Owner = None,
    test: InTest = False,
) -> Output:
    """Change a vehicle's labels; an empty value ('') removes a label."""
    from repaircore.garage.validation import UpdateGarageVehicle
    from repaircore.garage.views import LabelsView

    given = {"unit_number": unit, "nickname": nickname, "department": department, "zip_code": zip_code}
    labels: dict[str, Any] = {name: text.strip() or None for name, text in given.items() if text is not None}
    changes = UpdateGarageVehicle(**labels)
    changed = core.garage.update(vehicle, changes, caller_of(core, email, test=test))
    yield LabelsView.of(changed)
    print_text("The vehicle is updated.")


@app.command(epilog="Example: repaircore garage remove 1HGCM82633A004352 --yes")
def remove(
    core: "Core", *, vehicle: Vehicle, yes: Yes = False, email: Owner = None, test: InTest = False
) -> Output:
    """Remove a vehicle from the garage; its odometer log and schedules are kept."""
    from repaircore.garage.views import RemovedVehicleView

    caller = caller_of(core, email, test=test)
    found = core.garage.get(vehicle, caller).listed
    confirm(f"Remove {found.display_name} ({found.vin})?", yes=yes)
    removed = core.garage.remove(vehicle, caller)
    yield RemovedVehicleView(id=removed.id, vin=removed.vehicle.vin)
    print_text("The vehicle is no longer in the garage.")


@app.command(epilog="Example: repaircore garage odometer 1HGCM82633A004352 151200")
def odometer(
    core: "Core",
    *,
    vehicle: Vehicle,
    miles: Annotated[int, typer.Argument(metavar="MILES", help="What the odometer shows.")],
    on: Day = None,
    email: Owner = None,
    test: InTest = False,
) -> Output:
    """Record an odometer reading."""
    from repaircore.garage.validation import RecordOdometer
    from repaircore.garage.views import RecordedOdometerView
    from repaircore.health.compliance import ODOMETER_RUNS_BACKWARDS

    reading = RecordOdometer(miles=miles, on=parse_day(on, "--on"))
    recorded = core.garage.record_odometer(vehicle, reading, caller_of(core, email, test=test))
    yield RecordedOdometerView(recorded=recorded, warnings=[] if recorded else [ODOMETER_RUNS_BACKWARDS])
    if not recorded:
        typer.echo("The odometer would run backward: nothing was stored.", err=True)
        raise typer.Exit(1)
    print_text("The reading is recorded.")


@app.command(epilog="Example: repaircore garage done 1HGCM82633A004352 tire-rotation --miles 151200")
def done(
    core: "Core",
    *,
    vehicle: Vehicle,
    service: Annotated[str, typer.Argument(metavar="SERVICE", help="Its name, as `garage show` prints it.")],
    on: Day = None,
    miles: Annotated[
        int | None, typer.Option("--miles", metavar="MILES", help="The odometer reading.")
    ] = None,
    email: Owner = None,
    test: InTest = False,
) -> Output:
    """Record that a service was done; a recurring one is due again after its interval."""
    from repaircore.garage.validation import CompleteService
    from repaircore.schedules.views import ScheduleView

    completed = CompleteService(on=parse_day(on, "--on"), miles=miles)
    report = core.garage.complete(vehicle, service, completed, caller_of(core, email, test=test))
    yield ScheduleView.of(report)
    print_text("The service is recorded.")


@app.command(epilog="Example: repaircore garage due --email ada@example.com", opening=reading, rows=True)
def due(
    core: "Core",
    *,
    by: Annotated[
        str | None, typer.Option("--by", metavar="DATE", help="Due by this day; within 30 days if omitted.")
    ] = None,
    page: PageNumber = 1,
    limit: Limit = 15,
    csv: _Csv = False,
    email: Owner = None,
    test: InTest = False,
) -> Output:
    """List the due services of all vehicles, most urgent first."""
    from repaircore.garage.validation import FilterGarage
    from repaircore.garage.views import ListedServiceView
    from repaircore.kernel.paging import PageRequest

    day, caller, today = parse_day(by, "--by"), caller_of(core, email, test=test), core.garage.today()

    def fetch(request: "PageRequest") -> "Page[ListedService]":
        return core.garage.services(FilterGarage(), caller, due_by=day, request=request)

    found = _whole(fetch) if csv else fetch(PageRequest(number=page, per_page=limit))
    views = [ListedServiceView.of(service, today) for service in found]
    yield views
    if csv:
        _print_csv(ListedServiceView, views)
        return
    rows = [
        (view.unit_number or "", view.display_name, view.title, view.status.value, view.due_on, view.vin)
        for view in views
    ]
    print_rows(("unit", "vehicle", "service", "status", "due", "VIN"), rows, none="Nothing is due.")
    print_left(found)


@app.command(epilog="Example: repaircore garage sums --department Sales", opening=reading, rows=True)
def sums(
    core: "Core", *, department: _Department = None, email: Owner = None, test: InTest = False
) -> Output:
    """Add up the services and costs of the vehicles."""
    from repaircore.garage.validation import FilterGarage
    from repaircore.garage.views import FleetSumsView

    found = core.garage.sums(FilterGarage(department=department), caller_of(core, email, test=test))
    yield FleetSumsView.of(found)
    counts = found.counts
    print_text(
        f"{counted(counts.vehicles, 'vehicle')}, {counts.overdue:,} with overdue services, {counts.priced:,} priced."
    )
    print_text(f"The next twelve months: {_span(found.year.range())}.")
    rows = [(month.month, month.services, _span(month.cost.range())) for month in found.months]
    print_rows(("month", "services", "cost"), rows, none="No costs yet.")
    models = [
        (
            f"{model.make} {model.model}",
            model.vehicles,
            _span(model.cost.range()),
            "" if model.cost_per_mile is None else f"{model.cost_per_mile:.1f}¢",
        )
        for model in found.models
    ]
    print_rows(("model", "vehicles", "a year", "a mile"), models, none="No models yet.")


@app.command(epilog="Example: repaircore garage settings --email ada@example.com --zip 60601 --mail")
def settings(
    core: "Core",
    *,
    zip_code: _Zip = None,
    mail: Annotated[
        bool | None, typer.Option("--mail/--no-mail", help="E-mail reminders of due services.")
    ] = None,
    email: Owner = None,
    test: InTest = False,
) -> Output:
    """Show or change the settings of a garage."""
    from repaircore.garage.validation import SaveGarageSettings
    from repaircore.garage.views import GarageSettingsView

    caller = caller_of(core, email, test=test)
    found = core.garage.settings(caller)
    if zip_code is not None or mail is not None:
        found = core.garage.save_settings(
            SaveGarageSettings(
                zip_code=found.zip_code if zip_code is None else zip_code.strip() or None,
                mail_reminders=found.mail_reminders if mail is None else mail,
            ),
            caller,
        )
    yield GarageSettingsView.of(found)
    typer.echo(f"ZIP code: {found.zip_code or 'none'}")
    typer.echo(f"Reminders by e-mail: {'on' if found.mail_reminders else 'off'}")


app.command(epilog="Example: repaircore garage bill 1HGCM82633A004352 412.50 --repair brake-pads-front")(
    garage_bills.bill
)
app.command(epilog="Example: repaircore garage bills 1HGCM82633A004352", opening=reading, rows=True)(
    garage_bills.bills
)
app.command(epilog="Example: repaircore garage remove-bill 1HGCM82633A004352 BILL")(garage_bills.remove_bill)


def _whole(fetch: "Callable[[PageRequest], Page[T]]", sort: str = "") -> "Page[T]":
    from repaircore.kernel.paging import Page, every_page

    items = tuple(item for page in every_page(fetch, sort) for item in page)
    return Page(items=items, number=1, per_page=max(1, len(items)), total=len(items))


def _row(vehicle: "ListedVehicle") -> tuple[object, ...]:
    return (
        vehicle.labels.unit_number or "",
        vehicle.labels.nickname or vehicle.display_name,
        vehicle.vin,
        "" if vehicle.odometer is None else f"{vehicle.odometer:,}",
        vehicle.overdue or "",
        vehicle.due or "",
        "" if vehicle.next_due_on is None else f"{vehicle.next_service}, {vehicle.next_due_on}",
        "" if vehicle.health is None else f"{vehicle.health:.0f} {vehicle.grade}",
        "" if vehicle.cost is None else in_dollars(vehicle.cost.range().average),
        "" if vehicle.cost_per_mile is None else f"{vehicle.cost_per_mile:.1f}¢",
    )


def _span(found: "PriceRange") -> str:
    from repaircore.kernel.wording import money

    low, average, high = (money(amount) for amount in (found.low, found.average, found.high))
    return f"{average} ({low} to {high})"


def _print_csv(shape: type[object], views: Iterable[object]) -> None:
    from repaircore.csv_rows import csv_lines

    for line in csv_lines(shape, views):
        typer.echo(line.removesuffix("\r\n"))
