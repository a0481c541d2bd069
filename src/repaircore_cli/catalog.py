"""``repaircore catalog``."""

from typing import Annotated

import typer

from repaircore_cli.options import AsJson, Database, commands
from repaircore_cli.session import unopened
from repaircore_cli.terminal import print_json

app = commands("Look after the catalog of makes, models, trims and engines.")


@app.callback()
def _group() -> None:
    """Look after the catalog of makes, models, trims and engines."""


@app.command(epilog="Example: repaircore catalog rebuild")
def rebuild(
    ctx: typer.Context,
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Build it even if the installed VIN data is not newer.")
    ] = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Build the catalog from the installed VIN data, when that is newer; it takes some minutes.

    Servers that are running read it when they are started next.
    """
    with unopened(ctx, database) as core:
        done = core.catalog_rebuild.run(force=force)
    if as_json:
        print_json({"vin_data": done.month, "catalog_was": done.was, "models": done.models})
    elif done.models is None:
        typer.echo(f"The catalog is of {done.was}, and so is the installed VIN data: nothing to build.")
    else:
        typer.echo(f"The catalog now has {done.models:,} models, from the VIN data of {done.month}.")
