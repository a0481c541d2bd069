"""``repaircore restore``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore.backups.views import ManifestView
from repaircore.kernel.wording import counted
from repaircore_cli.bar import bar
from repaircore_cli.options import Yes
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands, unopened

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Replace the database with a backup.")


@app.command(
    epilog="Example: repaircore restore shop.zip --database postgresql+psycopg://me@db/repaircore",
    opening=unopened,
)
def restore(
    core: "Core",
    *,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A file that `repaircore backup` wrote, from SQLite or PostgreSQL."
        ),
    ],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace a database that already holds data.")
    ] = False,
    yes: Yes = False,
) -> Output:
    """Replace the database with a backup.

    Everything is verified against the backup before it takes effect; if the command is interrupted, the database is
    unchanged.
    """
    if replace and core.backups.holds_data():
        confirm(
            f"Everything in {core.settings.shown()['REPAIRCORE_DATABASE_URL']} will be lost. Continue?",
            yes=yes,
        )
    with bar("Restoring") as watch:
        manifest = core.backups.restore(file, replace=replace, on_progress=watch)
    yield ManifestView.of(manifest)
    typer.echo(
        f"Restored {counted(manifest.rows, 'row')} of {manifest.created_at:%Y-%m-%d %H:%M:%S} UTC, verified against the backup."
    )
