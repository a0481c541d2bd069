"""Decode VINs with NHTSA's vPIC service over HTTP.

The service is public and free; ``DecodeVinValues`` returns one flat JSON object of strings. Responses are not trusted:
their shape, lengths and ranges are validated.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from attrs import frozen
from typing_extensions import override

from repaircore.adapters.lookups.vpic_local import is_vehicle
from repaircore.adapters.lookups.vpic_rows import clean_row, decoded_row
from repaircore.adapters.outbound.client import Outbound
from repaircore.adapters.outbound.failures import NoAnswer
from repaircore.json_text import NotJsonError, decode
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.types import Clock, Lazy
from repaircore.vehicle_facts.completion import Mechanics
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicle_facts.vpic_facts import VpicRow
from repaircore.vehicles.ports import VinDecoder

PUBLIC_URL: Final = "https://vpic.nhtsa.dot.gov/api/vehicles"
"""The URL of NHTSA's service."""

_MAX_NAME = 80
_FIRST_YEAR = 1980
_DESCRIBING = 11
_SMALL_MAKERS = 14
_YEAR = re.compile(r"[0-9]{4}")
_NAMES = ("Make", "Model", "Trim", "Trim2", "Series", "Series2")
_ELEMENTS = frozenset(
    {
        *_NAMES,
        *(
            "ModelYear",
            "VehicleType",
            "BodyClass",
            "Doors",
            "DriveType",
            "TransmissionStyle",
            "BrakeSystemType",
            "GVWR",
            "GVWR_to",
        ),
        *(
            "DisplacementL",
            "EngineCylinders",
            "EngineConfiguration",
            "EngineHP",
            "EngineModel",
            "OtherEngineInfo",
        ),
        *(
            "ValveTrainDesign",
            "Turbo",
            "FuelTypePrimary",
            "FuelTypeSecondary",
            "ElectrificationLevel",
            "BatteryKWh",
        ),
    }
)
_UNPRINTABLE = re.compile(r"[^ -~\u00a0-\u024f]")


class _InvalidResponse(Exception):
    """An invalid response; the message completes a sentence about the service: "returned …"."""


@frozen(kw_only=True)
class VpicRemoteDecoder(VinDecoder):
    """A decoder that calls a vPIC service; ``seconds`` is the time limit for a VIN."""

    clock: Clock
    mechanics: Lazy[Mechanics]
    service: Outbound
    seconds: float = 3.0

    @classmethod
    def at(
        cls, url: str = PUBLIC_URL, *, clock: Clock, mechanics: Lazy[Mechanics], seconds: float = 3.0
    ) -> "VpicRemoteDecoder":
        """Return a decoder that uses the service at ``url``, by default NHTSA's."""
        return cls(clock=clock, mechanics=mechanics, service=Outbound(url=url), seconds=seconds)

    @property
    @override
    def source(self) -> str:
        return "vpic_remote"

    @override
    def decode(self, vin: str) -> VehicleSpecs | None:
        path = f"/DecodeVinValues/{_described(vin)}"
        try:
            reply = self.service.get(path, query={"format": "json"}, seconds=self.seconds)
            return self._read(_checked(_row(reply.body)))
        except NoAnswer as failure:
            raise Unavailable(f"The VIN service failed: {failure.message}.") from None
        except _InvalidResponse as refused:
            raise Unavailable(f"The VIN service {refused}.") from None

    def _read(self, row: VpicRow) -> VehicleSpecs | None:
        year = self._year(row)
        if not is_vehicle(row) or year is None:
            return None
        return decoded_row(row, year=year, source=self.source, mechanics=self.mechanics())

    def _year(self, row: VpicRow) -> int | None:
        year = row.get("ModelYear")
        if year is None:
            return None
        if _YEAR.fullmatch(year) is None or not _FIRST_YEAR <= int(year) <= self.clock().year + 1:
            raise _InvalidResponse("returned an invalid model year")
        return int(year)


def _described(vin: str) -> str:
    """Return the characters that describe the vehicle, without the serial number that identifies it.

    A small maker is identified by three characters of the serial number, which are included.
    """
    return vin[: _SMALL_MAKERS if vin[2] == "9" else _DESCRIBING]


def _row(body: bytes) -> Mapping[str, Any]:
    try:
        answer = decode(body)
    except NotJsonError:
        raise _InvalidResponse("returned a response that is not JSON") from None
    rows = answer.get("Results") if isinstance(answer, dict) else None
    if not isinstance(rows, list) or len(rows) != 1 or not isinstance(rows[0], dict):
        raise _InvalidResponse("returned a response in an unknown format")
    return rows[0]


def _checked(row: Mapping[str, Any]) -> VpicRow:
    """Return the relevant elements; each must be a string, and names must be printable and not too long."""
    elements = {name: value for name, value in row.items() if name in _ELEMENTS and value is not None}
    if not all(isinstance(value, str) for value in elements.values()):
        raise _InvalidResponse("returned a response in an unknown format")
    clean = clean_row(elements)
    if any(
        len(clean.get(name, "")) > _MAX_NAME or _UNPRINTABLE.search(clean.get(name, "")) for name in _NAMES
    ):
        raise _InvalidResponse("returned a name that is too long or has unprintable characters")
    return clean
