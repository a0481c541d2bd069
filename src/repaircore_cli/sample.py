"""``repaircore sample``."""

import csv
import sys
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from repaircore_cli.options import commands

__all__ = ["app"]

app = commands("Make things up to try the program with.")

_MOST = 10_000_000


@app.callback()
def _group() -> None:
    """Make things up to try the program with."""


@app.command(epilog="Example: repaircore sample transactions sample.csv")
def transactions(
    *,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Where they are written; the standard output without it."),
    ] = None,
    count: Annotated[int, typer.Option("--count", min=1, max=_MOST, help="How many.")] = 2000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Another number makes other invoices.")] = 1,
) -> None:
    """Write made-up invoices, in the form that ``import transactions`` reads.

    Each is marked as made up in its notes. The same seed makes the same ones.
    """
    from repaircore.bootstrap import sample_of_invoices

    sample = sample_of_invoices()
    rows: Iterable[tuple[object, ...]] = chain([sample.head], sample.rows(count, seed))
    if file is None:
        csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
        return
    with file.open("w", encoding="utf-8", newline="") as written:
        csv.writer(written, lineterminator="\n").writerows(rows)
    typer.echo(f"{count:,} made-up {'invoice' if count == 1 else 'invoices'} written to {file}.", err=True)
