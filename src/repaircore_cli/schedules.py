"""``repaircore schedules``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore.kernel.wording import counted
from repaircore_cli.completion import problem_slugs
from repaircore_cli.options import InTest, Yes, one_of, operator, parse_day
from repaircore_cli.prompts import confirm
from repaircore_cli.repairs import repair
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import none_of, print_left, print_rows

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.kernel.callers import Caller
    from repaircore.kernel.paging import Page
    from repaircore.schedules.service import ScheduleChanged, ScheduleReport


app = commands("Plan services for vehicles, and list which are due.")

_Id = Annotated[
    str, typer.Argument(metavar="ID", help="The id of the schedule, as `schedules list` prints it.")
]
_Owner = Annotated[
    str | None, typer.Option("--email", metavar="EMAIL", help="The owner's e-mail; all owners if omitted.")
]
_Page = Annotated[int, typer.Option("--page", metavar="N", min=1, help="The page.")]
_Limit = Annotated[
    int, typer.Option("--limit", metavar="N", min=1, max=100, help="The maximum number of schedules.")
]


@app.command(epilog="Example: repaircore schedules due --within 14", opening=reading, rows=True)
def due(
    core: "Core",
    *,
    within: Annotated[
        int | None,
        typer.Option("--within", metavar="DAYS", help="Due by date within this many days; 30 if omitted."),
    ] = None,
    email: _Owner = None,
    page: _Page = 1,
    limit: _Limit = 100,
    test: InTest = False,
) -> Output:
    """List the overdue and due services of a fleet, most urgent first."""
    found = core.schedules.due(_caller(core, email, test=test), within=within, number=page, per_page=limit)
    yield from _page(found, none="Nothing is due.")


@app.command(
    "list",
    epilog="Example: repaircore schedules list --status overdue --email ada@example.com",
    opening=reading,
    rows=True,
)
def list_(
    core: "Core",
    *,
    vehicle: Annotated[
        str | None, typer.Option("--vehicle", metavar="VEHICLE", help="The id or VIN of a vehicle.")
    ] = None,
    status: Annotated[
        str | None,
        typer.Option("--status", metavar="STATUS", help="overdue, due, upcoming, completed or cancelled."),
    ] = None,
    email: _Owner = None,
    page: _Page = 1,
    limit: _Limit = 100,
    test: InTest = False,
) -> Output:
    """List schedules, most urgent first."""
    from repaircore.schedules.model import Status

    found = core.schedules.page(
        _caller(core, email, test=test),
        vehicle=vehicle,
        status=one_of(Status, status, "status"),
        number=page,
        per_page=limit,
    )
    yield from _page(found, none=none_of("schedules", vehicle, status, email, page - 1))


@app.command(
    epilog="Example: repaircore schedules show 01890000-0000-7000-8000-000000000001", opening=reading
)
def show(core: "Core", *, schedule_id: _Id, test: InTest = False) -> Output:
    """Show a schedule."""
    yield from _report(core.schedules.get(schedule_id, operator(test=test)))


@app.command(
    epilog="Example: repaircore schedules add 1HGCM82633A004352 'Oil change' --on 2026-12-01 --months 6"
)
def add(
    core: "Core",
    *,
    vehicle: Annotated[str, typer.Argument(metavar="VEHICLE", help="The vehicle's VIN, or its id.")],
    title: Annotated[
        str | None, typer.Argument(metavar="TITLE", help="The service; the name of the repair if omitted.")
    ] = None,
    problem: Annotated[
        str | None,
        typer.Option(
            "--problem",
            metavar="PROBLEM",
            help="The repair of the service: a slug, an id, or words.",
            autocompletion=problem_slugs,
        ),
    ] = None,
    on: Annotated[
        str | None, typer.Option("--on", metavar="DATE", help="Due on this day: 2026-12-01.")
    ] = None,
    at: Annotated[
        int | None, typer.Option("--at", metavar="MILES", help="Due at this odometer reading.")
    ] = None,
    months: Annotated[
        int | None, typer.Option("--months", metavar="N", help="Repeat every N months.")
    ] = None,
    miles: Annotated[int | None, typer.Option("--miles", metavar="N", help="Repeat every N miles.")] = None,
    notes: Annotated[str | None, typer.Option("--notes", metavar="TEXT", help="Notes.")] = None,
    email: Annotated[
        str | None,
        typer.Option(
            "--email", metavar="EMAIL", help="The owner's e-mail; the installation itself if omitted."
        ),
    ] = None,
    test: InTest = False,
) -> Output:
    """Schedule a service for a vehicle: due on a date, at a mileage, or at whichever comes first."""
    from repaircore.schedules.validation import CreateSchedule

    request = CreateSchedule(
        vehicle=vehicle,
        title=title,
        problem_identifier=None if problem is None else repair(core, problem).slug,
        due_on=parse_day(on, "--on"),
        due_mileage=at,
        interval_miles=miles,
        interval_months=months,
        notes=notes,
    )
    yield from _report(core.schedules.create(request, _caller(core, email, test=test)))


@app.command(epilog="Example: repaircore schedules complete ID --on 2026-11-20 --at 61234")
def complete(
    core: "Core",
    *,
    schedule_id: _Id,
    on: Annotated[
        str | None, typer.Option("--on", metavar="DATE", help="The day when it was done; today if omitted.")
    ] = None,
    at: Annotated[
        int | None, typer.Option("--at", metavar="MILES", help="The odometer reading when it was done.")
    ] = None,
    test: InTest = False,
) -> Output:
    """Mark a service as completed; a recurring one is scheduled again."""
    from repaircore.schedules.model import Status
    from repaircore.schedules.validation import UpdateSchedule

    changes = UpdateSchedule(
        status=Status.COMPLETED, completed_on=parse_day(on, "--on"), completed_mileage=at
    )
    yield from _changed(core.schedules.update(schedule_id, changes, operator(test=test)))


@app.command(epilog="Example: repaircore schedules cancel ID --yes")
def cancel(core: "Core", *, schedule_id: _Id, yes: Yes = False, test: InTest = False) -> Output:
    """Cancel a service; it does not recur."""
    from repaircore.schedules.model import Status
    from repaircore.schedules.validation import UpdateSchedule

    caller = operator(test=test)
    schedule = core.schedules.get(schedule_id, caller).schedule
    confirm(f"{schedule.title} for {schedule.vehicle.vin} will be canceled permanently. Continue?", yes=yes)
    yield from _changed(core.schedules.update(schedule_id, UpdateSchedule(status=Status.CANCELLED), caller))


def _caller(core: "Core", email: str | None, *, test: bool) -> "Caller":
    from attrs import evolve

    installation = operator(test=test)
    if email is None:
        return installation
    return evolve(core.accounts.caller_for(email), environment=installation.environment)


def _page(found: "Page[ScheduleReport]", *, none: str) -> Output:
    from repaircore.schedules.views import ScheduleView

    yield [ScheduleView.of(report) for report in found]
    print_rows(
        ("id", "status", "due on", "at miles", "odometer", "vehicle", "VIN", "service"),
        [*map(_row, found)],
        none=none,
    )
    print_left(found)


def _row(report: "ScheduleReport") -> tuple[object, ...]:
    schedule = report.schedule
    return (
        schedule.id,
        report.status,
        schedule.due.on,
        _miles(schedule.due.mileage),
        _miles(report.odometer),
        schedule.vehicle.specs.display_name,
        schedule.vehicle.vin,
        schedule.title,
    )


def _miles(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _report(report: "ScheduleReport") -> Output:
    from repaircore.json_text import plain
    from repaircore.schedules.views import ScheduleView

    view = ScheduleView.of(report)
    yield view
    rows = {
        **plain(view),
        "vehicle": f"{view.vehicle.display_name}, {view.vehicle.vin}",
        "allowed_actions": ", ".join(view.allowed_actions),
    }
    for label, value in rows.items():
        if value not in {None, ""}:
            typer.echo(f"{label.replace('_', ' '):20}{value}")


def _changed(changed: "ScheduleChanged") -> Output:
    from repaircore.schedules.views import ChangedScheduleView

    yield ChangedScheduleView.of(changed.report, changed.following)
    schedule, following = changed.report.schedule, changed.following
    typer.echo(f"{schedule.title} for {schedule.vehicle.vin} is {changed.report.status}.")
    if following is not None:
        again = following.schedule.due
        when = [
            *([] if again.on is None else [f"on {again.on}"]),
            *([] if again.mileage is None else [f"at {counted(again.mileage, 'mile')}"]),
        ]
        typer.echo(f"It is due again {' or '.join(when)}: {following.schedule.id}")
