"""``repaircore estimates``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore.kernel.wording import counted
from repaircore_cli.options import AsJson, InTest, operator
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import print_rows

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.learning.pooling import ImportedPriors
    from repaircore.learning.refits import Refitted
    from repaircore.predictions.history import AccuracyReport
    from repaircore.predictions.track_record import Accuracy
    from repaircore.pricing.priors import PriorStanding


_CACHE_NOTE = "Cached predictions stay unchanged for up to three days."

app = commands("Compare estimates with what was paid, and refit them.")


@app.command(epilog="Example: repaircore estimates accuracy", opening=reading, rows=True)
def accuracy(
    core: "Core",
    *,
    test: InTest = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Also draw a chart: .png, .svg or .pdf.")
    ] = None,
) -> Output:
    """Compare past predictions with the invoices that refer to them."""
    from repaircore.predictions.history_views import AccuracyReportView
    from repaircore_cli.plots import accuracy_plot, require_plots

    if plot is not None:
        require_plots(plot)
    report = core.accuracy.report(operator(test=test))
    if plot is not None and report.invoices:
        accuracy_plot(report, plot)
    yield AccuracyReportView.of(report)
    _print_accuracy(report)


@app.command(epilog="Example: repaircore estimates refit", rows=True)
def refit(
    core: "Core",
    *,
    test: InTest = False,
) -> Output:
    """Learn from all invoices how much prices differ by repair, make, model and year."""
    from repaircore.learning.views import RefitView

    result = core.refits.refit(operator(test=test))
    yield RefitView.of(result)
    _print_refit(result)


@app.command(
    "export-priors", epilog="Example: repaircore estimates export-priors priors.json", opening=reading
)
def export_priors(
    core: "Core",
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The JSON file to write.")],
    test: InTest = False,
) -> Output:
    """Export what was learned from invoices, for another installation; the file identifies no person, shop or car."""
    from repaircore.learning.views import ExportedPriorsView
    from repaircore_cli.priors_file import write_priors

    export = core.pooling.export(operator(test=test))
    write_priors(file, export.document)
    yield ExportedPriorsView.of(export, file=str(file))
    typer.echo(
        f"{counted(export.cells, 'cell')} of {counted(export.repairs, 'repair')} {'was' if export.cells == 1 else 'were'} written. "
        f"Left out because of too few invoices, cars or shops: {export.kept_back:,}.",
        err=True,
    )


@app.command("import-priors", epilog="Example: repaircore estimates import-priors priors.json --weight 20")
def import_priors(
    core: "Core",
    *,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="A file that another installation wrote with export-priors."),
    ] = None,
    weight: Annotated[
        int,
        typer.Option(
            "--weight", metavar="N", help="The maximum number of invoices that a cell counts as: 1 to 1000."
        ),
    ] = 20,
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove what was imported; takes no FILE.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check the file and change nothing.")] = False,
    test: InTest = False,
) -> Output:
    """Import what another installation learned; this replaces an earlier import."""
    from repaircore.learning.views import ImportedPriorsView, PriorsView
    from repaircore_cli.priors_file import read_priors

    if (file is None) != remove or (remove and dry_run):
        raise typer.BadParameter("Name a file to import, or use --remove alone to remove what was imported.")
    if file is None:
        removed = core.pooling.remove(operator(test=test))
        yield {"removed": PriorsView.of(removed)}
        typer.echo(f"{_standing(removed)} were removed.")
        typer.echo(_CACHE_NOTE, err=True)
        return
    result = core.pooling.import_priors(
        read_priors(file), operator(test=test), weight=weight, dry_run=dry_run
    )
    yield ImportedPriorsView.of(result)
    _print_import(result)


@app.command(epilog="Example: repaircore estimates priors", opening=reading)
def priors(core: "Core", *, test: InTest = False) -> Output:
    """Show what was imported from another installation."""
    from repaircore.learning.views import PriorsView

    standing = core.pooling.standing(operator(test=test))
    is_outstanding = core.pooling.is_refit_outstanding(operator(test=test))
    if is_outstanding:
        typer.echo("A refit is pending. Run `repaircore estimates refit`.", err=True)
    yield {"imported": None if standing is None else PriorsView.of(standing)}
    if standing is None:
        typer.echo("No priors were imported.")
    else:
        typer.echo(
            f"{_standing(standing)} were imported; each counts as at most {_invoices(standing.weight)}."
        )


@app.command("priors-schema", epilog="Example: repaircore estimates priors-schema > priors.schema.json")
def priors_schema(*, as_json: AsJson = False) -> None:  # noqa: ARG001 - the output is always JSON
    """Print the JSON Schema of a file of priors."""
    from importlib.resources import files

    typer.echo((files("repaircore") / "data" / "priors.schema.json").read_text("utf-8"), nl=False)


def _print_import(result: "ImportedPriors") -> None:
    would, standing = "would be" if result.dry_run else "were", result.standing
    typer.echo(
        f"{_standing(standing)} {would} imported; each counts as at most {_invoices(standing.weight)}."
    )
    if result.before is not None:
        typer.echo(f"{_standing(result.before)} {would} replaced.")
    if not result.dry_run:
        typer.echo(_CACHE_NOTE, err=True)
    if result.unknown:
        typer.echo(
            f"Skipped, because they are not in this repair book: {', '.join(result.unknown)}.", err=True
        )


def _standing(standing: "PriorStanding") -> str:
    return f"{counted(standing.cells, 'cell')} of {counted(standing.repairs, 'repair')}"


def _invoices(number: int) -> str:
    return counted(number, "invoice")


def _print_refit(result: "Refitted") -> None:
    from repaircore.learning.refits import off_book_percent, spread_percent

    print_rows(
        ("repair", "invoices", "spread before", "spread after", "vs. book before", "vs. book after"),
        [
            (
                problem.display_name,
                problem.invoices,
                *(f"{spread_percent(fit):g}%" for fit in (problem.before, problem.after)),
                *(f"{off_book_percent(fit):+g}%" for fit in (problem.before, problem.after)),
            )
            for problem in result.problems
        ],
        none="There are no invoices to fit: estimates use the book and what was imported.",
    )
    if not result.problems:
        return
    typer.echo(
        f"{counted(len(result.problems), 'repair')} {'was' if len(result.problems) == 1 else 'were'} fitted to"
        f" {counted(result.invoices, 'invoice')}.",
        err=True,
    )


def _print_accuracy(report: "AccuracyReport") -> None:
    if not report.invoices:
        typer.echo("No invoice refers to a prediction yet.", err=True)
        return
    rows = [("all repairs", report.invoices, *_accuracy_columns(report.overall))]
    rows += [
        (problem.display_name, problem.invoices, *_accuracy_columns(problem.accuracy))
        for problem in report.problems
    ]
    heads = ("repair", "invoices", "inside the range", "median error", "model A", "model B", "both models")
    print_rows(heads, rows)
    if report.reliability:
        typer.echo()
        print_rows(
            ("predictions", "stated confidence", "invoices within 25%"),
            [(step.predictions, f"{step.promised:g}%", f"{step.met:g}%") for step in report.reliability],
        )


def _accuracy_columns(accuracy: "Accuracy") -> tuple[str, ...]:
    scores = (accuracy.local, accuracy.model_a, accuracy.model_b, accuracy.together)
    return (_percent(accuracy.inside), *(_percent(score.median_error) for score in scores))


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:g}%"
