"""``repaircore export``."""

import typer

from repaircore_cli.file_exports import OutFile, write_export
from repaircore_cli.options import AsJson, Database, InEnvironment, InTest, commands, environment_named
from repaircore_cli.session import opened

app = commands("Write files that `import` reads.")


@app.callback()
def _group() -> None:
    """Write files that `import` reads."""


@app.command(epilog="Example: repaircore export facilities facilities.csv")
def facilities(
    ctx: typer.Context, *, file: OutFile, database: Database = None, as_json: AsJson = False
) -> None:
    """Write every facility with its labor rate, as CSV."""
    from repaircore.facilities.csv_file import HEAD, row_of

    with opened(ctx, database) as core:
        write_export(file, HEAD, map(row_of, core.facilities.all()), as_json=as_json)


@app.command(epilog="Example: repaircore export recalls recalls.csv.gz")
def recalls(ctx: typer.Context, *, file: OutFile, database: Database = None, as_json: AsJson = False) -> None:
    """Write every recall that was imported, as CSV."""
    from repaircore.recalls.flat_file import HEAD, row_of

    with opened(ctx, database) as core:
        write_export(file, HEAD, map(row_of, core.recalls.all()), as_json=as_json)


@app.command(epilog="Example: repaircore export vehicles vehicles.csv.gz")
def vehicles(
    ctx: typer.Context, *, file: OutFile, database: Database = None, as_json: AsJson = False
) -> None:
    """Write every model and engine that was imported into the catalog, as CSV of the EPA's form."""
    from repaircore.catalog.epa_export import HEAD, row_of

    with opened(ctx, database) as core:
        write_export(file, HEAD, map(row_of, core.catalog.export_entries()), as_json=as_json)


@app.command(epilog="Example: repaircore export transactions invoices.csv.gz")
def transactions(
    ctx: typer.Context,
    *,
    file: OutFile,
    test: InTest = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Write every invoice, in the form that the import reads."""
    from repaircore.kernel.callers import Environment

    with opened(ctx, database) as core:
        rows = core.invoice_exports.rows(Environment.TEST if test else Environment.LIVE)
        write_export(file, next(rows), rows, as_json=as_json)


@app.command(epilog="Example: repaircore export drivers drivers.csv")
def drivers(
    ctx: typer.Context,
    *,
    file: OutFile,
    test: InTest = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Write the directory of drivers, in the form that `drivers import` reads."""
    from repaircore.kernel.callers import Environment
    from repaircore.providers.csv_file import header

    with opened(ctx, database) as core:
        rows = core.drivers.rows(Environment.TEST if test else Environment.LIVE)
        write_export(file, header(core.drivers.trade), rows, as_json=as_json)


@app.command(epilog="Example: repaircore export businesses businesses.csv")
def businesses(
    ctx: typer.Context,
    *,
    file: OutFile,
    test: InTest = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Write the directory of towing businesses, in the form that `businesses import` reads."""
    from repaircore.kernel.callers import Environment
    from repaircore.providers.csv_file import header

    with opened(ctx, database) as core:
        rows = core.businesses.rows(Environment.TEST if test else Environment.LIVE)
        write_export(file, header(core.businesses.trade), rows, as_json=as_json)


@app.command(epilog="Example: repaircore export mechanics mechanics.csv")
def mechanics(
    ctx: typer.Context,
    *,
    file: OutFile,
    environment: InEnvironment = "live",
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Write every mechanic of the directory, as CSV."""
    from repaircore.mechanics.csv_file import HEAD, row_of

    named = environment_named(environment)
    with opened(ctx, database) as core:
        write_export(file, HEAD, map(row_of, core.mechanics.all(named)), as_json=as_json)
