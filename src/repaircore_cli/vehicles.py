"""``repaircore vehicles``."""

from pathlib import Path
from typing import Annotated

import typer

from repaircore_cli.opening import opened
from repaircore_cli.options import AsJson, Database, commands
from repaircore_cli.terminal import print_json

__all__ = ["app"]

app = commands("Look vehicles up.")


@app.callback()
def _group() -> None:
    """Look vehicles up."""


@app.command(epilog="Example: repaircore vehicles decode 1HGCM82633A004352")
def decode(
    ctx: typer.Context,
    *,
    vin: Annotated[str, typer.Argument(help="Its first 11 characters, or all 17.")],
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Say what a VIN means."""
    from repaircore.vehicles.vin import LENGTHS, check_digit_holds, normalize

    with opened(ctx, database) as core:
        about = core.vehicles.decode(vin)
    plain = normalize(vin)
    told = {
        "vin": plain,
        "display_name": about.display_name,
        "make": about.make,
        "model": about.model,
        "year": about.year,
        "trim": about.trim,
        "engine": about.engine,
        "powertrain": about.powertrain,
        "drive": about.drive,
        "body": about.body,
        "source": about.source,
        "check_digit_holds": check_digit_holds(plain) if len(plain) == max(LENGTHS) else None,
    }
    if as_json:
        print_json(told)
        return
    for label, value in told.items():
        if value is not None and value is not True:
            text = "no: a character may be mistyped" if value is False else value
            typer.echo(f"{label.replace('_', ' '):18}{text}")


@app.command("read-vin", epilog="Example: repaircore vehicles read-vin door-label.jpg")
def read_vin(
    ctx: typer.Context,
    *,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A JPEG, PNG or WebP file.")],
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Read the VIN in a photo."""
    with opened(ctx, database) as core, Path(file).open("rb") as image:
        read = core.vehicles.extract_vin(image)
    if as_json:
        print_json({"vin": read.vin, "warnings": list(read.warnings)})
        return
    typer.echo(read.vin)
    if read.warnings:
        typer.echo("The check digit is wrong: compare it with the vehicle.", err=True)
