"""``repaircore estimates``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore_cli.options import AsJson, Database, InTest, commands, operator
from repaircore_cli.session import opened
from repaircore_cli.terminal import print_json, print_rows

if TYPE_CHECKING:
    from repaircore.learning.pooling import ImportedPriors
    from repaircore.learning.refits import Refitted
    from repaircore.predictions.accuracy import AccuracyReport
    from repaircore.predictions.track_record import Accuracy
    from repaircore.pricing.priors import PriorStanding
    from repaircore.pricing.variances import Variances


_REMEMBERED = "Answers that were given before stay for three days, as they were."

app = commands("Compare estimates with what was paid, and refit them.")


@app.command(epilog="Example: repaircore estimates accuracy")
def accuracy(
    ctx: typer.Context,
    *,
    test: InTest = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Also draw a chart: .png, .svg or .pdf.")
    ] = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Compare past predictions with the invoices that name them."""
    from repaircore_cli.plots import accuracy_plot, require_plots

    if plot is not None:
        require_plots(plot)
    with opened(ctx, database) as core:
        report = core.accuracy.report(operator(test=test))
    if plot is not None and report.invoices:
        accuracy_plot(report, plot)
    if as_json:
        from repaircore.predictions.views import AccuracyReportView

        print_json(AccuracyReportView.of(report))
    else:
        _print_accuracy(report)


@app.command(epilog="Example: repaircore estimates refit")
def refit(
    ctx: typer.Context,
    *,
    test: InTest = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Learn from all invoices how much repairs, makes, models and years differ."""
    with opened(ctx, database) as core:
        told = core.refits.refit(operator(test=test))
    if as_json:
        print_json(_shape_of_refit(told))
    else:
        _printed_refit(told)


@app.command("export-priors", epilog="Example: repaircore estimates export-priors priors.json")
def export_priors(
    ctx: typer.Context,
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The JSON file to write.")],
    test: InTest = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Write what invoices taught, for another installation: nothing of a person, a shop or a car."""
    from repaircore_cli.priors_file import write_priors

    with opened(ctx, database) as core:
        told = core.pooling.export(operator(test=test))
    write_priors(file, told.document)
    if as_json:
        print_json(
            {"file": str(file), "repairs": told.repairs, "cells": told.cells, "kept_back": told.kept_back}
        )
    else:
        typer.echo(
            f"{told.cells:,} cells of {told.repairs} repair{'' if told.repairs == 1 else 's'} were written. "
            f"{told.kept_back:,} stay here: "
            "too few invoices, cars or shops stand behind them.",
            err=True,
        )


@app.command("import-priors", epilog="Example: repaircore estimates import-priors priors.json --weight 20")
def import_priors(
    ctx: typer.Context,
    *,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="A file of export-priors, of another installation."),
    ] = None,
    weight: Annotated[
        int,
        typer.Option("--weight", metavar="N", help="A cell counts as at most so many invoices: 1 to 1000."),
    ] = 20,
    remove: Annotated[
        bool, typer.Option("--remove", help="Forget what was imported; name no file then.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check the file and change nothing.")] = False,
    test: InTest = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Start from what another installation learned, in the place of what was imported before."""
    if (file is None) != remove or (remove and dry_run):
        raise typer.BadParameter("Name a file to import, or --remove alone to forget what was imported.")
    if file is None:
        with opened(ctx, database) as core:
            gone = core.pooling.remove(operator(test=test))
        if as_json:
            print_json({"removed": _shape_of_standing(gone)})
        else:
            typer.echo(f"{_standing(gone)} were removed.")
            typer.echo(_REMEMBERED, err=True)
        return
    from repaircore_cli.priors_file import read_priors

    data = read_priors(file)
    with opened(ctx, database) as core:
        told = core.pooling.bring_in(data, operator(test=test), weight=weight, dry_run=dry_run)
    if as_json:
        print_json(_shape_of_import(told))
    else:
        _printed_import(told)


@app.command(epilog="Example: repaircore estimates priors")
def priors(
    ctx: typer.Context, *, test: InTest = False, database: Database = None, as_json: AsJson = False
) -> None:
    """Show what was imported from another installation."""
    with opened(ctx, database) as core:
        standing = core.pooling.standing(operator(test=test))
        is_outstanding = core.pooling.is_refit_outstanding(operator(test=test))
    if is_outstanding:
        typer.echo("A refit is outstanding: run repaircore estimates refit.", err=True)
    if as_json:
        print_json({"imported": None if standing is None else _shape_of_standing(standing)})
    elif standing is None:
        typer.echo("No priors were imported.")
    else:
        typer.echo(
            f"{_standing(standing)} were imported; each counts as at most {_invoices(standing.weight)}."
        )


@app.command("priors-schema", epilog="Example: repaircore estimates priors-schema > priors.schema.json")
def priors_schema(*, as_json: AsJson = False) -> None:  # noqa: ARG001 - it is JSON in any case
    """Print the JSON Schema of a file of priors."""
    from importlib.resources import files

    typer.echo((files("repaircore") / "data" / "priors.schema.json").read_text("utf-8"), nl=False)


def _printed_import(told: "ImportedPriors") -> None:
    would = "would be" if told.dry_run else "were"
    typer.echo(
        f"{_standing(told.standing)} {would} imported; each counts as at most {_invoices(told.standing.weight)}."
    )
    if told.before is not None:
        typer.echo(f"{_standing(told.before)} {would} replaced.")
    if not told.dry_run:
        typer.echo(_REMEMBERED, err=True)
    if told.unknown:
        typer.echo(f"Passed over, not in this repair book: {', '.join(told.unknown)}.", err=True)


def _standing(standing: "PriorStanding") -> str:
    return f"{standing.cells:,} cells of {standing.repairs} repair{'' if standing.repairs == 1 else 's'}"


def _invoices(number: int) -> str:
    return f"{number:,} invoice{'' if number == 1 else 's'}"


def _shape_of_import(told: "ImportedPriors") -> dict[str, Any]:
    return {
        "dry_run": told.dry_run,
        **_shape_of_standing(told.standing),
        "replaced": None if told.before is None else _shape_of_standing(told.before),
        "unknown_repairs": list(told.unknown),
    }


def _shape_of_standing(standing: "PriorStanding") -> dict[str, int]:
    return {"weight": standing.weight, "repairs": standing.repairs, "cells": standing.cells}


def _printed_refit(told: "Refitted") -> None:
    from repaircore.learning.refits import off_book_percent, spread_percent

    print_rows(
        ("repair", "invoices", "spread before", "spread after", "off the book before", "off the book after"),
        [
            (
                one.display_name,
                one.invoices,
                *(f"{spread_percent(fit):g} %" for fit in (one.before, one.after)),
                *(f"{off_book_percent(fit):+g} %" for fit in (one.before, one.after)),
            )
            for one in told.problems
        ],
    )
    if not told.problems:
        typer.echo(
            "There are no invoices to fit: estimates go by the book and by what was imported.", err=True
        )
        return
    typer.echo(f"{len(told.problems)} repairs were fitted to {told.invoices:,} invoices.", err=True)


def _shape_of_refit(told: "Refitted") -> dict[str, Any]:
    return {
        "environment": told.environment.value,
        "invoices": told.invoices,
        "problems": [
            {
                "id": one.id,
                "slug": one.slug,
                "display_name": one.display_name,
                "invoices": one.invoices,
                "before": _fit(one.before),
                "after": _fit(one.after),
            }
            for one in told.problems
        ],
    }


def _fit(variances: "Variances") -> dict[str, float]:
    from repaircore.learning.refits import off_book_percent, spread_percent

    return {
        "spread_percent": spread_percent(variances),
        "off_book_percent": off_book_percent(variances),
        "within": variances.within,
        "make": variances.make,
        "model": variances.model,
        "years": variances.years,
    }


def _print_accuracy(report: "AccuracyReport") -> None:
    if not report.invoices:
        typer.echo("No invoice names a prediction yet.", err=True)
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
            ("predictions", "confidence promised", "invoices within 25 %"),
            [(step.predictions, f"{step.promised:g} %", f"{step.met:g} %") for step in report.reliability],
        )


def _accuracy_columns(accuracy: "Accuracy") -> tuple[str, ...]:
    scores = (accuracy.local, accuracy.model_a, accuracy.model_b, accuracy.together)
    return (_percent(accuracy.inside), *(_percent(score.median_error) for score in scores))


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:g} %"
