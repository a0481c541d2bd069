"""``repaircore person``."""

import os
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from repaircore.json_text import pretty
from repaircore.kernel.views import iso_utc
from repaircore_cli.options import AsJson, Yes
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands
from repaircore_cli.terminal import print_json
from repaircore_cli.whole_files import replacing

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.persons.model import Erasure, Export


app = commands("Export or erase what is kept about a person.")

Who = Annotated[
    str, typer.Argument(metavar="EMAIL", help="Of an account, or that predictions are linked to.")
]
Phones = Annotated[
    list[str] | None,
    typer.Option(
        "--phone", metavar="NUMBER", help="A number of theirs that may stand in notes; may be repeated."
    ),
]
Vins = Annotated[
    list[str] | None,
    typer.Option(
        "--vin", metavar="VIN", help="A vehicle of theirs that nobody asked about; may be repeated."
    ),
]


@app.command(epilog="Example: repaircore person export ada@example.com ada.json")
def export(
    core: "Core",
    *,
    email: Who,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Where to; it is printed otherwise.", dir_okay=False),
    ] = None,
    phone: Phones = None,
    vin: Vins = None,
) -> Output:
    """Write everything that is kept about a person, as JSON; hashes of secrets are left out."""
    shape = _export_shape(core.persons.export(email, phones=phone or (), vins=vin or ()))
    if file is None:
        print_json(shape)
        return
    with replacing(file) as temporary, _private(temporary) as out:
        out.write(pretty(shape) + "\n")
    rows = sum(map(len, shape["kept"].values()))
    yield {"file": str(file), "rows": rows, "mentions": len(shape["mentions"])}
    typer.echo(f"{rows:,} rows are in {file}.", err=True)


@app.command(epilog="Example: repaircore person erase ada@example.com --dry-run")
def erase(
    core: "Core",
    *,
    email: Who,
    phone: Phones = None,
    vin: Vins = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count what tells of them, and keep it.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Erase whatever tells who a person is: account, keys, e-mails, whole VINs, plates, comments.

    Exit status 1 when something of it is found afterwards.
    """
    told: dict[str, Any] = {"phones": phone or (), "vins": vin or ()}
    if not dry_run:
        counted = core.persons.erase(email, dry_run=True, **told)
        confirm(f"{_counts(counted.changed)} tell of {email}. Erase it for good?", yes=yes)
    erasure = core.persons.erase(email, dry_run=dry_run, **told)
    if as_json:
        print_json({**_erasure_shape(erasure), "dry_run": dry_run})
    elif dry_run:
        typer.echo(f"{_counts(erasure.changed)} tell of {email}; nothing was erased.")
    else:
        typer.echo(
            f"Erased: removed {_counts(erasure.removed)}; struck from {_counts(erasure.changed)}."
            " Backups made before still hold it."
        )
    for trace in erasure.traces:
        sys.stderr.write(f"Error: something is left in {trace}. Run the command again.\n")
    if erasure.traces:
        raise typer.Exit(1)


def _private(file: Path) -> IO[str]:
    """Open a new file that only its owner may read."""
    return os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8")


def _counts(counts: Any) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items())) or "nothing"


def _export_shape(export: "Export") -> dict[str, Any]:
    return {
        "email": export.email,
        "exported_at": iso_utc(export.exported_at),
        "kept": {name: list(rows) for name, rows in export.kept.items()},
        "mentions": list(export.mentions),
    }


def _erasure_shape(erasure: "Erasure") -> dict[str, Any]:
    return {
        "removed": dict(erasure.removed),
        "changed": dict(erasure.changed),
        "vins": erasure.vins,
        "traces": list(erasure.traces),
    }
