"""``repaircore schedules``."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore_cli.options import InTest, Yes, one_of, operator
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands
from repaircore_cli.terminal import print_left, print_rows

if TYPE_CHECKING:
    from datetime import date

    from repaircore.core import Core
    from repaircore.kernel.callers import Caller
    from repaircore.kernel.paging import Page
    from repaircore.schedules.service import ScheduleChanged, ScheduleReport
    from repaircore.schedules.validation import ScheduleChange


app = commands("Plan services of vehicles, and see which are due.")

_Id = Annotated[str, typer.Argument(metavar="ID", help="The schedule's id, as a list tells it.")]
_Owner = Annotated[
    str | None, typer.Option("--email", metavar="EMAIL", help="Whose; everybody's when it is not told.")
]
_Page = Annotated[int, typer.Option("--page", metavar="N", min=1, help="Which page.")]
_Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=100, help="How many at most.")]


@app.command(epilog="Example: repaircore schedules due --within 14")
def due(
    core: "Core",
    *,
    within: Annotated[
        int | None,
        typer.Option("--within", metavar="DAYS", help="Due by date in so many days; 30 when it is not told."),
    ] = None,
    email: _Owner = None,
    page: _Page = 1,
    limit: _Limit = 100,
    test: InTest = False,
) -> Output:
    """List what is overdue or due over a whole fleet, the most urgent first."""
    found = core.schedules.due(_caller(core, email, test=test), within=within, number=page, per_page=limit)
    yield from _listed(found)
    if not found.total:
        typer.echo("Nothing is due.", err=True)


@app.command("list", epilog="Example: repaircore schedules list --status overdue --email ada@example.com")
def list_(
    core: "Core",
    *,
    vehicle: Annotated[
        str | None, typer.Option("--vehicle", metavar="VEHICLE", help="Of the vehicle with this id or VIN.")
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
    """List schedules, the most urgent first."""
    from repaircore.schedules.model import Status

    found = core.schedules.page(
        _caller(core, email, test=test),
        vehicle=vehicle,
        status=one_of(Status, status, "status"),
        number=page,
        per_page=limit,
    )
    yield from _listed(found)


@app.command(epilog="Example: repaircore schedules show 01890000-0000-7000-8000-000000000001")
def show(
    core: "Core",
    *,
    schedule_id: _Id,
    test: InTest = False,
) -> Output:
    """Show a schedule."""
    found = core.schedules.show(schedule_id, operator(test=test))
    yield from _told(found)


@app.command(
    epilog="Example: repaircore schedules add 1HGCM82633A004352 'Oil change' --on 2026-12-01 --months 6"
)
def add(
    core: "Core",
    *,
    vehicle: Annotated[str, typer.Argument(metavar="VEHICLE", help="The vehicle's VIN, or its id.")],
    title: Annotated[
        str | None,
        typer.Argument(metavar="TITLE", help="What is to be done; the repair's name when it is not told."),
    ] = None,
    problem: Annotated[
        str | None, typer.Option("--problem", metavar="PROBLEM", help="The repair that it is: id or slug.")
    ] = None,
    on: Annotated[
        str | None, typer.Option("--on", metavar="DATE", help="Due on this day: 2026-12-01.")
    ] = None,
    at: Annotated[int | None, typer.Option("--at", metavar="MILES", help="Due at these miles.")] = None,
    months: Annotated[
        int | None, typer.Option("--months", metavar="N", help="It returns after so many months.")
    ] = None,
    miles: Annotated[
        int | None, typer.Option("--miles", metavar="N", help="It returns after so many miles.")
    ] = None,
    notes: Annotated[str | None, typer.Option("--notes", metavar="TEXT", help="Notes.")] = None,
    email: Annotated[
        str | None,
        typer.Option("--email", metavar="EMAIL", help="Whose; the installation's own when it is not told."),
    ] = None,
    test: InTest = False,
) -> Output:
    """Plan a service for a vehicle: by a date, by miles, or by whichever comes first."""
    from repaircore.schedules.validation import NewSchedule

    told = NewSchedule(
        vehicle=vehicle,
        title=title,
        problem_identifier=problem,
        due_on=_day("on", on),
        due_mileage=at,
        interval_miles=miles,
        interval_months=months,
        notes=notes,
    )
    made = core.schedules.create(told, _caller(core, email, test=test))
    yield from _told(made)


@app.command(epilog="Example: repaircore schedules complete ID --on 2026-11-20 --at 61234")
def complete(
    core: "Core",
    *,
    schedule_id: _Id,
    on: Annotated[
        str | None, typer.Option("--on", metavar="DATE", help="When it was done; today when it is not told.")
    ] = None,
    at: Annotated[
        int | None, typer.Option("--at", metavar="MILES", help="At which odometer reading it was done.")
    ] = None,
    test: InTest = False,
) -> Output:
    """Say that a service was done; one that returns is planned anew."""
    from repaircore.schedules.model import Status

    told: ScheduleChange = {
        "status": Status.COMPLETED,
        "completed_on": _day("on", on),
        "completed_mileage": at,
    }
    changed = core.schedules.change(schedule_id, told, operator(test=test))
    yield from _changed(changed)


@app.command(epilog="Example: repaircore schedules cancel ID --yes")
def cancel(
    core: "Core",
    *,
    schedule_id: _Id,
    yes: Yes = False,
    test: InTest = False,
) -> Output:
    """Say that a service will not be done; it does not return either."""
    from repaircore.schedules.model import Status

    caller = operator(test=test)
    found = core.schedules.show(schedule_id, caller).schedule
    confirm(f"{found.title} of {found.vehicle.vin} is cancelled for good. Go on?", yes=yes)
    changed = core.schedules.change(schedule_id, {"status": Status.CANCELLED}, caller)
    yield from _changed(changed)


def _caller(core: "Core", email: str | None, *, test: bool) -> "Caller":
    from attrs import evolve

    whole = operator(test=test)
    if email is None:
        return whole
    return evolve(core.accounts.caller_for(email), environment=whole.environment)


def _day(option: str, text: str | None) -> "date | None":
    from datetime import date

    from repaircore.kernel.errors import Invalid

    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Invalid({option: [f"This is not a date such as 2026-01-31: {text}"]}) from None


def _listed(found: "Page[ScheduleReport]") -> Output:
    from repaircore.schedules.views import schedule_shape

    yield [schedule_shape(one) for one in found]
    print_rows(
        ("id", "status", "due on", "due at", "odometer", "vehicle", "vin", "service"), [*map(_row, found)]
    )
    print_left(found)


def _row(report: "ScheduleReport") -> tuple[object, ...]:
    one = report.schedule
    return (
        one.id,
        report.status,
        one.due.on,
        _miles(one.due.mileage),
        _miles(report.odometer),
        one.vehicle.specs.display_name,
        one.vehicle.vin,
        one.title,
    )


def _miles(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _told(report: "ScheduleReport") -> Output:
    from repaircore.schedules.views import schedule_shape

    shape = schedule_shape(report)
    yield shape
    shape["vehicle"] = f"{report.schedule.vehicle.specs.display_name}, {report.schedule.vehicle.vin}"
    shape["allowed_actions"] = ", ".join(shape["allowed_actions"])
    _lines(shape)


def _changed(changed: "ScheduleChanged") -> Output:
    from repaircore.schedules.views import change_shape

    yield change_shape(changed)
    one, following = changed.report.schedule, changed.following
    typer.echo(f"{one.title} of {one.vehicle.vin} is {changed.report.status}.")
    if following is not None:
        again = following.schedule.due
        when = [
            *([] if again.on is None else [f"on {again.on}"]),
            *([] if again.mileage is None else [f"at {again.mileage:,} miles"]),
        ]
        typer.echo(f"It is due again {' or '.join(when)}: {following.schedule.id}")


def _lines(shape: dict[str, Any]) -> None:
    for label, value in shape.items():
        if value not in {None, ""}:
            typer.echo(f"{label.replace('_', ' '):20}{value}")
