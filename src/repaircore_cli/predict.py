"""``repaircore predict``."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.opening import opened
from repaircore_cli.options import AsJson, Database, commands
from repaircore_cli.terminal import look, print_json

if TYPE_CHECKING:
    from repaircore.bootstrap import Core

__all__ = ["app"]

app = commands("Say what a repair will cost.")


@app.command(epilog="Example: repaircore predict 1HGCM82633A004352 90210 brake-pads-front --mileage 88000")
def predict(
    ctx: typer.Context,
    *,
    vin: Annotated[str, typer.Argument(help="The vehicle's VIN: its first 11 characters, or all 17.")],
    zip_code: Annotated[str, typer.Argument(metavar="ZIP", help="Where: a US ZIP code.")],
    problem: Annotated[str, typer.Argument(help="The repair: a slug or id of `repaircore problems list`.")],
    mileage: Annotated[
        int | None, typer.Option("--mileage", metavar="MILES", help="The odometer, in miles.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Tell the steps that led to the figure.")
    ] = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Say what a repair will cost."""
    from repaircore.estimates.prediction import Ask
    from repaircore.kernel.errors import Invalid

    ask = Ask(vin=vin, zip_code=zip_code, problem_identifier=problem, mileage=mileage)
    with opened(ctx, database) as core:
        try:
            prediction = core.estimates.predict(ask)
        except Invalid as invalid:
            raise Invalid(_with_suggestion(core, problem, invalid.fields)) from None
        if as_json:
            from repaircore.estimates.wire_shape import as_wire

            print_json(as_wire(prediction))
        else:
            from repaircore_cli.estimate_page import page

            sys.stdout.write(page(prediction, look(), explain=explain))


def _with_suggestion(
    core: "Core", problem: str, fields: dict[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Add what was probably meant to the sentences about the problem."""
    if "problem_identifier" not in fields:
        return fields
    meant = core.problems.suggestion(problem)
    if meant is None:
        return fields
    return {**fields, "problem_identifier": (*fields["problem_identifier"], _hint(meant.slug, problem))}


def _hint(slug: str, typed: str) -> str:
    return f'Did you mean {slug}? More: repaircore problems search "{typed}"'
