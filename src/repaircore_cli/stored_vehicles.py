"""``repaircore vehicles list``, ``show``, ``add``, ``change``, ``remove`` and ``stats``: the vehicles that are kept."""

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from repaircore_cli.options import AsJson, Database, Yes, commands
from repaircore_cli.prompts import confirm
from repaircore_cli.session import opened
from repaircore_cli.terminal import print_json, print_left, print_rows

if TYPE_CHECKING:
    from uuid import UUID

    from repaircore.vehicles.model import Vehicle
    from repaircore.vehicles.validation import VehicleChange


app = commands("Keep vehicles.")

_Id = Annotated[str, typer.Argument(metavar="ID", help="The vehicle's id, as a list or show tells it.")]
_Make = Annotated[str | None, typer.Option("--make", metavar="MAKE", help="Of this make.")]
_Model = Annotated[str | None, typer.Option("--model", metavar="MODEL", help="Of this model.")]
_Year = Annotated[int | None, typer.Option("--year", metavar="YEAR", help="Of this model year.")]
_Plate = Annotated[str | None, typer.Option("--plate", metavar="PLATE", help="The license plate.")]
_State = Annotated[
    str | None,
    typer.Option("--state", metavar="CA", help="The plate's state; `vehicles plate` then finds a whole VIN."),
]
_Type = Annotated[str | None, typer.Option("--type", metavar="TYPE", help="The motor vehicle type: Pickup.")]
_Group = Annotated[
    str | None, typer.Option("--group", metavar="GROUP", help="The group of the type: Light truck.")
]


@app.command("list", epilog="Example: repaircore vehicles list --make honda --year 2003")
def list_(
    ctx: typer.Context,
    *,
    search: Annotated[
        str | None,
        typer.Option("--search", metavar="WORDS", help="In make, model, year, or where VIN or plate begins."),
    ] = None,
    make: _Make = None,
    model: _Model = None,
    year: _Year = None,
    page: Annotated[int, typer.Option("--page", metavar="N", min=1, help="Which page.")] = 1,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=1000, help="How many at most.")
    ] = 50,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """List stored vehicles, the newest first."""
    from repaircore.vehicles.ports import VehicleFilter

    wanted = VehicleFilter(search=search, make=make, model=model, year=year)
    with opened(ctx, database) as core:
        found = core.stored_vehicles.page(wanted, number=page, per_page=limit)
    if as_json:
        from repaircore.vehicles.views import vehicle_shape

        print_json([vehicle_shape(one) for one in found])
        return
    print_rows(
        ("id", "vehicle", "vin mask", "miles", "plate", "source"),
        [
            (one.id, one.display_name, one.vin, one.current_mileage, one.plate_no, one.specs.source)
            for one in found
        ],
    )
    print_left(found, "--page, --limit or --search")


@app.command(epilog="Example: repaircore vehicles show 01890000-0000-7000-8000-000000000001")
def show(ctx: typer.Context, *, vehicle_id: _Id, database: Database = None, as_json: AsJson = False) -> None:
    """Show a stored vehicle."""
    with opened(ctx, database) as core:
        found = core.stored_vehicles.get(_uuid(vehicle_id))
    _told(found, as_json=as_json)


@app.command(epilog="Example: repaircore vehicles add 1HGCM82633A --make Honda --model Accord --year 2003")
def add(
    ctx: typer.Context,
    *,
    mask: Annotated[
        str,
        typer.Argument(
            metavar="MASK", help="11 to 17 characters of its VIN; * stands for one behind the 11th."
        ),
    ],
    model_id: Annotated[
        str | None,
        typer.Option("--model-id", metavar="ID", help="A model-year of the catalog: 2003-honda-accord."),
    ] = None,
    make: _Make = None,
    model: _Model = None,
    year: _Year = None,
    mileage: Annotated[int, typer.Option("--mileage", metavar="N", help="Its odometer, in miles.")] = 0,
    plate: _Plate = None,
    state: _State = None,
    kind: _Type = None,
    group: _Group = None,
    region: Annotated[
        str | None, typer.Option("--region", metavar="ID", help="The region where it was first seen.")
    ] = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Keep a vehicle: VINs that begin as its mask does mean it from then on."""
    from repaircore.vehicles.validation import CreateVehicle

    told = CreateVehicle(
        vin_mask=mask,
        current_mileage=mileage,
        plate_no=plate,
        plate_state=state,
        motor_vehicle_type=kind,
        motor_vehicle_type_group=group,
        vehicle_model_id=model_id,
        new_make=make,
        new_model=model,
        new_year=year,
        seed_facility_id=region,
    )
    with opened(ctx, database) as core:
        made = core.stored_vehicles.create(told)
    _told(made, as_json=as_json)


@app.command(epilog="Example: repaircore vehicles change ID --mileage 130000 --plate 7ABC123")
def change(
    ctx: typer.Context,
    *,
    vehicle_id: _Id,
    mask: Annotated[
        str | None, typer.Option("--mask", metavar="MASK", help="11 to 17 characters of its VIN.")
    ] = None,
    mileage: Annotated[
        int | None, typer.Option("--mileage", metavar="N", help="Its odometer, in miles.")
    ] = None,
    plate: _Plate = None,
    state: _State = None,
    kind: _Type = None,
    group: _Group = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Change what is told of a vehicle; an empty text ('') takes something away."""
    told = {
        "vin_mask": mask,
        "current_mileage": mileage,
        "plate_no": plate,
        "plate_state": state,
        "motor_vehicle_type": kind,
        "motor_vehicle_type_group": group,
    }
    meant = cast("VehicleChange", {name: value for name, value in told.items() if value is not None})
    with opened(ctx, database) as core:
        changed = core.stored_vehicles.update(_uuid(vehicle_id), meant)
    _told(changed, as_json=as_json)


@app.command(epilog="Example: repaircore vehicles remove ID --yes")
def remove(
    ctx: typer.Context,
    *,
    vehicle_id: _Id,
    yes: Yes = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Remove a vehicle that nothing refers to."""
    with opened(ctx, database) as core:
        found = core.stored_vehicles.get(_uuid(vehicle_id))
        confirm(f"{found.display_name} ({found.vin or 'no VIN'}) is forgotten. Go on?", yes=yes)
        core.stored_vehicles.delete(found.id)
    if as_json:
        print_json({"id": str(found.id), "removed": True})
    else:
        typer.echo(f"{found.display_name} is removed.")


@app.command(epilog="Example: repaircore vehicles stats")
def stats(ctx: typer.Context, *, database: Database = None, as_json: AsJson = False) -> None:
    """Count stored vehicles: by make, model year, source and type, and those that came in a month."""
    with opened(ctx, database) as core:
        counts = core.stored_vehicles.counts()
    groups: dict[str, Any] = {
        "make": counts.makes,
        "year": counts.years,
        "source": counts.sources,
        "type": counts.types,
        "month": counts.months,
    }
    if as_json:
        told = {
            f"by_{name}": [{name: value, "count": n} for value, n in pairs] for name, pairs in groups.items()
        }
        print_json({"total": counts.total, **told})
        return
    print_rows(
        ("by", "value", "vehicles"),
        [
            ("all", "", counts.total),
            *((name, value or "not known", n) for name, pairs in groups.items() for value, n in pairs),
        ],
    )


def _uuid(text: str) -> "UUID":
    from uuid import UUID

    from repaircore.vehicles.errors import StoredVehicleNotFound

    try:
        return UUID(text)
    except ValueError:
        raise StoredVehicleNotFound from None


def _told(vehicle: "Vehicle", *, as_json: bool) -> None:
    from repaircore.vehicles.views import vehicle_shape

    shape = vehicle_shape(vehicle)
    if as_json:
        print_json(shape)
        return
    for label, value in shape.items():
        if value is not None:
            typer.echo(f"{label.replace('_', ' '):26}{value}")
