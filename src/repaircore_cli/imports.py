"""``repaircore import``."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore.kernel.wording import counted
from repaircore_cli.bar import bar
from repaircore_cli.file_imports import Run, import_command
from repaircore_cli.options import InEnvironment, InTest, Limit, Yes, an_id, environment_named, operator
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import print_rows, print_text

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

    Rows that are already stored change nothing, so importing a file twice is safe. If the command is interrupted, run
    it again: it resumes where it stopped.
    """
    run(core.catalog.import_file)


@app.command(epilog="Example: repaircore import transactions export.xlsx --source counter --dry-run")
@import_command
def transactions(
    core: "Core",
    run: Run,
    *,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="FIELD=NAME",
            help="The column that holds a field: description=Concern. With nothing after the =, the field has no column.",
        ),
    ] = None,
    source: Annotated[
        str,
        typer.Option(
            "--source",
            metavar="NAME",
            help="A name for where the file comes from; its columns and your decisions are remembered under it.",
        ),
    ] = "",
    test: InTest = False,
) -> None:
    """Import past invoices and learn from them: CSV, TSV, .xlsx or JSON lines, as any shop system writes them.

    Columns are recognized by their names and values; --dry-run shows them. Jobs whose repair is uncertain wait for
    `repaircore import review`.

    Rows that were imported before are recognized, so importing a file twice is safe. If the command is interrupted,
    run it again: it resumes where it stopped.
    """
    from repaircore_cli.invoice_files import InvoiceFileRun

    file_run = InvoiceFileRun(core, column or [], source)
    run(file_run.import_file, test=test, learns=True, print_result=file_run.report)


@app.command(epilog="Example: repaircore import invoice invoice.pdf --json > draft.json", rows=True)
def invoice(
    core: "Core",
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A photo (JPEG, PNG, WebP) or PDF.")],
    test: InTest = False,
) -> Output:
    """Read an invoice from a photo or PDF into a draft that you can correct and record (`repaircore drafts`).

    The file itself is not stored. Importing the same file again returns the existing draft.
    """
    from repaircore_cli.drafts import print_draft, view_of

    with file.open("rb") as content:
        draft = core.invoice_drafts.create(content, name=file.name, caller=operator(test=test))
    yield view_of(core, draft)
    print_draft(draft)


@app.command(
    epilog='Example: repaircore import review --accept "LOF 5W30=oil-change"', opening=reading, rows=True
)
def review(
    core: "Core",
    *,
    accept: Annotated[
        list[str] | None,
        typer.Option(
            "--accept",
            metavar="TEXT=SLUG",
            help="Import lines with this text as this repair, now and in later files.",
        ),
    ] = None,
    skip: Annotated[
        list[str] | None,
        typer.Option(
            "--skip", metavar="TEXT", help="Leave out lines with this text, now and in later files."
        ),
    ] = None,
    limit: Limit = 20,
    test: InTest = False,
) -> Output:
    """List the invoice lines of imported files whose repair is uncertain, and decide on them.

    A decision applies to all lines with the same text, and to later files of the same source.
    """
    from repaircore_cli.invoice_files import decide, print_waiting

    if accept or skip:
        yield from decide(core, accept or [], skip or [], operator(test=test))
        return
    from repaircore.invoice_files.views import WaitingListView

    found = core.invoice_reviews.list_waiting(operator(test=test), limit=limit)
    yield WaitingListView.of(found)
    print_waiting(found)


@app.command("list", epilog="Example: repaircore import list", opening=reading, rows=True)
def list_(core: "Core", *, limit: Limit = 20, test: InTest = False) -> Output:
    """List the invoice imports, newest first."""
    from repaircore.invoice_files.views import ImportView

    found = [
        ImportView.of(record)
        for record in core.invoice_reviews.list_imports(operator(test=test), limit=limit)
    ]
    yield found
    print_rows(
        ("id", "file", "started", "read", "added", "known", "rejected"),
        [
            (batch.id, batch.file, batch.started_at, batch.read, batch.added, batch.known, batch.refused)
            for batch in found
        ],
        none="No imports yet. Start one with `repaircore import transactions FILE`.",
    )


@app.command(epilog="Example: repaircore import undo 3 --yes")
def undo(
    core: "Core",
    *,
    number: Annotated[
        int, typer.Argument(metavar="ID", callback=an_id, help="The import's number, from `list`.")
    ],
    yes: Yes = False,
    test: InTest = False,
) -> Output:
    """Delete an import's transactions, everything that was learned from them, and its waiting lines."""
    from repaircore.invoice_files.views import UndoneView

    confirm(f"The transactions of import {number} will be deleted. Continue?", yes=yes)
    with bar("Undoing") as on_progress:
        undone = core.invoice_reviews.undo(number, operator(test=test), on_progress=on_progress)
    yield UndoneView.of(undone)
    print_text(
        f"{undone.record.file}: {counted(undone.transactions, 'transaction')} deleted, {counted(undone.lines, 'line')} no longer waiting."
    )


@app.command(epilog="Example: repaircore import facilities facilities.csv --dry-run")
@import_command
def facilities(core: "Core", run: Run) -> None:
    """Add or update facilities from a CSV file.

    Its columns are facility_name, city, state, zip_code, country and avg_labor_rate. A facility is recognized by its
    name and ZIP code. An empty cell leaves a field unchanged.
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
            help="The file is incomplete for its years: import it, but do not count its years as covered."
        ),
    ] = False,
) -> None:
    """Add or update safety recalls from NHTSA's FLAT_RCL file.

    A recall is recognized by its campaign, make, model and model year, so you can import each month's file over the
    last one. The file covers the years from its first campaign to its last.
    """
    run(partial(core.recalls.import_file, is_excerpt=excerpt), updates=True)


@app.command(epilog="Example: repaircore import mechanics mechanics.csv --environment test --dry-run")
@import_command
def mechanics(core: "Core", run: Run, *, environment: InEnvironment = "live") -> None:
    """Add or update mechanics from a CSV file with columns such as name, state, zip_code, hours and services.

    A mechanic is recognized by its reference, or by its name and place. An empty cell clears a field.
    """
    run(core.mechanics.import_file, test=environment_named(environment) == "test", updates=True)
