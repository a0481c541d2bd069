"""``repaircore predict``."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from repaircore_cli.session import Output, commands
from repaircore_cli.terminal import look

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.predictions.model import Prediction


_ZIP_HELP: Final = "The US ZIP code of the shop."
_PROBLEM_HELP: Final = "The repair: a slug or id from `repaircore problems list`."

ZipCode: TypeAlias = Annotated[str, typer.Argument(metavar="ZIP", help=_ZIP_HELP)]
Problem: TypeAlias = Annotated[str, typer.Argument(help=_PROBLEM_HELP)]
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
    vin: Annotated[
        str | None, typer.Argument(help="The vehicle's VIN: its first 11 characters, or all 17.")
    ] = None,
    zip_code: Annotated[str | None, typer.Argument(metavar="ZIP", help=_ZIP_HELP)] = None,
    problem: Annotated[str | None, typer.Argument(help=_PROBLEM_HELP)] = None,
    mileage: Annotated[
        int | None, typer.Option("--mileage", metavar="MILES", help="The odometer reading, in miles.")
    ] = None,
    parts_tier: PartsTier = None,
    force: Force = False,
    explain: Explain = False,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            metavar="FILE",
            help="A CSV file with a repair in each row, instead of VIN, ZIP and PROBLEM; - for the input. Columns: vin, or year,"
            " make and model; zip, problem; mileage, engine, trim and parts_tier as known.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="The CSV file to write, with --file; the output unless given."
        ),
    ] = None,
) -> Output:
    """Estimate what a repair will cost, or each repair of a file."""
    if file is not None or out is not None:
        yield from _predict_file(core, file, out, (vin, zip_code, problem))
        return
    if vin is None or zip_code is None or problem is None:
        raise typer.BadParameter("VIN, ZIP and PROBLEM are required, or --file.")
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


def _predict_file(core: "Core", file: Path | None, out: Path | None, words: tuple[str | None, ...]) -> Output:
    if file is None:
        raise typer.BadParameter("--out needs --file.")
    if any(word is not None for word in words):
        raise typer.BadParameter("Give either --file or VIN, ZIP and PROBLEM, not both.")
    from repaircore_cli.predict_file import predict_file

    yield from predict_file(core, file, out)


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
