"""Decode VINs with the vPIC data that the ``ultravin`` package ships.

The package is one library with the data inside; it is loaded on the first lookup, because mapping a hundred megabytes
would slow down startup. It has no state of its own, so any number of threads may use it.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from attrs import frozen
from typing_extensions import override

from repaircore.adapters.lookups.vin_catalog import newest_catalog, write_catalog
from repaircore.adapters.lookups.vin_pages import release_vin_pages
from repaircore.adapters.lookups.vpic_rows import clean_row, decoded_row
from repaircore.catalog.ports import VinData
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.types import Clock, Lazy
from repaircore.vehicle_facts.completion import Mechanics
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.ports import VinDecoder

_NO_VEHICLES: Final = frozenset({"trailer"})
"""Vehicle types that have VINs but are not covered by this product."""


@frozen
class VpicVinDecoder(VinDecoder):
    """A decoder that uses the installed vPIC data; ``mechanics`` are the tables that complete a result."""

    clock: Clock
    mechanics: Lazy[Mechanics]

    @property
    @override
    def source(self) -> str:
        return "vpic"

    @override
    def decode(self, vin: str) -> VehicleSpecs | None:
        import ultravin  # noqa: PLC0415 - loads its data when imported

        decoded = ultravin.decode(vin, now=self.clock())
        row = clean_row(by_code(decoded["attributes"]))
        release_vin_pages()  # after ``by_code``, whose first call reads the codes from these pages
        year = decoded["model_year"]
        if year is None or not is_vehicle(row) or year > self.clock().year + 1:
            return None
        return decoded_row(row, year=year, source=self.source, mechanics=self.mechanics())


def is_vehicle(row: Mapping[str, str]) -> bool:
    """Return whether a row has a make and a model and is not a trailer."""
    return "Make" in row and "Model" in row and row.get("VehicleType", "").casefold() not in _NO_VEHICLES


def by_code(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the package's attributes by the codes of NHTSA's service, without those that have no code."""
    codes = element_codes()
    return {codes[name]: value for name, value in attributes.items() if name in codes}


@cache
def element_codes() -> Mapping[str, str]:
    """Return the code of each element, keyed by the package's name for it."""
    import ultravin  # noqa: PLC0415 - as above

    return {name: element["code"] for name, element in ultravin.ELEMENTS.items() if element["code"]}


def data_month() -> str:
    """Return the month of the installed VIN data, such as "2026-10"."""
    import ultravin  # noqa: PLC0415 - as above

    return str(ultravin.provenance()["data_month"]).replace("_", "-")


@frozen
class InstalledVinData(VinData):
    """The data of the ``ultravin`` package; ``path`` is the file of the rebuilt catalog."""

    path: Path

    @override
    def month(self) -> str:
        return data_month()

    @override
    def catalog_month(self) -> str:
        return newest_catalog(self.path).month

    @override
    def build(self, *, latest: int) -> int:
        from repaircore.adapters.lookups.vin_patterns import (  # noqa: PLC0415 - loads the data when imported
            sold_variants,
        )

        sold = ((variant.row, variant.years) for variant in sold_variants(latest=latest))
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return write_catalog(self.path, sold, month=data_month())
        except OSError as error:
            raise Unavailable(f"The catalog {self.path} cannot be written: {error.strerror}.") from error
