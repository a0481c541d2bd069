"""VINs decoded by the vPIC data that the ``ultravin`` package ships.

The package is one library with the data inside; it is loaded at the first question, for starting is not the time to
map a hundred megabytes. It has no state of its own, so that any number of threads may ask.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from attrs import frozen
from typing_extensions import override

from repaircore.adapters.lookups.vin_pages import release_vin_pages
from repaircore.adapters.lookups.vpic_rows import clean_row, decoded_row
from repaircore.kernel.types import Clock, Lazy
from repaircore.vehicle_facts.completion import Mechanics
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.ports import VinDecoder

_NO_VEHICLES: Final = frozenset({"trailer"})
"""Types that have a VIN and nothing that this product repairs."""


@frozen
class VpicVinDecoder(VinDecoder):
    """Decode VINs from the installed vPIC data; ``mechanics`` are the tables that complete what it says."""

    clock: Clock
    mechanics: Lazy[Mechanics]

    @property
    @override
    def source(self) -> str:
        return "vpic"

    @override
    def decode(self, vin: str) -> VehicleSpecs | None:
        import ultravin  # noqa: PLC0415 - loads its data when imported

        told = ultravin.decode(vin, now=self.clock())
        release_vin_pages()
        year = told["model_year"]
        row = clean_row(by_code(told["attributes"]))
        if year is None or not is_vehicle(row) or year > self.clock().year + 1:
            return None
        return decoded_row(row, year=year, source=self.source, mechanics=self.mechanics())


def is_vehicle(row: Mapping[str, str]) -> bool:
    """Return whether a row names a make and a model of something that is driven."""
    return "Make" in row and "Model" in row and row.get("VehicleType", "").casefold() not in _NO_VEHICLES


def by_code(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the package's answer by the codes that NHTSA's service uses."""
    codes = element_codes()
    return {codes[name]: value for name, value in attributes.items() if name in codes}


@cache
def element_codes() -> Mapping[str, str]:
    """Return the code of each element by its name in the package's answers."""
    import ultravin  # noqa: PLC0415 - as above

    return {name: element["code"] for name, element in ultravin.ELEMENTS.items() if element["code"]}


def data_month() -> str:
    """Return the month of the installed VIN data: "2026-10"."""
    import ultravin  # noqa: PLC0415 - as above

    return str(ultravin.provenance()["data_month"]).replace("_", "-")
