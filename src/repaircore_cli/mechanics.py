"""``repaircore mechanics``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore.kernel.wording import counted
from repaircore_cli.file_imports import Run, import_command
from repaircore_cli.options import InEnvironment, Limit, Yes, environment_named
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import none_of, print_rows

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.mechanics.model import Mechanic
    from repaircore.mechanics.views import MechanicInFullView


app = commands("Manage the mechanics that partners book with.")

_Ref = Annotated[str, typer.Argument(metavar="REF", help="The mechanic's reference, from `mechanics list`.")]


@app.command(
    epilog="Example: repaircore mechanics add 'Main Street Garage' --zip 43215"
    " --hours 'mon-fri 08:00-17:00; sat 09:00-12:00' --service 'oil change'"
)
def add(
    core: "Core",
    *,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the mechanic.")],
    zip_code: Annotated[
        str, typer.Option("--zip", metavar="ZIP", help="ZIP code; supplies state and time zone too.")
    ] = "",
    state: Annotated[str, typer.Option("--state", metavar="STATE", help="State: CA, or California.")] = "",
    city: Annotated[str, typer.Option("--city", metavar="CITY", help="City.")] = "",
    address: Annotated[str, typer.Option("--address", metavar="TEXT", help="Street and number.")] = "",
    email: Annotated[str, typer.Option("--email", metavar="EMAIL", help="E-mail address.")] = "",
    phone: Annotated[str, typer.Option("--phone", metavar="PHONE", help="Phone number.")] = "",
    time_zone: Annotated[
        str, typer.Option("--time-zone", metavar="ZONE", help="Time zone, such as America/Chicago.")
    ] = "",
    service: Annotated[
        list[str] | None,
        typer.Option(
            "--service",
            metavar="TEXT",
            help="A service that it offers: 'brakes', or 'brakes (90 min, $189.50)'; may be repeated.",
        ),
    ] = None,
    language: Annotated[
        list[str] | None,
        typer.Option(
            "--language",
            metavar="NAME",
            help="A language that is spoken there: Spanish, or es; may be repeated.",
        ),
    ] = None,
    hours: Annotated[
        str,
        typer.Option(
            "--hours", metavar="TEXT", help="Working hours: 'mon-fri 08:00-17:00; sat 09:00-12:00'."
        ),
    ] = "",
    exceptions: Annotated[
        str,
        typer.Option(
            "--exceptions",
            metavar="TEXT",
            help="Dates with other hours: '2026-12-24 08:00-12:00; 2026-12-25 closed'.",
        ),
    ] = "",
    slot_minutes: Annotated[
        int, typer.Option("--slot-minutes", metavar="N", help="Length of an appointment in minutes.")
    ] = 60,
    capacity: Annotated[
        int, typer.Option("--capacity", metavar="N", help="How many appointments may overlap.")
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
        languages="; ".join(language or []),
        hours=hours,
        exceptions=exceptions,
        slot_minutes=str(slot_minutes),
        capacity=str(capacity),
    )
    yield from _show(mechanic)


@app.command("list", epilog="Example: repaircore mechanics list --state CA", opening=reading, rows=True)
def list_(
    core: "Core",
    *,
    state: Annotated[str | None, typer.Option("--state", metavar="STATE", help="Only in this state.")] = None,
    limit: Limit = 100,
    environment: InEnvironment = "live",
) -> Output:
    """List mechanics, oldest first."""
    page = core.mechanics.list_page(environment_named(environment), state=state or None, per_page=limit)
    yield [_view(mechanic) for mechanic in page]
    print_rows(
        ("reference", "name", "city", "state", "hours", "services"),
        [
            (
                mechanic.ref,
                mechanic.profile.name,
                mechanic.profile.city,
                mechanic.profile.state,
                _view(mechanic).hours,
                ", ".join(mechanic.profile.services),
            )
            for mechanic in page
        ],
        none=none_of("mechanics", state),
    )
    if page.total > limit:
        typer.echo(f"{page.total - limit:,} more: use --state, or `repaircore export mechanics`.", err=True)


@app.command(epilog="Example: repaircore mechanics show mec_06dw9k0q1wfm7cn02p5vvmfwv4", opening=reading)
def show(core: "Core", *, ref: _Ref, environment: InEnvironment = "live") -> Output:
    """Show a mechanic."""
    mechanic = core.mechanics.get(environment_named(environment), ref)
    yield from _show(mechanic)


@app.command("import", epilog="Example: repaircore mechanics import mechanics.csv --dry-run")
@import_command
def import_(core: "Core", run: Run, *, environment: InEnvironment = "live") -> None:
    """Add mechanics, or update existing ones, from a CSV file (same as `import mechanics`)."""
    run(core.mechanics.import_file, test=environment_named(environment) == "test", updates=True)


@app.command(epilog="Example: repaircore mechanics remove mec_06dw9k0q1wfm7cn02p5vvmfwv4 --yes")
def remove(core: "Core", *, ref: _Ref, yes: Yes = False, environment: InEnvironment = "live") -> Output:
    """Remove a mechanic without upcoming appointments from the directory."""
    place = environment_named(environment)
    mechanic = core.mechanics.get(place, ref)
    confirm(f"{mechanic.profile.name} can no longer be booked. Continue?", yes=yes)
    core.mechanics.remove(ref, place)
    yield {"ref": ref, "removed": True}
    typer.echo(f"{mechanic.profile.name} was removed.")


def _view(mechanic: "Mechanic") -> "MechanicInFullView":
    from repaircore.mechanics.views import MechanicInFullView

    return MechanicInFullView.in_full(mechanic)


def _show(mechanic: "Mechanic") -> Output:
    from repaircore.mechanics.offers import format_offer

    view, profile = _view(mechanic), mechanic.profile
    yield view
    rows = (
        ("Reference", mechanic.ref),
        ("Name", profile.name),
        (
            "Address",
            ", ".join(filter(None, (profile.address, profile.city, profile.state, profile.zip_code))),
        ),
        ("Phone", profile.phone),
        ("E-mail", profile.email),
        ("Services", "; ".join(map(format_offer, profile.offers))),
        ("Languages", ", ".join(profile.languages)),
        ("Rating", f"{view.rating} of 5, from {counted(view.rating_count, 'rating')}" if view.rating else ""),
        ("Hours", f"{view.hours} ({view.timezone})"),
        ("Other days", view.exceptions),
        ("Slots", f"{view.slot_minutes} minutes, {view.capacity} at a time"),
        ("Since", f"{mechanic.created_at:%Y-%m-%d}"),
    )
    for label, value in rows:
        if value:
            typer.echo(f"{label:12}{value}")
