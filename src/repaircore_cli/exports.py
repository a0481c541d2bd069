"""``repaircore export``."""

import csv
import gzip
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Annotated

import typer

from repaircore_cli.opening import opened
from repaircore_cli.options import AsJson, Database, commands
from repaircore_cli.taking_over import Test
from repaircore_cli.terminal import print_json

__all__ = ["app", "write_rows"]

app = commands("Give files out.")

To = Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; .gz is packed.")]


@app.callback()
def _group() -> None:
    """Give files out."""


@app.command(epilog="Example: repaircore export transactions invoices.csv.gz")
def transactions(
    ctx: typer.Context, *, file: To, test: Test = False, database: Database = None, as_json: AsJson = False
) -> None:
    """Write every invoice, in the form that the import reads."""
    from repaircore.kernel.callers import Environment

    with opened(ctx, database) as core:
        count = write_rows(file, core.invoice_exports.rows(Environment.TEST if test else Environment.LIVE))
    if as_json:
        print_json({"file": str(file), "written": count})
    else:
        typer.echo(f"{count:,} {'invoice' if count == 1 else 'invoices'} written to {file}.")


def write_rows(file: Path, rows: Iterable[Iterable[object]]) -> int:
    """Write a head and rows, one by one; give the number of rows."""
    count = -1
    with _written(file) as text:
        table = csv.writer(text, lineterminator="\n")
        for row in rows:
            table.writerow(row)
            count += 1
    return max(0, count)


@contextmanager
def _written(file: Path) -> Iterator[IO[str]]:
    if file.suffix != ".gz":
        with file.open("w", encoding="utf-8", newline="") as text:
            yield text
        return
    with gzip.open(file, "wb") as packed, TextIOWrapper(packed, encoding="utf-8", newline="") as text:
        yield text
