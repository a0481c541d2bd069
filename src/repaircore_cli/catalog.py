"""``repaircore catalog``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore.kernel.wording import counted
from repaircore_cli.session import Output, commands, unopened

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Maintain the catalog of makes, models, trims and engines.")


@app.callback()
def _group() -> None:
    """Maintain the catalog of makes, models, trims and engines."""


@app.command(epilog="Example: repaircore catalog rebuild", opening=unopened)
def rebuild(
    core: "Core",
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Rebuild it even if the installed VIN data is not newer.")
    ] = False,
) -> Output:
    """Rebuild the catalog if the installed VIN data is newer; this takes a few minutes.

    Running servers use the new catalog after a restart.
    """
    result = core.catalog_rebuild.run(force=force)
    yield {"vin_data": result.month, "catalog_was": result.was, "models": result.models}
    if result.models is None:
        typer.echo(f"The catalog and the installed VIN data are both from {result.was}: nothing to build.")
    else:
        typer.echo(
            f"The catalog now has {counted(result.models, 'model')}, from the VIN data of {result.month}."
        )
