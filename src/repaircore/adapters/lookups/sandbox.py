"""Fictitious plates and connected cars for the test environment, so that integrators can try every outcome.

No external service is called. The authorization URL is the callback itself, as if the driver had agreed at once; the
driver's e-mail address determines the outcome.
"""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from attrs import frozen
from typing_extensions import override

from repaircore.connected_cars.errors import AccessRefused, CarGone, CarSourceUnavailable, CodeRefused
from repaircore.connected_cars.model import Authorization, CarReading, GrantedCars, Tokens
from repaircore.connected_cars.ports import CarProvider
from repaircore.kernel.types import Clock
from repaircore.vehicles.errors import PlateSourceUnavailable
from repaircore.vehicles.model import Plate, Registration
from repaircore.vehicles.ports import PlateProvider

PLATES: Final = {
    Plate(state="CA", number="TEST123"): "1HGCM82633A004352",
    Plate(state="NY", number="TEST123"): "5YJ3E1EA8KF000001",
    Plate(state="TX", number="TEST123"): "1FTFW1E53JK000001",
    Plate(state="FL", number="TEST123"): "2T3P1RFV5LC000001",
    Plate(state="OH", number="TEST123"): "2C4RC1BG0HR000001",
}
"""A sedan, an electric car, a pickup, an SUV and a van. The serial numbers are made up."""

FAILING_PLATE: Final = Plate(state="CA", number="TESTDOWN")
"""The plate for which the provider always fails."""


@frozen
class SandboxPlates(PlateProvider):
    """A free provider that knows the plates in ``PLATES`` and no others."""

    @property
    @override
    def source(self) -> str:
        return "sandbox"

    @override
    def find(self, plate: Plate) -> Registration | None:
        if plate == FAILING_PLATE:
            raise PlateSourceUnavailable("The plate provider failed: this is the sandbox's failing plate.")
        vin = PLATES.get(plate)
        return None if vin is None else Registration(vin=vin)


DECLINES: Final = "declines@example.com"
"""The e-mail address of a driver who declines."""

REVOKES: Final = "revokes@example.com"
"""The e-mail address of a driver who agrees, but withdraws consent before their car is read."""

DOWN: Final = "down@example.com"
"""The e-mail address of a driver whose car the provider always fails to read."""

CARS: Final[Mapping[str, Mapping[str, Any]]] = {
    "1HGCM82633A004352": {
        "odometer": 128_412,
        "battery_voltage": 12.4,
        "oil_life_percent": 38.0,
        "tire_pressures": {"front_left": 31.0, "front_right": 32.0, "rear_left": 30.0, "rear_right": 31.0},
        "dtc_codes": ("P0420",),
    },
    "5YJ3E1EA8KF000001": {
        "odometer": 41_870,
        "battery_voltage": 12.9,
        "battery_percent": 81.0,
        "tire_pressures": {"front_left": 42.0, "front_right": 42.0, "rear_left": 41.0, "rear_right": 42.0},
        "dtc_codes": (),
    },
}
"""A sedan and an electric car, the cars of every driver who agrees. The serial numbers are made up."""

_AGREED: Final = "sandbox-agreed"
_REVOKED: Final = "sandbox-revoked"
_DOWN: Final = "sandbox-down"
_OUTCOMES: Final = {REVOKES: _REVOKED, DOWN: _DOWN}
_VINS: Final = {_AGREED: tuple(CARS), _REVOKED: ("1FTFW1E53JK000001",), _DOWN: ("2T3P1RFV5LC000001",)}


@frozen(kw_only=True)
class SandboxCars(CarProvider):
    """A free provider of the cars in ``CARS``; the token determines the outcome."""

    redirect: str
    clock: Clock

    @override
    def authorization_url(self, request: Authorization) -> str:
        outcome = (
            {"error": "access_denied"}
            if request.email == DECLINES
            else {"code": _OUTCOMES.get(request.email or "", _AGREED)}
        )
        return f"{self.redirect}?{urlencode({'state': request.state, **outcome})}"

    @override
    def exchange(self, code: str, verifier: str) -> Tokens:
        if code not in _VINS:
            raise CodeRefused
        return Tokens(access=code, refresh=code)

    @override
    def refresh(self, refresh_token: str) -> Tokens:
        if refresh_token == _REVOKED:
            raise AccessRefused
        return Tokens(access=refresh_token)

    @override
    def revoke(self, tokens: Tokens) -> bool:
        return True

    @override
    def list_cars(self, access_token: str) -> GrantedCars:
        return GrantedCars(vins=_VINS[access_token])

    @override
    def read(self, access_token: str, vin: str) -> CarReading:
        if access_token == _REVOKED:
            raise AccessRefused
        if access_token == _DOWN:
            raise CarSourceUnavailable(
                "The connected-car provider failed: this is the sandbox's failing car."
            )
        values = CARS.get(vin)
        if values is None:
            raise CarGone
        return CarReading(vin=vin, measured_at=self.clock(), **values)
