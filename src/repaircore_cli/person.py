"""``repaircore person``."""

import os
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from repaircore.json_text import pretty
from repaircore.kernel.wording import counted
from repaircore.persons.views import ErasureView, ExportView
from repaircore_cli.options import AsJson, Yes
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import print_json, print_note
from repaircore_cli.whole_files import replacing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from repaircore.core import Core


app = commands("Export or erase a person's data.")

PersonEmail = Annotated[
    str,
    typer.Argument(metavar="EMAIL", help="The e-mail of an account, or one that predictions are linked to."),
]
Phones = Annotated[
    list[str] | None,
    typer.Option(
        "--phone",
        metavar="NUMBER",
        help="A phone number of the person that notes may mention; may be repeated.",
    ),
]
Vins = Annotated[
    list[str] | None,
    typer.Option(
        "--vin", metavar="VIN", help="A vehicle of the person that has no prediction; may be repeated."
    ),
]


@app.command(epilog="Example: repaircore person export ada@example.com ada.json", opening=reading)
def export(
    core: "Core",
    *,
    email: PersonEmail,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]", help="The file to write; by default, standard output.", dir_okay=False
        ),
    ] = None,
    phone: Phones = None,
    vin: Vins = None,
) -> Output:
    """Export everything that is stored about a person as JSON, without hashes of secrets."""
    export = ExportView.of(core.persons.export(email, phones=phone or (), vins=vin or ()))
    if file is None:
        print_json(export)
        return
    with replacing(file) as temporary, _private(temporary) as out:
        out.write(pretty(export) + "\n")
    rows = sum(map(len, export.kept.values()))
    yield {"file": str(file), "rows": rows, "mentions": len(export.mentions)}
    typer.echo(f"Exported {counted(rows, 'row')} to {file}.", err=True)


@app.command(epilog="Example: repaircore person erase ada@example.com --dry-run")
def erase(
    core: "Core",
    *,
    email: PersonEmail,
    phone: Phones = None,
    vin: Vins = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count the rows, and erase nothing.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Erase a person's data: account, keys, e-mails, whole VINs, plates, comments.

    Exits with status 1 if traces are found afterward.
    """
    phones, vins = phone or (), vin or ()
    if not dry_run:
        counted = core.persons.erase(email, phones=phones, vins=vins, dry_run=True)
        confirm(f"Data of {email}: {_counts(counted.changed)}. Erase it permanently?", yes=yes)
    erasure = core.persons.erase(email, phones=phones, vins=vins, dry_run=dry_run)
    if as_json:
        print_json(ErasureView.of(erasure, dry_run=dry_run))
    elif dry_run:
        typer.echo(f"Data of {email}: {_counts(erasure.changed)}. Nothing was erased.")
    else:
        typer.echo(
            f"Erased: removed {_counts(erasure.removed)}; redacted {_counts(erasure.changed)}."
            " Earlier backups still contain the data."
        )
    for trace in erasure.traces:
        print_note(f"Error: traces remain in {trace}. Run the command again.")
    if erasure.traces:
        raise typer.Exit(1)


def _private(file: Path) -> IO[str]:
    """Create a file that only its owner may read, and open it for writing."""
    return os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8")


def _counts(counts: "Mapping[str, int]") -> str:
    return ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items())) or "nothing"
