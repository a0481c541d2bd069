"""``repaircore vehicles list``, ``show``, ``add``, ``change``, ``remove`` and ``stats``: the stored vehicles."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore_cli.options import Yes
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import none_of, print_fields, print_left, print_rows

if TYPE_CHECKING:
    from uuid import UUID

    from repaircore.core import Core
    from repaircore.vehicles.model import Vehicle


app = commands("Maintain stored vehicles.")

_Id = Annotated[str, typer.Argument(metavar="ID", help="The vehicle's id, as list prints it.")]
_Make = Annotated[str | None, typer.Option("--make", metavar="MAKE", help="The vehicle's make.")]
_Model = Annotated[str | None, typer.Option("--model", metavar="MODEL", help="The vehicle's model.")]
_Year = Annotated[int | None, typer.Option("--year", metavar="YEAR", help="The vehicle's model year.")]
_Plate = Annotated[str | None, typer.Option("--plate", metavar="PLATE", help="The license plate.")]
_State = Annotated[
    str | None,
    typer.Option(
        "--state", metavar="CA", help="The plate's state; with it, `vehicles plate` finds the vehicle."
    ),
]
_Type = Annotated[
    str | None, typer.Option("--type", metavar="TYPE", help="The motor vehicle type, such as Pickup.")
]
_Group = Annotated[
    str | None, typer.Option("--group", metavar="GROUP", help="The vehicle group, such as Light truck.")
]


@app.command(
    "list", epilog="Example: repaircore vehicles list --make honda --year 2003", opening=reading, rows=True
)
def list_(
    core: "Core",
    *,
    search: Annotated[
        str | None,
        typer.Option(
            "--search",
            metavar="WORDS",
            help="Words in the make, model or year, or the beginning of a VIN or plate.",
        ),
    ] = None,
    make: _Make = None,
    model: _Model = None,
    year: _Year = None,
    page: Annotated[int, typer.Option("--page", metavar="N", min=1, help="The page.")] = 1,
    limit: Annotated[
        int,
        typer.Option(
            "--limit", metavar="N", min=1, max=1000, help="The maximum number of vehicles on a page."
        ),
    ] = 50,
) -> Output:
    """List stored vehicles, newest first."""
    from repaircore.kernel.paging import PageRequest
    from repaircore.vehicles.model import VehicleFilter
    from repaircore.vehicles.views import VehicleView

    wanted = VehicleFilter(search=search, make=make, model=model, year=year)
    found = core.stored_vehicles.page(wanted, request=PageRequest(number=page, per_page=limit))
    yield [VehicleView.of(vehicle) for vehicle in found]
    print_rows(
        ("id", "vehicle", "VIN mask", "odometer", "plate", "source"),
        [
            (
                vehicle.id,
                vehicle.display_name,
                vehicle.vin,
                vehicle.current_mileage,
                vehicle.plate_no,
                vehicle.specs.source,
            )
            for vehicle in found
        ],
        none=none_of("vehicles", search, make, model, year, page - 1),
    )
    print_left(found, "--page, --limit or --search")


@app.command(epilog="Example: repaircore vehicles show 01890000-0000-7000-8000-000000000001", opening=reading)
def show(core: "Core", *, vehicle_id: _Id) -> Output:
    """Show a stored vehicle."""
    found = core.stored_vehicles.get(_uuid(vehicle_id))
    yield from _print(found)


@app.command(epilog="Example: repaircore vehicles add 1HGCM82633A --make Honda --model Accord --year 2003")
def add(
    core: "Core",
    *,
    mask: Annotated[
        str,
        typer.Argument(
            metavar="MASK",
            help="The first 11 to 17 characters of its VIN; after the 11th, * stands for any character.",
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
        str | None, typer.Option("--region", metavar="ID", help="The facility where it was first seen.")
    ] = None,
) -> Output:
    """Create a vehicle; from now on, VINs that match its mask refer to it."""
    from repaircore.vehicles.validation import CreateVehicle

    data = CreateVehicle(
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
    created = core.stored_vehicles.create(data)
    yield from _print(created)


@app.command(epilog="Example: repaircore vehicles change ID --mileage 130000 --plate 7ABC123")
def change(
    core: "Core",
    *,
    vehicle_id: _Id,
    mask: Annotated[
        str | None, typer.Option("--mask", metavar="MASK", help="The first 11 to 17 characters of its VIN.")
    ] = None,
    mileage: Annotated[
        int | None, typer.Option("--mileage", metavar="N", help="Its odometer, in miles.")
    ] = None,
    plate: _Plate = None,
    state: _State = None,
    kind: _Type = None,
    group: _Group = None,
) -> Output:
    """Update the given fields of a vehicle; an empty value ('') clears a field."""
    fields = {
        "vin_mask": mask,
        "current_mileage": mileage,
        "plate_no": plate,
        "plate_state": state,
        "motor_vehicle_type": kind,
        "motor_vehicle_type_group": group,
    }
    changes = {name: value for name, value in fields.items() if value is not None}
    updated = core.stored_vehicles.update(_uuid(vehicle_id), changes)
    yield from _print(updated)


@app.command(epilog="Example: repaircore vehicles remove ID --yes")
def remove(core: "Core", *, vehicle_id: _Id, yes: Yes = False) -> Output:
    """Delete a vehicle that nothing refers to."""
    found = core.stored_vehicles.get(_uuid(vehicle_id))
    confirm(f"{found.display_name} ({found.vin or 'no VIN'}) will be deleted. Continue?", yes=yes)
    core.stored_vehicles.delete(found.id)
    yield {"id": str(found.id), "removed": True}
    typer.echo(f"{found.display_name} was deleted.")


@app.command(epilog="Example: repaircore vehicles stats", opening=reading, rows=True)
def stats(core: "Core") -> Output:
    """Count stored vehicles by make, model year, source and type, and by the month in which they were stored."""
    counts = core.stored_vehicles.counts()
    groups: dict[str, Any] = {
        "make": counts.makes,
        "year": counts.years,
        "source": counts.sources,
        "type": counts.types,
        "month": counts.months,
    }
    by_group = {
        f"by_{name}": [{name: value, "count": n} for value, n in pairs] for name, pairs in groups.items()
    }
    yield {"total": counts.total, **by_group}
    print_rows(
        ("by", "value", "vehicles"),
        [
            ("all", "", counts.total),
            *((name, value or "unknown", n) for name, pairs in groups.items() for value, n in pairs),
        ],
    )


def _uuid(text: str) -> "UUID":
    from uuid import UUID

    from repaircore.vehicles.errors import StoredVehicleNotFound

    try:
        return UUID(text)
    except ValueError:
        raise StoredVehicleNotFound from None


def _print(vehicle: "Vehicle") -> Output:
    from repaircore.json_text import plain
    from repaircore.vehicles.views import VehicleView

    view = VehicleView.of(vehicle)
    yield view
    shown = {label.replace("_", " "): value for label, value in plain(view).items() if value is not None}
    print_fields([(label, str(value)) for label, value in shown.items()])
