"""``repaircore import``."""

from functools import partial
from typing import Annotated

import typer

from repaircore_cli.file_imports import DryRun, Errors, File, KeepGood, take
from repaircore_cli.options import AsJson, Database, InEnvironment, InTest, commands, environment_named
from repaircore_cli.session import opened

app = commands("Bring files in.")


@app.callback()
def _group() -> None:
    """Bring files in."""


@app.command(epilog="Example: repaircore import vehicles vehicles.csv --keep-good --errors refused.csv")
def vehicles(
    ctx: typer.Context,
    *,
    file: File,
    dry_run: DryRun = False,
    errors: Errors = None,
    keep_good: KeepGood = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Add models and engines to the catalog, from the EPA's vehicles.csv.

    A row that stands there already changes nothing, so a file may be brought in twice. A command that broke off goes
    on where it stopped when it is run again.
    """
    with opened(ctx, database) as core:
        take(
            core.catalog.bring_in,
            file,
            dry_run=dry_run,
            errors=errors,
            keep_good=keep_good,
            as_json=as_json,
        )


@app.command(epilog="Example: repaircore import transactions invoices.csv --errors refused.csv")
def transactions(
    ctx: typer.Context,
    *,
    file: File,
    dry_run: DryRun = False,
    errors: Errors = None,
    keep_good: KeepGood = False,
    test: InTest = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Take past invoices over and learn from them.

    A row that was taken before is recognized, so a file may be brought in twice. A command that broke off goes on where it stopped
    when it is run again.
    """
    with opened(ctx, database) as core:
        take(
            core.invoice_imports.bring_in,
            file,
            dry_run=dry_run,
            errors=errors,
            keep_good=keep_good,
            as_json=as_json,
            test=test,
        )


@app.command(epilog="Example: repaircore import facilities facilities.csv --dry-run")
def facilities(
    ctx: typer.Context,
    *,
    file: File,
    dry_run: DryRun = False,
    errors: Errors = None,
    keep_good: KeepGood = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Add regions, or change known ones, from a CSV file with the columns facility_name, city, state, zip_code, country and avg_labor_rate.

    A region is known by its name and ZIP code. An empty cell leaves what is known as it is.
    """
    with opened(ctx, database) as core:
        take(
            core.facilities.bring_in,
            file,
            dry_run=dry_run,
            errors=errors,
            keep_good=keep_good,
            as_json=as_json,
            updates=True,
        )


@app.command(epilog="Example: repaircore import recalls FLAT_RCL_POST_2010.zip --keep-good")
def recalls(
    ctx: typer.Context,
    *,
    file: File,
    dry_run: DryRun = False,
    errors: Errors = None,
    keep_good: KeepGood = False,
    excerpt: Annotated[
        bool,
        typer.Option(help="The file lacks some campaigns of its years: add what it has, and cover no year."),
    ] = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Add safety recalls, or what is new of known ones, from NHTSA's FLAT_RCL as it is published.

    A recall is known by its campaign, make, model and model year, so each month's file may be brought in over the last one.
    The file covers the years from its first campaign to its last.
    """
    with opened(ctx, database) as core:
        take(
            partial(core.recalls.bring_in, is_excerpt=excerpt),
            file,
            dry_run=dry_run,
            errors=errors,
            keep_good=keep_good,
            as_json=as_json,
            updates=True,
        )


@app.command(epilog="Example: repaircore import mechanics mechanics.csv --environment test --dry-run")
def mechanics(
    ctx: typer.Context,
    *,
    file: File,
    dry_run: DryRun = False,
    errors: Errors = None,
    keep_good: KeepGood = False,
    environment: InEnvironment = "live",
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Add mechanics, or change known ones, from a CSV file with columns like name, state, zip_code, hours and services.

    A mechanic is known by its reference, or by its name and place. What a row leaves empty is taken away.
    """
    named = environment_named(environment)
    with opened(ctx, database) as core:
        take(
            core.mechanics.bring_in,
            file,
            dry_run=dry_run,
            errors=errors,
            keep_good=keep_good,
            as_json=as_json,
            test=named == "test",
            updates=True,
        )
