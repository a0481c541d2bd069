"""``repaircore businesses``."""

from typing import Annotated

import typer

from repaircore_cli.directory import (
    Active,
    Hours,
    InEnvironment,
    Latitude,
    Limit,
    Longitude,
    Name,
    Phone,
    Radius,
    Ref,
    TimeZone,
    added,
    by,
    listed,
    removed,
)
from repaircore_cli.opening import opened
from repaircore_cli.options import AsJson, Database, Yes, commands
from repaircore_cli.taking_over import DryRun, Errors, File, KeepGood, take

__all__ = ["app"]

app = commands("Manage the towing businesses that tow rides are offered to.")


@app.command(
    epilog="Example: repaircore businesses add 'Capital Towing' '(614) 555-0150' --ride-types Flatbed,Hook --latitude 39.96 --longitude -83 --time-zone America/New_York"
)
def add(
    ctx: typer.Context,
    *,
    name: Name,
    phone: Phone,
    ride_types: Annotated[
        str,
        typer.Option(
            "--ride-types",
            metavar="TYPES",
            help="How they can tow: Flatbed,Hook,Wheel-Lift.",
            show_default=False,
        ),
    ],
    latitude: Latitude,
    longitude: Longitude,
    time_zone: TimeZone,
    radius: Radius = "",
    hours: Hours = "",
    address: Annotated[str, typer.Option("--address", metavar="TEXT", help="The address.")] = "",
    active: Active = True,
    environment: InEnvironment = "live",
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Add a towing business."""
    from repaircore.businesses.told import business_told

    cells = {
        "name": name,
        "phone": phone,
        "ride_types": ride_types,
        "address": address,
        "latitude": latitude,
        "longitude": longitude,
        "radius_miles": radius,
        "time_zone": time_zone,
        "hours": hours,
        "active": "yes" if active else "no",
    }
    caller = by(environment)
    with opened(ctx, database) as core:
        added(core.businesses, cells, caller, business_told, as_json=as_json)


@app.command("list", epilog="Example: repaircore businesses list --environment test")
def list_(
    ctx: typer.Context,
    *,
    limit: Limit = 100,
    environment: InEnvironment = "live",
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """List towing businesses, the oldest entry first."""
    from repaircore.businesses.told import business_told

    caller = by(environment)
    with opened(ctx, database) as core:
        listed(core.businesses, caller, business_told, limit=limit, as_json=as_json)


@app.command("import", epilog="Example: repaircore businesses import businesses.csv --dry-run")
def import_(
    ctx: typer.Context,
    *,
    file: File,
    dry_run: DryRun = False,
    errors: Errors = None,
    keep_good: KeepGood = False,
    environment: InEnvironment = "live",
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Add towing businesses, or change known ones, from a CSV file.

    A towing business is known by the phone. An empty cell leaves what is known as it is. A command that broke off goes on where it
    stopped when it is run again.
    """
    caller = by(environment)
    with opened(ctx, database) as core:
        take(
            lambda delivery, terms: core.businesses.bring_in(delivery, terms, caller),
            file,
            dry_run=dry_run,
            errors=errors,
            keep_good=keep_good,
            as_json=as_json,
            test=environment == "test",
            updates=True,
        )


@app.command(epilog="Example: repaircore businesses remove biz_06dtd4e8rg0007h2m7xyz5k3wq --yes")
def remove(
    ctx: typer.Context,
    *,
    ref: Ref,
    yes: Yes = False,
    environment: InEnvironment = "live",
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Remove a towing business; one who was sent somewhere once is kept, and gets no more requests."""
    caller = by(environment)
    with opened(ctx, database) as core:
        removed(core.businesses, ref, caller, yes=yes, as_json=as_json)
