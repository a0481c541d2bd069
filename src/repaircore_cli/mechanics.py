"""``repaircore mechanics``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.file_imports import DryRun, Errors, File, KeepGood, run_import
from repaircore_cli.options import AsJson, InEnvironment, Yes, environment_named
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands
from repaircore_cli.terminal import print_rows

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.mechanics.model import Mechanic


app = commands("Manage the mechanics that partners book with.")

_Ref = Annotated[str, typer.Argument(metavar="REF", help="The mechanic's reference, from `mechanics list`.")]


@app.command(
    epilog="Example: repaircore mechanics add 'Main Street Garage' --zip 43215"
    " --hours 'mon-fri 08:00-17:00; sat 09:00-12:00' --service 'oil change'"
)
def add(
    core: "Core",
    *,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is called.")],
    zip_code: Annotated[
        str, typer.Option("--zip", metavar="ZIP", help="Its ZIP code: also tells state and time zone.")
    ] = "",
    state: Annotated[
        str, typer.Option("--state", metavar="STATE", help="Its state: CA, or California.")
    ] = "",
    city: Annotated[str, typer.Option("--city", metavar="CITY", help="Its city.")] = "",
    address: Annotated[str, typer.Option("--address", metavar="TEXT", help="Its street and number.")] = "",
    email: Annotated[str, typer.Option("--email", metavar="EMAIL", help="Its e-mail address.")] = "",
    phone: Annotated[str, typer.Option("--phone", metavar="PHONE", help="Its phone number.")] = "",
    time_zone: Annotated[
        str, typer.Option("--time-zone", metavar="ZONE", help="Its time zone, like America/Chicago.")
    ] = "",
    service: Annotated[
        list[str] | None, typer.Option("--service", metavar="NAME", help="What it offers; may be repeated.")
    ] = None,
    hours: Annotated[
        str,
        typer.Option(
            "--hours", metavar="TEXT", help="When it works: 'mon-fri 08:00-17:00; sat 09:00-12:00'."
        ),
    ] = "",
    exceptions: Annotated[
        str,
        typer.Option(
            "--exceptions", metavar="TEXT", help="Other days: '2026-12-24 08:00-12:00; 2026-12-25 closed'."
        ),
    ] = "",
    slot_minutes: Annotated[
        int, typer.Option("--slot-minutes", metavar="N", help="How long an appointment lasts.")
    ] = 60,
    capacity: Annotated[
        int, typer.Option("--capacity", metavar="N", help="How many appointments go on at the same time.")
    ] = 1,
    environment: InEnvironment = "live",
) -> Output:
    """Add a mechanic."""
    mechanic = core.mechanics.add(
        environment_named(environment),
        name=name,
        zip_code=zip_code,
        state=state,
        city=city,
        address=address,
        email=email,
        phone=phone,
        time_zone=time_zone,
        services="; ".join(service or []),
        hours=hours,
        exceptions=exceptions,
        slot_minutes=str(slot_minutes),
        capacity=str(capacity),
    )
    yield from _told(mechanic)


@app.command("list", epilog="Example: repaircore mechanics list --state CA")
def list_(
    core: "Core",
    *,
    state: Annotated[str | None, typer.Option("--state", metavar="STATE", help="Only in this state.")] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=100, help="How many at most.")
    ] = 100,
    environment: InEnvironment = "live",
) -> Output:
    """List mechanics, the older first."""
    page = core.mechanics.page(environment_named(environment), state=state or None, per_page=limit)
    yield [_shown(one) for one in page]
    print_rows(
        ("reference", "name", "city", "state", "hours", "services"),
        [
            (
                one.ref,
                one.profile.name,
                one.profile.city,
                one.profile.state,
                _hours(one),
                ", ".join(one.profile.services),
            )
            for one in page
        ],
    )
    if page.total > limit:
        typer.echo(f"{page.total - limit:,} more: use --state, or `repaircore export mechanics`.", err=True)


@app.command(epilog="Example: repaircore mechanics show mec_06dw9k0q1wfm7cn02p5vvmfwv4")
def show(
    core: "Core",
    *,
    ref: _Ref,
    environment: InEnvironment = "live",
) -> Output:
    """Show a mechanic."""
    mechanic = core.mechanics.find(environment_named(environment), ref)
    yield from _told(mechanic)


@app.command("import", epilog="Example: repaircore mechanics import mechanics.csv --dry-run")
def import_(
    core: "Core",
    *,
    file: File,
    dry_run: DryRun = False,
    errors: Errors = None,
    keep_good: KeepGood = False,
    environment: InEnvironment = "live",
    as_json: AsJson = False,
) -> None:
    """Add mechanics, or change known ones, from a CSV file (the same as `import mechanics`)."""
    run_import(
        core.mechanics.import_file,
        file,
        dry_run=dry_run,
        errors=errors,
        keep_good=keep_good,
        as_json=as_json,
        test=environment_named(environment) == "test",
        updates=True,
    )


@app.command(epilog="Example: repaircore mechanics remove mec_06dw9k0q1wfm7cn02p5vvmfwv4 --yes")
def remove(
    core: "Core",
    *,
    ref: _Ref,
    yes: Yes = False,
    environment: InEnvironment = "live",
) -> Output:
    """Take a mechanic out of the directory, once no appointment is to come."""
    named = environment_named(environment)
    mechanic = core.mechanics.find(named, ref)
    confirm(f"{mechanic.profile.name} can no longer be booked. Go on?", yes=yes)
    core.mechanics.remove(ref, named)
    yield {"ref": ref, "removed": True}
    typer.echo(f"{mechanic.profile.name} is removed.")


def _shown(mechanic: "Mechanic") -> dict[str, object]:
    from repaircore.json_text import plain
    from repaircore.mechanics.profile import told_of
    from repaircore.mechanics.views import MechanicView

    told = told_of(mechanic.profile)
    return {
        **plain(MechanicView.of(mechanic)),
        "hours": told["hours"],
        "exceptions": told["exceptions"],
        "capacity": mechanic.profile.schedule.capacity,
    }


def _hours(mechanic: "Mechanic") -> str:
    from repaircore.kernel.hours import format_weekly

    return format_weekly(mechanic.profile.schedule.weekly)


def _told(mechanic: "Mechanic") -> Output:
    yield _shown(mechanic)
    told, schedule = mechanic.profile, mechanic.profile.schedule
    shown = _shown(mechanic)
    rows = (
        ("Reference", mechanic.ref),
        ("Name", told.name),
        ("Address", ", ".join(filter(None, (told.address, told.city, told.state, told.zip_code)))),
        ("Phone", told.phone),
        ("E-mail", told.email),
        ("Services", ", ".join(told.services)),
        ("Hours", f"{shown['hours'] or 'closed'} ({schedule.time_zone})"),
        ("Other days", shown["exceptions"]),
        ("Slots", f"{schedule.slot_minutes} minutes, {schedule.capacity} at a time"),
        ("Since", f"{mechanic.created_at:%Y-%m-%d}"),
    )
    for label, value in rows:
        if value:
            typer.echo(f"{label:12}{value}")
