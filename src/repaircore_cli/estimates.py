"""``repaircore estimates``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore_cli.opening import opened
from repaircore_cli.options import AsJson, Database, InTest, commands, operator
from repaircore_cli.terminal import print_json, print_rows

if TYPE_CHECKING:
    from repaircore.estimates.accuracy import Accuracy, Score
    from repaircore.estimates.proving import Report
    from repaircore.estimates.refitting import Refitted
    from repaircore.estimates.variances import Variances

__all__ = ["app"]

app = commands("Hold estimates against what was paid, and fit them to it.")


@app.command(epilog="Example: repaircore estimates accuracy")
def accuracy(
    ctx: typer.Context,
    *,
    test: InTest = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw it as well: .png, .svg or .pdf.")
    ] = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Tell how past predictions met the invoices that answered them."""
    from repaircore_cli.plots import accuracy_plot, demand_plots

    if plot is not None:
        demand_plots(plot)
    with opened(ctx, database) as core:
        report = core.proof.report(operator(test=test))
    if plot is not None and report.invoices:
        accuracy_plot(report, plot)
    if as_json:
        print_json(_shape(report))
    else:
        _printed(report)


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


def _printed_refit(told: "Refitted") -> None:
    from repaircore.estimates.refitting import off_book_percent, spread_percent

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
    from repaircore.estimates.refitting import off_book_percent, spread_percent

    return {
        "spread_percent": spread_percent(variances),
        "off_book_percent": off_book_percent(variances),
        "within": variances.within,
        "make": variances.make,
        "model": variances.model,
        "years": variances.years,
    }


def _printed(report: "Report") -> None:
    if not report.invoices:
        typer.echo("No invoice names the prediction that it answers yet.", err=True)
        return
    rows = [("all repairs", report.invoices, *_columns(report.overall))]
    rows += [(one.display_name, one.invoices, *_columns(one.accuracy)) for one in report.problems]
    heads = ("repair", "invoices", "inside the range", "median error", "model A", "model B", "both models")
    print_rows(heads, rows)


def _columns(told: "Accuracy") -> tuple[str, ...]:
    return (
        _percent(told.inside),
        *(_percent(score.median_error) for score in (told.local, told.model_a, told.model_b, told.together)),
    )


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:g} %"


def _shape(report: "Report") -> dict[str, Any]:
    return {
        "environment": report.environment.value,
        "invoices": report.invoices,
        "overall": _accuracy(report.overall),
        "problems": [
            {
                "id": one.id,
                "slug": one.slug,
                "display_name": one.display_name,
                "invoices": one.invoices,
                **_accuracy(one.accuracy),
            }
            for one in report.problems
        ],
    }


def _accuracy(told: "Accuracy") -> dict[str, Any]:
    return {
        "local": {**_score(told.local), "inside_range": told.inside},
        "model_a": _score(told.model_a),
        "model_b": _score(told.model_b),
        "aggregated_ai": _score(told.together),
    }


def _score(score: "Score") -> dict[str, Any]:
    return {"pairs": score.pairs, "median_error": score.median_error, "median_bias": score.median_bias}
