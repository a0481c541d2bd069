"""``repaircore predict``."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from repaircore_cli.completion import make_names, problem_slugs
from repaircore_cli.repairs import PROBLEM_HELP, profile_of_specs, profile_of_vin, with_repairs
from repaircore_cli.session import Output, commands
from repaircore_cli.terminal import look

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.predictions.model import PredictByVin, Prediction


ZipCode: TypeAlias = Annotated[str, typer.Argument(metavar="ZIP", help="The US ZIP code of the shop.")]
Problem: TypeAlias = Annotated[str, typer.Argument(help=PROBLEM_HELP, autocompletion=problem_slugs)]
Mileage: TypeAlias = Annotated[
    int | None, typer.Option("--mileage", metavar="MILES", help="The odometer reading, in miles.")
]
Year: TypeAlias = Annotated[
    int | None, typer.Option("--year", metavar="YEAR", help="The model year, instead of a VIN.")
]
Make: TypeAlias = Annotated[
    str | None,
    typer.Option("--make", metavar="MAKE", help="The make, instead of a VIN.", autocompletion=make_names),
]
Model: TypeAlias = Annotated[
    str | None, typer.Option("--model", metavar="MODEL", help="The model, instead of a VIN.")
]
Trim: TypeAlias = Annotated[str | None, typer.Option("--trim", metavar="TRIM", help="The trim, such as LE.")]
Engine: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--engine", metavar="ENGINE", help='The engine in words or figures: "5.0", "2.0T", "hybrid".'
    ),
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
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[VIN] ZIP PROBLEM",
            help="The vehicle's VIN, its first 11 characters or all 17 (not with --year, --make and --model); the ZIP code of"
            f" the shop. {PROBLEM_HELP}",
            autocompletion=problem_slugs,
        ),
    ] = None,
    mileage: Mileage = None,
    year: Year = None,
    make: Make = None,
    model: Model = None,
    trim: Trim = None,
    engine: Engine = None,
    parts_tier: PartsTier = None,
    force: Force = False,
    explain: Explain = False,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            metavar="FILE",
            help="A CSV file with a repair in each row, instead of VIN, ZIP and PROBLEM; - for standard input. Columns: vin, or year,"
            " make and model; zip, problem; mileage, engine, trim and parts_tier if known.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="The CSV file to write, with --file; standard output by default."
        ),
    ] = None,
) -> Output:
    """Estimate what a repair will cost, or each repair in a file."""
    if file is not None or out is not None:
        yield from _predict_file(core, file, out, words or ())
        return
    options = {"parts_tier": parts_tier, "force": force}
    if year is None and make is None and model is None:
        if trim is not None or engine is not None:
            raise typer.BadParameter("--trim and --engine require --year, --make and --model.")
        vin, zip_code, problem = _three(words or ())
        prediction = with_repairs(
            core,
            [problem],
            lambda names: core.predictions.predict(_by_vin(vin, zip_code, names[0], mileage, options)),
            lambda: profile_of_vin(core, vin),
        )
    else:
        if year is None or make is None or model is None:
            raise typer.BadParameter("Enter --year, --make and --model together.")
        if mileage is not None:
            raise typer.BadParameter("--mileage requires a VIN, not --year, --make and --model.")
        zip_code, problem = _two(words or ())
        specs = {"year": year, "make": make, "model": model, "trim": trim, "engine": engine}
        prediction = predict_specs(core, specs, zip_code, problem, options)
    yield from prediction_output(prediction, explain=explain)


def predict_specs(
    core: "Core", specs: dict[str, Any], zip_code: str, problem: str, options: dict[str, Any]
) -> "Prediction":
    """Estimate a repair for a vehicle by its year, make and model.

    Raises:
        Invalid: with every bad field; the error about an unknown repair suggests likely ones.
        Failure: as for any estimate by year, make and model.
    """
    from repaircore.predictions.model import PredictBySpecs

    def call(names: Sequence[str]) -> "Prediction":
        request = PredictBySpecs(zip_code=zip_code, problem_identifier=names[0], **specs, **options)
        return core.predictions.predict_by_specs(request)

    return with_repairs(core, [problem], call, lambda: profile_of_specs(core, specs))


def _by_vin(
    vin: str, zip_code: str, problem: str, mileage: int | None, options: dict[str, Any]
) -> "PredictByVin":
    from repaircore.predictions.model import PredictByVin

    return PredictByVin(vin=vin, zip_code=zip_code, problem_identifier=problem, mileage=mileage, **options)


def _three(words: Sequence[str]) -> tuple[str, str, str]:
    if len(words) != len(("VIN", "ZIP", "PROBLEM")):
        raise typer.BadParameter(
            "Enter VIN, ZIP and PROBLEM, or --file. If PROBLEM is several words, put it in quotes."
        )
    vin, zip_code, problem = words
    return vin, zip_code, problem


def _two(words: Sequence[str]) -> tuple[str, str]:
    if len(words) != len(("ZIP", "PROBLEM")):
        raise typer.BadParameter("With --year, --make and --model, enter ZIP and PROBLEM, but no VIN.")
    zip_code, problem = words
    return zip_code, problem


def _predict_file(core: "Core", file: Path | None, out: Path | None, words: Sequence[str]) -> Output:
    if file is None:
        raise typer.BadParameter("--out requires --file.")
    if words:
        raise typer.BadParameter("Enter either --file or VIN, ZIP and PROBLEM, not both.")
    from repaircore_cli.predict_file import predict_file

    yield from predict_file(core, file, out)


def prediction_output(prediction: "Prediction", *, explain: bool) -> Output:
    """Yield an estimate as the HTTP API returns it, then print it as a page."""

    def view() -> object:
        from repaircore.predictions.views import prediction_view

        return prediction_view(prediction)

    yield view
    from repaircore_cli.estimate_page import page

    sys.stdout.write(page(prediction, look(), explain=explain))
