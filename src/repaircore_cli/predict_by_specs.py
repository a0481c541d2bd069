"""``repaircore predict-by-specs``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.predict import Explain, Force, PartsTier, Problem, ZipCode, prediction_output, suggesting
from repaircore_cli.session import Output, commands

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Estimate what a repair will cost on a year, make and model.")


@app.command(epilog='Example: repaircore predict-by-specs 2018 Ford F-150 90210 spark-plugs --engine "5.0"')
def predict_by_specs(
    core: "Core",
    *,
    year: Annotated[int, typer.Argument(help="The model year.")],
    make: Annotated[str, typer.Argument(help="The make, such as Ford.")],
    model: Annotated[str, typer.Argument(help="The model, such as F-150.")],
    zip_code: ZipCode,
    problem: Problem,
    trim: Annotated[str | None, typer.Option("--trim", metavar="TRIM", help="The trim, such as LE.")] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine", metavar="ENGINE", help='The engine in words or figures: "5.0", "2.0T", "hybrid".'
        ),
    ] = None,
    parts_tier: PartsTier = None,
    force: Force = False,
    explain: Explain = False,
) -> Output:
    """Estimate what a repair will cost on a year, make and model."""
    from repaircore.predictions.model import PredictBySpecs

    request = PredictBySpecs(
        year=year,
        make=make,
        model=model,
        trim=trim,
        engine=engine,
        zip_code=zip_code,
        problem_identifier=problem,
        parts_tier=parts_tier,
        force=force,
    )
    with suggesting(core, problem):
        prediction = core.predictions.predict_by_specs(request)
    yield from prediction_output(prediction, explain=explain)
