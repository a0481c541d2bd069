"""``repaircore vehicles``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore_cli import stored_vehicles
from repaircore_cli.options import AsJson, Database, commands
from repaircore_cli.session import opened
from repaircore_cli.terminal import print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from repaircore.kernel.callers import Environment


app = commands("Look vehicles up, and keep them.")


@app.callback()
def _group() -> None:
    """Look vehicles up, and keep them."""


@app.command(epilog="Example: repaircore vehicles decode 1HGCM82633A004352")
def decode(
    ctx: typer.Context,
    *,
    vin: Annotated[str, typer.Argument(help="Its first 11 characters, or all 17.")],
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Say what a VIN means."""
    from repaircore.vehicle_facts.views import facts_shape
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
        **facts_shape(about.facts),
        "source": about.source,
        "check_digit_holds": check_digit_holds(plain) if len(plain) == max(LENGTHS) else None,
    }
    _print(told, as_json=as_json)


@app.command(epilog="Example: repaircore vehicles lookup 1HGCM82633A004352")
def lookup(
    ctx: typer.Context,
    *,
    vin: Annotated[str, typer.Argument(help="Its VIN, or 11 to 16 characters from its beginning.")],
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Find a vehicle by its VIN; a new one is kept."""
    from repaircore.vehicle_facts.views import facts_shape
    from repaircore.vehicles.vin import LENGTHS, check_digit_holds

    with opened(ctx, database) as core:
        found = core.lookups.find_by_vin(vin)
    _print(
        {
            "id": str(found.vehicle.id),
            "vin": found.vin,
            "display_name": found.vehicle.display_name,
            "make": found.vehicle.specs.make,
            "model": found.vehicle.specs.model,
            "year": found.vehicle.specs.year,
            "trim": found.vehicle.specs.trim,
            **facts_shape(found.vehicle.specs.facts),
            "plate_no": found.plate_no,
            "plate_state": found.plate_state,
            "check_digit_holds": check_digit_holds(found.vin) if len(found.vin) == max(LENGTHS) else None,
        },
        as_json=as_json,
    )


@app.command(epilog="Example: repaircore vehicles plate CA TEST123 --environment test")
def plate(
    ctx: typer.Context,
    *,
    state: Annotated[str, typer.Argument(help="The two letters of its state.")],
    number: Annotated[str, typer.Argument(metavar="PLATE", help="What stands on it.")],
    environment: Annotated[
        str,
        typer.Option(
            "--environment",
            metavar="test|live",
            help="live asks the plate provider, which may cost money; test knows made-up plates.",
        ),
    ] = "live",
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Find the vehicle that carries a license plate."""
    from attrs import evolve

    from repaircore.kernel.callers import LOCAL
    from repaircore.vehicles.motor_types import motor_type_of

    with opened(ctx, database) as core:
        found = core.lookups.find_by_plate(
            number, state, evolve(LOCAL, environment=_environment(environment))
        )
    kind = motor_type_of(found.vehicle)
    _print(
        {
            "id": str(found.vehicle.id),
            "vin": found.vin,
            "plate": found.plate.number,
            "state": found.plate.state,
            "display_name": found.vehicle.display_name,
            "motor_vehicle_type": None if kind is None else kind.name,
            "motor_vehicle_type_group": None if kind is None else kind.group,
        },
        as_json=as_json,
    )


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


app.registered_commands += stored_vehicles.app.registered_commands


def _environment(name: str) -> "Environment":
    from repaircore.kernel.callers import Environment
    from repaircore.kernel.errors import Invalid

    try:
        return Environment(name)
    except ValueError:
        raise Invalid({"environment": ["The environment must be test or live."]}) from None


def _print(told: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(told)
        return
    for label, value in _flat(told):
        if value is not None and value is not True and value != []:
            text = "no: a character may be mistyped" if value is False else value
            text = ", ".join(map(str, text)) if isinstance(text, list) else text
            typer.echo(f"{label.replace('_', ' '):26}{text}")


def _flat(told: dict[str, Any]) -> "Iterator[tuple[str, Any]]":
    """Yield labels and values; those of the engine under its name."""
    for label, value in told.items():
        if isinstance(value, dict):
            yield from ((label if name == "name" else f"{label}_{name}", one) for name, one in value.items())
        else:
            yield label, value
