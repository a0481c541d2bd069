"""``repaircore backup``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore.kernel.views import iso_utc
from repaircore_cli.bar import bar
from repaircore_cli.session import Output, commands, unopened
from repaircore_cli.terminal import print_rows

if TYPE_CHECKING:
    from repaircore.backups.model import Manifest
    from repaircore.core import Core


app = commands("Write everything that the database keeps into one file.")


@app.command(epilog="Example: repaircore backup shop.zip", opening=unopened)
def backup(
    core: "Core",
    *,
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Where to; a file of that name is replaced.", dir_okay=False),
    ],
    verify: Annotated[
        bool, typer.Option("--verify", help="Read FILE and check it instead; no database is touched.")
    ] = False,
) -> Output:
    """Write everything that the database keeps into one file; the server may go on working.

    Only its owner may read the file: it holds what users told, and hashes of their passwords.
    """
    with bar(f"Checking {file.name}" if verify else "Backing up") as watch:
        manifest = core.backups.verify(file, watch) if verify else core.backups.make(file, watch)
    yield manifest_shape(manifest)
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
