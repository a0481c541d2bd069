"""``repaircore sample``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.file_exports import OutFile, write_export
from repaircore_cli.session import Output, commands

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Generate sample data to try the program with.")

_MOST = 10_000_000


@app.callback()
def _group() -> None:
    """Generate sample data to try the program with."""


@app.command(epilog="Example: repaircore sample transactions sample.csv")
def transactions(
    core: "Core",
    *,
    file: OutFile = Path("-"),
    count: Annotated[
        int, typer.Option("--count", metavar="N", min=1, max=_MOST, help="The number of invoices.")
    ] = 2000,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="A different seed makes different invoices.")
    ] = 1,
) -> Output:
    """Write made-up invoices for the database's repairs, as a file that `import transactions` reads.

    The notes of each invoice say that it is made up. The same seed makes the same invoices.
    """
    from attrs import evolve

    from repaircore.wiring.learning import sample_of_invoices

    sample = evolve(sample_of_invoices(), problems=core.problems.list_all())
    yield from write_export(file, sample.head, sample.rows(count, seed))
