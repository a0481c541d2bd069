"""``repaircore catalog``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.session import Output, commands, unopened

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Look after the catalog of makes, models, trims and engines.")


@app.callback()
def _group() -> None:
    """Look after the catalog of makes, models, trims and engines."""


@app.command(epilog="Example: repaircore catalog rebuild", opening=unopened)
def rebuild(
    core: "Core",
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Build it even if the installed VIN data is not newer.")
    ] = False,
) -> Output:
    """Build the catalog from the installed VIN data, when that is newer; it takes some minutes.

    Servers that are running read it when they are started next.
    """
    done = core.catalog_rebuild.run(force=force)
    yield {"vin_data": done.month, "catalog_was": done.was, "models": done.models}
    if done.models is None:
        typer.echo(f"The catalog is of {done.was}, and so is the installed VIN data: nothing to build.")
    else:
        typer.echo(f"The catalog now has {done.models:,} models, from the VIN data of {done.month}.")
