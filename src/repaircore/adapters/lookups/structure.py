"""VINs read by their structure alone, with the tables of the ``vininfo`` package.

The tables name the maker of nearly every VIN and the model of a few makers'. A price needs a model:
what yields none is nothing.
"""

from attrs import frozen
from typing_extensions import override

from repaircore.kernel.spelling import make_name, model_name
from repaircore.kernel.types import Clock
from repaircore.vehicles.model import Decoded
from repaircore.vehicles.ports import VinDecoder
from repaircore.vehicles.powertrains import usual_powertrain
from repaircore.vehicles.vin import model_year

__all__ = ["StructureDecoder"]

_LENGTH = 17


@frozen
class StructureDecoder(VinDecoder):
    """Name make, model and year where the structure of the VIN tells exactly one of each."""

    clock: Clock

    @property
    @override
    def source(self) -> str:
        return "structure"

    @override
    def decode(self, vin: str) -> Decoded | None:
        from vininfo import Vin  # noqa: PLC0415 - its tables are large, and seldom needed

        year = model_year(vin, latest=self.clock().year + 1)
        read = Vin(vin.ljust(_LENGTH, "0"))
        model = getattr(read.details, "model", None)
        if year is None or model is None or not isinstance(model.name, str):
            return None
        make, name = make_name(str(read.manufacturer)), model_name(model.name.split("(")[0])
        return Decoded(
            make=make,
            model=name,
            year=year,
            powertrain=usual_powertrain(make, name, year),
            source=self.source,
        )
