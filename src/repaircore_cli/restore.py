"""``repaircore restore``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.backup import manifest_shape
from repaircore_cli.bar import bar
from repaircore_cli.options import Yes
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands, unopened

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Put what a backup holds in the place of what the database holds.")


@app.command(
    epilog="Example: repaircore restore shop.zip --database postgresql+psycopg://me@db/repaircore",
    opening=unopened,
)
def restore(
    core: "Core",
    *,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="What `repaircore backup` wrote, from either database.")
    ],
    replace: Annotated[
        bool, typer.Option("--replace", help="Also when the database holds data, which is lost.")
    ] = False,
    yes: Yes = False,
) -> Output:
    """Put what a backup holds in the place of what the database holds.

    Everything is compared with the backup before it counts; whatever breaks off, the database is as it was before.
    """
    if replace and core.backups.holds_data():
        confirm(f"Everything in {core.settings.shown()['REPAIRCORE_DATABASE_URL']} is lost. Go on?", yes=yes)
    with bar("Restoring") as watch:
        manifest = core.backups.restore(file, replace=replace, watch=watch)
    yield manifest_shape(manifest)
    typer.echo(
        f"{manifest.rows:,} rows of {manifest.created_at:%Y-%m-%d %H:%M:%S} UTC are in place, and are what"
        " the backup says."
    )
