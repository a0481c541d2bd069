"""``repaircore predict``."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from repaircore_cli.session import Output, commands
from repaircore_cli.terminal import look

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.predictions.model import Prediction


ZipCode: TypeAlias = Annotated[str, typer.Argument(metavar="ZIP", help="The US ZIP code of the shop.")]
Problem: TypeAlias = Annotated[
    str, typer.Argument(help="The repair: a slug or id from `repaircore problems list`.")
]
PartsTier: TypeAlias = Annotated[
    str | None,
    typer.Option("--parts-tier", metavar="TIER", help="The grade of the parts: economy, aftermarket or oem."),
]
Force: TypeAlias = Annotated[
    bool, typer.Option("--force", help="Estimate the repair even if it does not fit the vehicle.")
]
Explain: TypeAlias = Annotated[bool, typer.Option("--explain", help="Show the steps behind the figure.")]

app = commands("Estimate what a repair will cost.")


@app.command(epilog="Example: repaircore predict 1HGCM82633A004352 90210 brake-pads-front --mileage 88000")
def predict(
    core: "Core",
    *,
    vin: Annotated[str, typer.Argument(help="The vehicle's VIN: its first 11 characters, or all 17.")],
    zip_code: ZipCode,
    problem: Problem,
    mileage: Annotated[
        int | None, typer.Option("--mileage", metavar="MILES", help="The odometer reading, in miles.")
    ] = None,
    parts_tier: PartsTier = None,
    force: Force = False,
    explain: Explain = False,
) -> Output:
    """Estimate what a repair will cost."""
    from repaircore.predictions.model import PredictByVin

    request = PredictByVin(
        vin=vin,
        zip_code=zip_code,
        problem_identifier=problem,
        mileage=mileage,
        parts_tier=parts_tier,
        force=force,
    )
    with suggesting(core, problem):
        prediction = core.predictions.predict(request)
    yield from prediction_output(prediction, explain=explain)


def prediction_output(prediction: "Prediction", *, explain: bool) -> Output:
    """Yield an estimate as the HTTP API answers it, then print it as a page."""

    def view() -> object:
        from repaircore.predictions.views import prediction_view

        return prediction_view(prediction)

    yield view
    from repaircore_cli.estimate_page import page

    sys.stdout.write(page(prediction, look(), explain=explain))


@contextmanager
def suggesting(core: "Core", problem: str) -> Iterator[None]:
    """Add the repair that was probably meant to the error about an unknown one."""
    from repaircore.kernel.errors import Invalid

    try:
        yield
    except Invalid as invalid:
        raise Invalid(_with_suggestion(core, problem, invalid.fields)) from None


def _with_suggestion(
    core: "Core", problem: str, fields: dict[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    if "problem_identifier" not in fields:
        return fields
    suggestion = core.problems.suggest(problem)
    if suggestion is None:
        return fields
    hint = f'Did you mean {suggestion.slug}? More: repaircore problems search "{problem}"'
    return {**fields, "problem_identifier": (*fields["problem_identifier"], hint)}
