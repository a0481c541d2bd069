"""Look up plates at a provider over HTTP, with the protocol in docs/reference/plate-provider-protocol.md.

Responses are not trusted: their plate, shape, lengths and ranges are validated.
"""

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from attrs import frozen
from typing_extensions import override

from repaircore.adapters.outbound.client import Outbound
from repaircore.adapters.outbound.failures import NoAnswer
from repaircore.json_text import NotJsonError, decode
from repaircore.kernel.spelling import make_name, model_name
from repaircore.kernel.types import Clock
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles import vin as vins
from repaircore.vehicles.errors import PlateSourceUnavailable
from repaircore.vehicles.model import MotorType, Plate, Registration
from repaircore.vehicles.plates import parse_plate
from repaircore.vehicles.ports import PlateProvider

UNKNOWN: Final = "unknown_plate"
"""The ``error`` in a 404 for a plate that no vehicle has; any other 404 means that the URL is wrong."""

_ANSWERS: Final = frozenset({HTTPStatus.OK.value, HTTPStatus.NOT_FOUND.value})
_MOST_BYTES: Final = 16 * 1024
_LONGEST: Final = 80
_FIRST_YEAR: Final = 1980
_UNPRINTABLE: Final = re.compile(r"[^ -~\u00a0-\u024f]")


class _InvalidResponse(Exception):
    """An invalid response; the message completes a sentence about the provider, such as "returned an invalid VIN"."""


@frozen(kw_only=True)
class RemotePlates(PlateProvider):
    """A plate provider over HTTP; ``seconds`` is the time limit for a plate."""

    clock: Clock
    service: Outbound
    seconds: float = 5.0

    @classmethod
    def at(cls, url: str, *, api_key: str | None, clock: Clock, seconds: float = 5.0) -> "RemotePlates":
        """Return a client for the provider at ``url``."""
        headers = {} if api_key is None else {"authorization": f"Bearer {api_key}"}
        service = Outbound(url=url, headers=headers, accepts=_ANSWERS, most_bytes=_MOST_BYTES)
        return cls(clock=clock, service=service, seconds=seconds)

    @property
    @override
    def source(self) -> str:
        return "provider"

    @override
    def find(self, plate: Plate) -> Registration | None:
        try:
            reply = self.service.get(f"/v1/plates/{plate.state}/{plate.number}", seconds=self.seconds)
            document = _document(reply.body)
            if reply.status == HTTPStatus.NOT_FOUND:
                _require_unknown(document)
                return None
            return self._read(document, plate)
        except NoAnswer as failure:
            raise PlateSourceUnavailable(f"The plate provider failed: {failure.message}.") from None
        except _InvalidResponse as refused:
            raise PlateSourceUnavailable(f"The plate provider {refused}.") from None

    def _read(self, document: Mapping[str, Any], plate: Plate) -> Registration:
        if parse_plate(_text(document, "plate") or "", _text(document, "state") or "") != plate:
            raise _InvalidResponse("returned data for a different plate")
        vin = vins.normalize(_text(document, "vin") or "")
        if not vins.check_digit_holds(vin):
            raise _InvalidResponse("returned an invalid VIN")
        name = _text(document, "vehicle_type")
        group = _text(document, "vehicle_type_group")
        return Registration(
            vin=vin,
            motor_type=None if name is None else MotorType(name=name, group=group),
            specs=self._specs(document),
        )

    def _specs(self, document: Mapping[str, Any]) -> VehicleSpecs | None:
        make, model, year = _text(document, "make"), _text(document, "model"), self._year(document)
        if make is None or model is None or year is None:
            return None
        return VehicleSpecs(
            make=make_name(make),
            model=model_name(model),
            year=year,
            trim=_text(document, "trim"),
            source="plates",
        )

    def _year(self, document: Mapping[str, Any]) -> int | None:
        year = document.get("year")
        if year is None:
            return None
        if type(year) is not int or not _FIRST_YEAR <= year <= self.clock().year + 1:
            raise _InvalidResponse("returned an invalid model year")
        return year


def _document(body: bytes) -> Mapping[str, Any]:
    try:
        document = decode(body)
    except NotJsonError:
        raise _InvalidResponse("returned a response that is not JSON") from None
    if not isinstance(document, dict):
        raise _InvalidResponse("returned a response in an unknown format")
    return document


def _require_unknown(document: Mapping[str, Any]) -> None:
    if document.get("error") != UNKNOWN:
        raise _InvalidResponse("returned status 404")


def _text(document: Mapping[str, Any], name: str) -> str | None:
    """Return the text of a field, or None if it is missing, null or blank."""
    value = document.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise _InvalidResponse("returned a response in an unknown format")
    clean = " ".join(value.split())
    if len(clean) > _LONGEST or _UNPRINTABLE.search(clean):
        raise _InvalidResponse("returned text that is too long or has unprintable characters")
    return clean or None
