"""``repaircore diagnose``."""

import sys
from typing import Annotated

import typer

from repaircore_cli.options import AsJson, Database, commands
from repaircore_cli.session import opened
from repaircore_cli.terminal import look, print_json

app = commands("Say which repairs are likely needed.")


@app.command(
    epilog='Example: repaircore diagnose "grinds when I brake, no warning light" --vin 1HGCM82633A004352 --zip 90210'
)
def diagnose(
    ctx: typer.Context,
    *,
    description: Annotated[
        str, typer.Argument(help="What is wrong, in everyday words; trouble codes as well.")
    ],
    vin: Annotated[
        str | None,
        typer.Option("--vin", metavar="VIN", help="The vehicle, so that only what fits it is told."),
    ] = None,
    zip_code: Annotated[
        str | None, typer.Option("--zip", metavar="ZIP", help="Where: then each repair has its price.")
    ] = None,
    mileage: Annotated[
        int | None, typer.Option("--mileage", metavar="MILES", help="The odometer, in miles.")
    ] = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Say which repairs are likely needed, how likely, and why; or what should be asked first."""
    from repaircore.diagnosis.advice import Complaint

    complaint = Complaint(description=description, vin=vin, zip_code=zip_code, mileage=mileage)
    with opened(ctx, database) as core:
        advice = core.diagnoses.diagnose(complaint)
    if as_json:
        from repaircore.diagnosis.views import DiagnosisView

        print_json(DiagnosisView.of(advice))
    else:
        from repaircore_cli.diagnosis_page import page

        sys.stdout.write(page(advice, look()))
