"""``repaircore estimates``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore_cli.opening import opened
from repaircore_cli.options import AsJson, Database, commands
from repaircore_cli.terminal import print_json, print_rows

if TYPE_CHECKING:
    from repaircore.estimates.accuracy import Accuracy, Score
    from repaircore.estimates.proving import Report

__all__ = ["app"]

app = commands("Hold estimates against what was paid.")


@app.callback()
def estimates() -> None:
    """Hold estimates against what was paid."""


@app.command(epilog="Example: repaircore estimates accuracy")
def accuracy(
    ctx: typer.Context,
    *,
    test: Annotated[bool, typer.Option("--test", help="Those of the test environment.")] = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw it as well: .png, .svg or .pdf.")
    ] = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Tell how past predictions met the invoices that answered them."""
    from attrs import evolve

    from repaircore.kernel.callers import LOCAL, Environment
    from repaircore_cli.plots import accuracy_plot, demand_plots

    if plot is not None:
        demand_plots(plot)
    caller = evolve(LOCAL, environment=Environment.TEST if test else Environment.LIVE)
    with opened(ctx, database) as core:
        report = core.proof.report(caller)
    if plot is not None and report.invoices:
        accuracy_plot(report, plot)
    if as_json:
        print_json(_shape(report))
    else:
        _printed(report)


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
