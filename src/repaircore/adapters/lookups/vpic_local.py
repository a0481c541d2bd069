"""VINs out of the vPIC data that the ``vin`` package ships.

The package's own connection must not be shared: its pattern function needs the interpreter's lock
while another thread that holds the lock waits for the connection, and both wait forever. So each
decoding borrows a connection that no other thread has. The package reads its data (30 MB) when it is
imported, so it is imported at the first question.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen
from typing_extensions import override

from repaircore.kernel.spelling import make_name, model_name
from repaircore.kernel.types import Clock
from repaircore.vehicles.elements import body_of, drive_of, powertrain_of
from repaircore.vehicles.model import Decoded
from repaircore.vehicles.ports import VinDecoder
from repaircore.vehicles.powertrains import usual_powertrain
from repaircore.vehicles.vin import model_years

if TYPE_CHECKING:
    from vin.database import VehicleDB

__all__ = ["VpicData", "VpicVinDecoder", "decoded"]

_SMALL_MAKER = "9"


@define
class VpicData:
    """The shipped data, and the connections to it; one for a process, shared by whoever asks."""

    _idle: list["VehicleDB"] = field(factory=list, init=False)

    @contextmanager
    def connection(self) -> Iterator["VehicleDB"]:
        """Lend a connection that nobody else uses meanwhile; as many are opened as are lent at once."""
        from vin.database import VehicleDB  # noqa: PLC0415 - reads its data when imported

        try:
            lent = self._idle.pop()
        except IndexError:
            lent = VehicleDB()
        try:
            yield lent
        finally:
            self._idle.append(lent)

    def close(self) -> None:
        """Close the connections that are not lent."""
        while self._idle:
            self._idle.pop().__exit__(None, None, None)


@frozen
class VpicVinDecoder(VinDecoder):
    """Decode VINs from the shipped vPIC patterns, which end in early 2024."""

    data: VpicData
    clock: Clock

    @property
    @override
    def source(self) -> str:
        return "vpic"

    @override
    def decode(self, vin: str) -> Decoded | None:
        latest = self.clock().year + 1
        with self.data.connection() as db:
            for year in model_years(vin, latest=latest):
                details = db.decode_vin(_maker(vin), f"{vin[3:8]}|{vin[9:11]}", year)
                if details and details.get("make") and details.get("model"):
                    return decoded(details, year, self.source)
        return None


def _maker(vin: str) -> str:
    """Give the maker's code; small makers share the first three characters and add three of the serial."""
    return vin[:3] + vin[11:14] if vin[2] == _SMALL_MAKER else vin[:3]


def decoded(details: Mapping[str, Any], year: int, source: str) -> Decoded:
    """Read a row of the package (its make and model are told) into the slice's own words."""
    make, model = make_name(details["make"]), model_name(details["model"])
    trim, series = details.get("trim"), details.get("series")
    body = body_of(details.get("body_class"), details.get("vehicle_type"))
    told = powertrain_of(
        electrification=details.get("electrification_level"), names=(details["model"], trim, series)
    )
    return Decoded(
        make=make,
        model=model,
        year=year,
        trim=_clean(trim) or _clean(series),
        powertrain=told or usual_powertrain(make, model, year),
        drive=drive_of(trim, series),
        body=body,
        source=source,
    )


def _clean(text: str | None) -> str | None:
    return " ".join(text.split()) or None if text else None
