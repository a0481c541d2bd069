"""``repaircore backup``."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore.backups.views import ManifestView
from repaircore.kernel.wording import counted
from repaircore_cli.bar import bar
from repaircore_cli.session import Output, commands, unopened
from repaircore_cli.terminal import print_rows
from repaircore_cli.whole_files import named_as_typed

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Back up the whole database to one file.")


@app.command(epilog="Example: repaircore backup shop.zip", opening=unopened, rows=True)
def backup(
    core: "Core",
    *,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="The file to write; an existing one is replaced.", dir_okay=False
        ),
    ],
    verify: Annotated[
        bool, typer.Option("--verify", help="Verify FILE instead, without a database.")
    ] = False,
) -> Output:
    """Back up the whole database to one file; the server may keep running.

    Only the file's owner may read it, because it holds personal data and password hashes.
    """
    with named_as_typed(file), bar(f"Checking {file.name}" if verify else "Backing up") as watch:
        manifest = core.backups.verify(file, watch) if verify else core.backups.make(file, watch)
    if not verify:
        core.backups.record(manifest)
    yield ManifestView.of(manifest)
    print_rows(
        ("table", "rows", "sums"),
        [
            (table.shape.name, f"{table.weight.rows:,}", _sums(table.weight.sums))
            for table in manifest.tables
            if table.weight.rows
        ],
        none="The backup has no rows.",
    )
    done = "is intact" if verify else "was written"
    typer.echo(f"{file} {done}: {counted(manifest.rows, 'row')} at revision {manifest.revision}.", err=True)


def _sums(sums: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {total}" for name, total in sums.items())
