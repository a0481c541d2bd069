"""``repaircore import``."""

import csv
import gzip
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from repaircore_cli.opening import opened
from repaircore_cli.options import AsJson, Database, commands
from repaircore_cli.terminal import look, print_json

if TYPE_CHECKING:
    from repaircore.catalog.model import Refused, Taken

__all__ = ["app"]

app = commands("Bring files in.")


@app.callback()
def _group() -> None:
    """Bring files in."""


@app.command(epilog="Example: repaircore import vehicles vehicles.csv --errors refused.csv")
def vehicles(
    ctx: typer.Context,
    *,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The EPA's vehicles.csv; .gz is read as well.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would be done, and keep nothing.")
    ] = False,
    errors: Annotated[
        Path | None,
        typer.Option("--errors", metavar="FILE", help="Where refused rows are written, with reasons."),
    ] = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Add models and engines to the catalog.

    A row that stands there already changes nothing, so a file may be brought in twice. When the command breaks off,
    nothing of the file is kept.
    """
    with opened(ctx, database) as core, ExitStack() as stack:
        lines = stack.enter_context(_lines(file))
        refused = stack.enter_context(_written(errors))
        taken = core.catalog.bring_in(lines, keep=not dry_run, refused=refused)
    _told(taken, kept=not dry_run, listed=errors is not None, as_json=as_json)


@contextmanager
def _lines(file: Path) -> "Iterator[IO[str]]":
    """Open a file as text, unpacked where it is packed, with a bar on a terminal that shows how far it is."""
    from repaircore.kernel.errors import Invalid

    with ExitStack() as stack:
        raw: Any = stack.enter_context(file.open("rb"))
        if sys.stderr.isatty():
            raw = stack.enter_context(_watched(raw, file))
        if file.suffix == ".gz":
            raw = stack.enter_context(gzip.open(raw))
        try:
            yield stack.enter_context(TextIOWrapper(raw, encoding="utf-8-sig", newline=""))
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise Invalid({"file": ["The file is not, or not wholly, packed by gzip."]}) from None


@contextmanager
def _watched(raw: Any, file: Path) -> "Iterator[Any]":
    from rich.console import Console
    from rich.progress import wrap_file

    shown = Console(stderr=True, no_color=not look().color)
    with wrap_file(raw, file.stat().st_size, description=file.name, console=shown, transient=True) as watched:
        yield watched


@contextmanager
def _written(errors: Path | None) -> "Iterator[Callable[[Refused], None]]":
    """Give what refused rows are told to."""
    if errors is None:
        yield lambda _: None
        return
    with errors.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(("line", "reasons", "row"))
        yield lambda one: table.writerow((one.line, " ".join(one.reasons), one.row))


def _told(taken: "Taken", *, kept: bool, listed: bool, as_json: bool) -> None:
    if as_json:
        counts = {name: getattr(taken, name) for name in ("read", "added", "known", "refused")}
        print_json({**counts, "kept": kept})
        return
    would = "" if kept else "would be "
    typer.echo(
        f"{taken.read:,} rows read: {taken.added:,} {would}added, {taken.known:,} known already or repeated, "
        f"{taken.refused:,} refused."
    )
    if taken.refused and not listed:
        typer.echo("--errors FILE writes the refused rows with the reasons.", err=True)
