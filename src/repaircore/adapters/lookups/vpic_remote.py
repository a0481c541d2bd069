"""VINs decoded by NHTSA's vPIC service over HTTP.

The service is public and free, and answers ``DecodeVinValues`` with one flat object of texts. Nothing
in an answer is trusted: its shape, its lengths and its ranges are checked.
"""

import math
import re
from collections.abc import Mapping
from typing import Any, Final

import orjson
from attrs import frozen
from typing_extensions import override

from repaircore.adapters.outbound.client import Outbound
from repaircore.adapters.outbound.failures import NoAnswer
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.spelling import make_name, model_name
from repaircore.kernel.traits import Powertrain
from repaircore.kernel.types import Clock
from repaircore.vehicles.elements import body_of, drive_of, engine_text, powertrain_of
from repaircore.vehicles.model import Decoded
from repaircore.vehicles.ports import VinDecoder
from repaircore.vehicles.powertrains import usual_powertrain

__all__ = ["PUBLIC_URL", "VpicRemoteDecoder"]

PUBLIC_URL: Final = "https://vpic.nhtsa.dot.gov/api/vehicles"
"""Where NHTSA offers the service."""

_MAX_NAME = 80
_FIRST_YEAR = 1980
_MAX_LITERS = 20.0
_MAX_CYLINDERS = 24
_DESCRIBING = 11
_SMALL_MAKERS = 14
_YEAR = re.compile(r"[0-9]{4}")
_UNPRINTABLE = re.compile(r"[^ -~\u00a0-\u024f]")


class _Refused(Exception):
    """An answer that is of no use, with the reason why."""


@frozen(kw_only=True)
class VpicRemoteDecoder(VinDecoder):
    """Ask a vPIC service, which has ``seconds`` for each VIN."""

    clock: Clock
    service: Outbound
    seconds: float = 3.0

    @classmethod
    def at(cls, url: str = PUBLIC_URL, *, clock: Clock, seconds: float = 3.0) -> "VpicRemoteDecoder":
        """Build the decoder that asks the service at an address; without one, NHTSA's."""
        return cls(clock=clock, service=Outbound(url=url), seconds=seconds)

    @property
    @override
    def source(self) -> str:
        return "vpic_remote"

    @override
    def decode(self, vin: str) -> Decoded | None:
        path = f"/DecodeVinValues/{_described(vin)}"
        try:
            reply = self.service.get(path, query={"format": "json"}, seconds=self.seconds)
            return self._read(_row(reply.body))
        except NoAnswer as failure:
            raise Unavailable(f"The VIN service failed: {failure.message}.") from None
        except _Refused as refused:
            raise Unavailable(f"The VIN service {refused}.") from None

    def _read(self, row: Mapping[str, Any]) -> Decoded | None:
        make, model = _name(row, "Make"), _name(row, "Model")
        year = self._year(row)
        if make is None or model is None or year is None:
            return None
        return _decoded(row, make_name(make), model_name(model), year, self.source)

    def _year(self, row: Mapping[str, Any]) -> int | None:
        told = _text(row, "ModelYear")
        if told is None:
            return None
        if _YEAR.fullmatch(told) is None or not _FIRST_YEAR <= int(told) <= self.clock().year + 1:
            raise _Refused("answered with an impossible year")
        return int(told)


def _described(vin: str) -> str:
    """Keep what describes the vehicle: the serial number, which singles it out, is nobody else's business.

    Small makers are known by three characters of it.
    """
    return vin[: _SMALL_MAKERS if vin[2] == "9" else _DESCRIBING]


def _row(body: bytes) -> Mapping[str, Any]:
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise _Refused("answered with something that is not JSON") from None
    rows = answer.get("Results") if isinstance(answer, dict) else None
    if not isinstance(rows, list) or len(rows) != 1 or not isinstance(rows[0], dict):
        raise _Refused("answered in an unknown shape")
    return rows[0]


def _text(row: Mapping[str, Any], name: str) -> str | None:
    """Give a field's text; missing, null, blank and "Not Applicable" are nothing."""
    told = row.get(name)
    if told is None:
        return None
    if not isinstance(told, str):
        raise _Refused("answered in an unknown shape")
    clean = " ".join(told.split())
    return None if clean.lower() in {"", "not applicable"} else clean


def _name(row: Mapping[str, Any], name: str) -> str | None:
    told = _text(row, name)
    if told is not None and (len(told) > _MAX_NAME or _UNPRINTABLE.search(told)):
        raise _Refused("answered with an impossible name")
    return told


def _decoded(row: Mapping[str, Any], make: str, model: str, year: int, source: str) -> Decoded:
    trim = _name(row, "Trim") or _name(row, "Series")
    powertrain = powertrain_of(
        electrification=_text(row, "ElectrificationLevel"),
        fuels=[fuel for fuel in (_text(row, "FuelTypePrimary"), _text(row, "FuelTypeSecondary")) if fuel],
        names=(model, trim),
    )
    return Decoded(
        make=make,
        model=model,
        year=year,
        trim=trim,
        engine=_engine(row, powertrain),
        powertrain=powertrain or usual_powertrain(make, model, year),
        drive=drive_of(_text(row, "DriveType")) or drive_of(trim),
        body=body_of(_text(row, "BodyClass"), _text(row, "VehicleType")),
        source=source,
    )


def _engine(row: Mapping[str, Any], powertrain: Powertrain | None) -> str | None:
    if powertrain is Powertrain.ELECTRIC:
        return engine_text(None, None, electric=True)
    liters = _number(row, "DisplacementL", _MAX_LITERS)
    cylinders = _number(row, "EngineCylinders", _MAX_CYLINDERS)
    return engine_text(liters, None if cylinders is None else int(cylinders))


def _number(row: Mapping[str, Any], name: str, most: float) -> float | None:
    """Read a positive number; what is none, or beyond ``most``, is not told."""
    try:
        told = float(_text(row, name) or "nan")
    except ValueError:
        return None
    return told if math.isfinite(told) and 0 < told <= most else None
