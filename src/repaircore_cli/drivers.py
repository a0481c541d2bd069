"""``repaircore drivers``."""

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

app = commands("Manage the drivers that mobile rides are offered to.")


@app.command(
    epilog="Example: repaircore drivers add 'Sam Reyes' '(614) 555-0123' --services tire_change,fuel_delivery --latitude 39.96 --longitude -83 --time-zone America/New_York"
)
def add(
    ctx: typer.Context,
    *,
    name: Name,
    phone: Phone,
    services: Annotated[
        str,
        typer.Option(
            "--services",
            metavar="SERVICES",
            help="What they can do: towing,tire_change …",
            show_default=False,
        ),
    ],
    latitude: Latitude,
    longitude: Longitude,
    time_zone: TimeZone,
    radius: Radius = "",
    hours: Hours = "",
    vehicle: Annotated[str, typer.Option("--vehicle", metavar="TEXT", help="What they drive.")] = "",
    active: Active = True,
    environment: InEnvironment = "live",
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Add a driver."""
    from repaircore.drivers.told import driver_told

    cells = {
        "name": name,
        "phone": phone,
        "services": services,
        "vehicle": vehicle,
        "latitude": latitude,
        "longitude": longitude,
        "radius_miles": radius,
        "time_zone": time_zone,
        "hours": hours,
        "active": "yes" if active else "no",
    }
    caller = by(environment)
    with opened(ctx, database) as core:
        added(core.drivers, cells, caller, driver_told, as_json=as_json)


@app.command("list", epilog="Example: repaircore drivers list --environment test")
def list_(
    ctx: typer.Context,
    *,
    limit: Limit = 100,
    environment: InEnvironment = "live",
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """List drivers, the oldest entry first."""
    from repaircore.drivers.told import driver_told

    caller = by(environment)
    with opened(ctx, database) as core:
        listed(core.drivers, caller, driver_told, limit=limit, as_json=as_json)


@app.command("import", epilog="Example: repaircore drivers import drivers.csv --dry-run")
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
    """Add drivers, or change known ones, from a CSV file.

    A driver is known by the phone. An empty cell leaves what is known as it is. A command that broke off goes on where it
    stopped when it is run again.
    """
    caller = by(environment)
    with opened(ctx, database) as core:
        take(
            lambda delivery, terms: core.drivers.bring_in(delivery, terms, caller),
            file,
            dry_run=dry_run,
            errors=errors,
            keep_good=keep_good,
            as_json=as_json,
            test=environment == "test",
            updates=True,
        )


@app.command(epilog="Example: repaircore drivers remove drv_06dtd4e8rg0007h2m7xyz5k3wq --yes")
def remove(
    ctx: typer.Context,
    *,
    ref: Ref,
    yes: Yes = False,
    environment: InEnvironment = "live",
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Remove a driver; one who was sent somewhere once is kept, and gets no more requests."""
    caller = by(environment)
    with opened(ctx, database) as core:
        removed(core.drivers, ref, caller, yes=yes, as_json=as_json)
