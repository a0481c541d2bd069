"""The imported catalog as a file in the EPA's format, which ``epa`` reads back unchanged."""

from collections.abc import Sequence
from typing import Final

from repaircore.catalog.model import CatalogEntry, Fuel
from repaircore.kernel.traits import Body, Drive

HEAD: Final = (
    "make",
    "model",
    "year",
    "VClass",
    "drive",
    "cylinders",
    "displ",
    "fuelType1",
    "atvType",
)
"""The columns of an export, as fueleconomy.gov calls them."""

_FUELS: Final = {
    Fuel.GASOLINE: ("Regular Gasoline", ""),
    Fuel.DIESEL: ("Diesel", ""),
    Fuel.HYBRID: ("Regular Gasoline", "Hybrid"),
    Fuel.PLUG_IN_HYBRID: ("Regular Gasoline", "Plug-in Hybrid"),
    Fuel.ELECTRIC: ("Electricity", "EV"),
    Fuel.HYDROGEN: ("Hydrogen", "FCV"),
    Fuel.CNG: ("CNG", ""),
    Fuel.PROPANE: ("Propane", ""),
}
"""The ``fuelType1`` and ``atvType`` of each fuel."""

_DRIVES: Final = {
    Drive.FWD: "Front-Wheel Drive",
    Drive.RWD: "Rear-Wheel Drive",
    Drive.AWD: "All-Wheel Drive",
    Drive.FOUR_WD: "4-Wheel Drive",
}
_CLASSES: Final = {
    Body.PICKUP: "Pickup Trucks",
    Body.SUV: "Sport Utility Vehicles",
    Body.VAN: "Vans",
    Body.CAR: "Cars",
}


def row_of(entry: CatalogEntry) -> Sequence[str]:
    """Return an entry as a row of an export, with the model name that its source published."""
    engine = entry.engine
    fuel, technology = _FUELS[engine.fuel]
    return (
        entry.make,
        entry.published,
        str(entry.year),
        "" if entry.body is None else _CLASSES[entry.body],
        "" if entry.drive is None else _DRIVES[entry.drive],
        str(engine.cylinders or ""),
        f"{engine.tenths / 10:.1f}" if engine.tenths else "",
        fuel,
        technology,
    )
