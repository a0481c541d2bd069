"""``repaircore backup``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore.kernel.views import iso_utc
from repaircore_cli.bar import bar
from repaircore_cli.options import AsJson, Database, commands
from repaircore_cli.session import unopened
from repaircore_cli.terminal import print_json, print_rows

if TYPE_CHECKING:
    from repaircore.backups.model import Manifest


app = commands("Write everything that the database keeps into one file.")


@app.command(epilog="Example: repaircore backup shop.zip")
def backup(
    ctx: typer.Context,
    *,
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Where to; a file of that name is replaced.", dir_okay=False),
    ],
    verify: Annotated[
        bool, typer.Option("--verify", help="Read FILE and check it instead; no database is touched.")
    ] = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Write everything that the database keeps into one file; the server may go on working.

    Only its owner may read the file: it holds what users told, and hashes of their passwords.
    """
    with unopened(ctx, database) as core, bar(f"Checking {file.name}" if verify else "Backing up") as watch:
        manifest = core.backups.verify(file, watch) if verify else core.backups.make(file, watch)
    if as_json:
        print_json(manifest_shape(manifest))
        return
    print_rows(
        ("table", "rows", "sums"),
        [
            (one.shape.name, f"{one.weight.rows:,}", _sums(one.weight.sums))
            for one in manifest.tables
            if one.weight.rows
        ],
    )
    done = "is whole" if verify else "is written"
    typer.echo(f"{file} {done}: {manifest.rows:,} rows of revision {manifest.revision}.", err=True)


def _sums(sums: Any) -> str:
    return ", ".join(f"{name} {total}" for name, total in sums.items())


def manifest_shape(manifest: "Manifest") -> dict[str, Any]:
    """Return what a manifest says, for machines."""
    return {
        "format": manifest.format,
        "format_version": manifest.format_version,
        "version": manifest.version,
        "revision": manifest.revision,
        "book_edition": manifest.edition,
        "created_at": iso_utc(manifest.created_at),
        "rows": manifest.rows,
        "tables": {
            one.shape.name: {
                "rows": one.weight.rows,
                "bytes": one.weight.bytes,
                "sha256": one.weight.sha256,
                "sums": dict(one.weight.sums),
            }
            for one in manifest.tables
        },
        "counters": dict(manifest.counters),
    }
