"""``repaircore import``."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.file_imports import Run, import_command
from repaircore_cli.options import InEnvironment, InTest, environment_named
from repaircore_cli.session import commands

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Import files.")


@app.callback()
def _group() -> None:
    """Import files."""


@app.command(epilog="Example: repaircore import vehicles vehicles.csv --keep-good --errors rejected.csv")
@import_command
def vehicles(core: "Core", run: Run) -> None:
    """Add models and engines to the catalog, from the EPA's vehicles.csv.

    Rows that are stored already change nothing, so importing a file twice is safe. If the command is interrupted, run it
    again: it resumes where it stopped.
    """
    run(core.catalog.import_file)


@app.command(epilog="Example: repaircore import transactions invoices.csv --errors rejected.csv")
@import_command
def transactions(core: "Core", run: Run, *, test: InTest = False) -> None:
    """Import past invoices and learn from them.

    Rows that were imported before are recognized, so importing a file twice is safe. If the command is interrupted, run it
    again: it resumes where it stopped.
    """
    run(core.invoice_imports.import_file, test=test)


@app.command(epilog="Example: repaircore import facilities facilities.csv --dry-run")
@import_command
def facilities(core: "Core", run: Run) -> None:
    """Add or update facilities from a CSV file with the columns facility_name, city, state, zip_code, country and avg_labor_rate.

    A facility is recognized by its name and ZIP code. An empty cell leaves a field unchanged.
    """
    run(core.facilities.import_file, updates=True)


@app.command(epilog="Example: repaircore import recalls FLAT_RCL_POST_2010.zip --keep-good")
@import_command
def recalls(
    core: "Core",
    run: Run,
    *,
    excerpt: Annotated[
        bool,
        typer.Option(
            help="The file lacks some campaigns of its years: import it without counting any year as covered."
        ),
    ] = False,
) -> None:
    """Add or update safety recalls from NHTSA's FLAT_RCL file.

    A recall is recognized by its campaign, make, model and model year, so you can import each month's file over the last one.
    The file covers the years from its first campaign to its last.
    """
    run(partial(core.recalls.import_file, is_excerpt=excerpt), updates=True)


@app.command(epilog="Example: repaircore import mechanics mechanics.csv --environment test --dry-run")
@import_command
def mechanics(core: "Core", run: Run, *, environment: InEnvironment = "live") -> None:
    """Add or update mechanics from a CSV file with columns like name, state, zip_code, hours and services.

    A mechanic is recognized by its reference, or by its name and place. An empty cell clears a field.
    """
    run(core.mechanics.import_file, test=environment_named(environment) == "test", updates=True)
