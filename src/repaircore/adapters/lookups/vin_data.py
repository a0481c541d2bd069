"""The installed VIN data, and the catalog that is built from it."""

from pathlib import Path

from attrs import frozen
from typing_extensions import override

from repaircore.adapters.lookups.vin_catalog import newest_catalog, write_catalog
from repaircore.adapters.lookups.vpic_local import data_month
from repaircore.catalog.ports import VinData
from repaircore.kernel.errors import Unavailable


@frozen
class InstalledVinData(VinData):
    """The data of the ``ultravin`` package; ``path`` is where a catalog that is built anew is kept."""

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
            raise Unavailable(f"The catalog cannot be written: {error.strerror}.") from error
