"""``repaircore vehicles``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore_cli import stored_vehicles
from repaircore_cli.session import Output, commands, reading_shipped
from repaircore_cli.terminal import print_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from repaircore.core import Core
    from repaircore.kernel.callers import Environment


app = commands("Look up vehicles, and maintain stored ones.")


@app.callback()
def _group() -> None:
    """Look up vehicles, and maintain stored ones."""


@app.command(epilog="Example: repaircore vehicles decode 1HGCM82633A004352", opening=reading_shipped)
def decode(
    core: "Core", *, vin: Annotated[str, typer.Argument(help="The first 11 characters, or all 17.")]
) -> Output:
    """Decode a VIN; nothing is stored."""
    from repaircore.vehicles.views import DecodedVinView
    from repaircore.vehicles.vin import normalize

    specs = core.vehicles.decode(vin)
    yield from _print(DecodedVinView.of(normalize(vin), specs))


@app.command(epilog="Example: repaircore vehicles lookup 1HGCM82633A004352")
def lookup(
    core: "Core", *, vin: Annotated[str, typer.Argument(help="The VIN, or its first 11 to 16 characters.")]
) -> Output:
    """Look up a vehicle by its VIN; a new one is stored."""
    from repaircore.vehicles.views import StoredVinLookupView

    found = core.lookups.find_by_vin(vin)
    yield from _print(StoredVinLookupView.of(found))


@app.command(epilog="Example: repaircore vehicles plate CA TEST123 --environment test")
def plate(
    core: "Core",
    *,
    state: Annotated[str, typer.Argument(help="The two-letter code of its state.")],
    number: Annotated[str, typer.Argument(metavar="PLATE", help="The plate number.")],
    environment: Annotated[
        str,
        typer.Option(
            "--environment",
            metavar="test|live",
            help="live calls the plate provider, which may cost money; test has made-up plates.",
        ),
    ] = "live",
) -> Output:
    """Look up a vehicle by its license plate."""
    from attrs import evolve

    from repaircore.kernel.callers import LOCAL
    from repaircore.vehicles.views import PlateLookupView

    found = core.lookups.find_by_plate(number, state, evolve(LOCAL, environment=_environment(environment)))
    yield from _print(PlateLookupView.of(found))


@app.command(
    "read-vin", epilog="Example: repaircore vehicles read-vin door-label.jpg", opening=reading_shipped
)
def read_vin(
    core: "Core", *, file: Annotated[str, typer.Argument(metavar="FILE", help="A JPEG, PNG or WebP file.")]
) -> Output:
    """Read the VIN in a photo."""
    from repaircore.vehicles.views import ExtractedVinView

    with Path(file).open("rb") as image:
        read = core.vehicles.extract_vin(image)
    yield ExtractedVinView.of(read)
    typer.echo(read.vin)
    if read.doubt is not None:
        typer.echo(read.doubt, err=True)


app.registered_commands += stored_vehicles.app.registered_commands


def _environment(name: str) -> "Environment":
    from repaircore.kernel.callers import Environment
    from repaircore.kernel.errors import Invalid

    try:
        return Environment(name)
    except ValueError:
        raise Invalid({"environment": ["The environment must be test or live."]}) from None


def _print(answer: object) -> Output:
    """Print a vehicle: its view as JSON, or a line for each known field; a correct check digit is left out."""
    from repaircore.json_text import plain

    yield answer
    fields = []
    for label, value in _flatten(plain(answer)):
        if value is not None and value is not True and value != []:
            text = "no: a character may be mistyped" if value is False else value
            text = ", ".join(map(str, text)) if isinstance(text, list) else text
            fields.append((label.replace("_", " "), str(text)))
    print_fields(fields)


def _flatten(fields: dict[str, Any]) -> "Iterator[tuple[str, Any]]":
    """Yield labels and values; the fields of a nested object, such as the engine, are prefixed with its label."""
    for label, value in fields.items():
        if isinstance(value, dict):
            yield from (
                (label if name == "name" else f"{label}_{name}", inner) for name, inner in value.items()
            )
        else:
            yield label, value
