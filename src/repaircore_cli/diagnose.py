"""``repaircore diagnose``."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.session import Output, commands
from repaircore_cli.terminal import look

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Diagnose a description: list the likely repairs.")


@app.command(
    epilog='Example: repaircore diagnose "grinds when I brake, no warning light" --vin 1HGCM82633A004352 --zip 90210'
)
def diagnose(
    core: "Core",
    *,
    description: Annotated[
        str, typer.Argument(help="What is wrong, in everyday words; may include trouble codes.")
    ],
    vin: Annotated[
        str | None,
        typer.Option("--vin", metavar="VIN", help="The VIN, to list only repairs that fit the vehicle."),
    ] = None,
    zip_code: Annotated[
        str | None, typer.Option("--zip", metavar="ZIP", help="The US ZIP code of the shop, to show prices.")
    ] = None,
    mileage: Annotated[
        int | None, typer.Option("--mileage", metavar="MILES", help="The odometer reading, in miles.")
    ] = None,
) -> Output:
    """Diagnose a description: list the likely repairs, how likely and why, and the question that would help most."""
    from repaircore.diagnosis.advice import Complaint
    from repaircore.diagnosis.views import DiagnosisView
    from repaircore_cli.diagnosis_page import page

    complaint = Complaint(description=description, vin=vin, zip_code=zip_code, mileage=mileage)
    advice = core.diagnoses.diagnose(complaint)
    yield DiagnosisView.of(advice)
    sys.stdout.write(page(advice, look()))
