"""``repaircore export``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from repaircore_cli.file_exports import OutFile, write_export
from repaircore_cli.options import InEnvironment, InTest, environment_named, environment_of
from repaircore_cli.session import Output, commands, reading

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.providers.service import Directory


app = commands("Export files that `import` reads.")


@app.callback()
def _group() -> None:
    """Export files that `import` reads."""


@app.command(epilog="Example: repaircore export facilities facilities.csv", opening=reading)
def facilities(core: "Core", *, file: OutFile) -> Output:
    """Write every facility with its labor rate, as CSV."""
    from repaircore.facilities.csv_file import HEAD, row_of

    yield from write_export(file, HEAD, map(row_of, core.facilities.all()))


@app.command(epilog="Example: repaircore export recalls recalls.csv.gz", opening=reading)
def recalls(core: "Core", *, file: OutFile) -> Output:
    """Write every recall that was imported, as CSV."""
    from repaircore.recalls.flat_file import HEAD, row_of

    yield from write_export(file, HEAD, map(row_of, core.recalls.all()))


@app.command(epilog="Example: repaircore export vehicles vehicles.csv.gz", opening=reading)
def vehicles(core: "Core", *, file: OutFile) -> Output:
    """Write every model and engine that was imported into the catalog, as CSV in the EPA's format."""
    from repaircore.catalog.epa_export import HEAD, row_of

    yield from write_export(file, HEAD, map(row_of, core.catalog.export_entries()))


@app.command(epilog="Example: repaircore export transactions invoices.csv.gz", opening=reading)
def transactions(core: "Core", *, file: OutFile, test: InTest = False) -> Output:
    """Write every invoice, in the format that `import transactions` reads."""
    rows = core.invoice_exports.rows(environment_of(test=test))
    yield from write_export(file, next(rows), rows)


@app.command(epilog="Example: repaircore export drivers drivers.csv", opening=reading)
def drivers(core: "Core", *, file: OutFile, test: InTest = False) -> Output:
    """Write the directory of drivers, in the format that `drivers import` reads."""
    yield from _write_directory(core.drivers, file, test=test)


@app.command(epilog="Example: repaircore export businesses businesses.csv", opening=reading)
def businesses(core: "Core", *, file: OutFile, test: InTest = False) -> Output:
    """Write the directory of towing businesses, in the format that `businesses import` reads."""
    yield from _write_directory(core.businesses, file, test=test)


@app.command(epilog="Example: repaircore export mechanics mechanics.csv", opening=reading)
def mechanics(core: "Core", *, file: OutFile, environment: InEnvironment = "live") -> Output:
    """Write every mechanic in the directory, as CSV."""
    from repaircore.mechanics.csv_file import HEADER, to_row

    named = environment_named(environment)
    yield from write_export(file, HEADER, map(to_row, core.mechanics.iter_all(named)))


def _write_directory(directory: "Directory[Any, Any]", file: Path, *, test: bool) -> Output:
    from repaircore.providers.csv_file import header

    yield from write_export(file, header(directory.trade), directory.rows(environment_of(test=test)))
