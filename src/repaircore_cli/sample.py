"""``repaircore sample``."""

import csv
import sys
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from repaircore_cli.exports import write_rows
from repaircore_cli.opening import opened
from repaircore_cli.options import AsJson, Database, commands
from repaircore_cli.terminal import print_json

__all__ = ["app"]

app = commands("Make things up to try the program with.")

_MOST = 10_000_000


@app.callback()
def _group() -> None:
    """Make things up to try the program with."""


@app.command(epilog="Example: repaircore sample transactions sample.csv")
def transactions(
    ctx: typer.Context,
    *,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="Where they are written; to the standard output without it."),
    ] = None,
    count: Annotated[int, typer.Option("--count", metavar="N", min=1, max=_MOST, help="How many.")] = 2000,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="Another number makes other invoices.")
    ] = 1,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Write made-up invoices of the database's repairs, in the form that the import reads.

    Each is marked as made up in its notes. The same seed makes the same ones.
    """
    from attrs import evolve

    from repaircore.bootstrap import sample_of_invoices

    with opened(ctx, database) as core:
        sample = evolve(sample_of_invoices(), problems=core.problems.all())
    made = sample.rows(count, seed)
    if file is None and as_json:
        print_json([dict(zip(sample.head, row, strict=True)) for row in made])
    elif file is None:
        csv.writer(sys.stdout, lineterminator="\n").writerows(chain([sample.head], made))
    else:
        _tell(file, write_rows(file, chain([sample.head], made)), as_json=as_json)


def _tell(file: Path, count: int, *, as_json: bool) -> None:
    if as_json:
        print_json({"file": str(file), "written": count})
    else:
        typer.echo(f"{count:,} made-up {'invoice' if count == 1 else 'invoices'} written to {file}.")
