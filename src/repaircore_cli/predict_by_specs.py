"""``repaircore predict-by-specs``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.completion import make_names
from repaircore_cli.predict import (
    Engine,
    Explain,
    Force,
    PartsTier,
    Problem,
    Trim,
    ZipCode,
    predict_specs,
    prediction_output,
)
from repaircore_cli.session import Output, commands

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Estimate what a repair will cost on a year, make and model.")


@app.command(epilog='Example: repaircore predict-by-specs 2018 Ford F-150 90210 spark-plugs --engine "5.0"')
def predict_by_specs(
    core: "Core",
    *,
    year: Annotated[int, typer.Argument(help="The model year.")],
    make: Annotated[str, typer.Argument(help="The make, such as Ford.", autocompletion=make_names)],
    model: Annotated[str, typer.Argument(help="The model, such as F-150.")],
    zip_code: ZipCode,
    problem: Problem,
    trim: Trim = None,
    engine: Engine = None,
    parts_tier: PartsTier = None,
    force: Force = False,
    explain: Explain = False,
) -> Output:
    """Estimate what a repair will cost on a year, make and model."""
    specs = {"year": year, "make": make, "model": model, "trim": trim, "engine": engine}
    options = {"parts_tier": parts_tier, "force": force}
    prediction = predict_specs(core, specs, zip_code, problem, options)
    yield from prediction_output(prediction, explain=explain)
