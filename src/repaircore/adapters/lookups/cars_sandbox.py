"""Made-up connected cars for the test environment, so that whoever integrates can try every outcome.

Nobody is asked: the address of the authorization is the callback itself, as if the driver had agreed at once. The
driver's e-mail chooses what happens.
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

DECLINES: Final = "declines@example.com"
"""The driver who does not agree."""

REVOKES: Final = "revokes@example.com"
"""The driver who agrees, and has withdrawn it by the time their car is asked."""

DOWN: Final = "down@example.com"
"""The driver about whose car the provider is always out of order."""

SANDBOX: Final[Mapping[str, Mapping[str, Any]]] = {
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
"""A sedan and an electric car of whoever agrees. The serial numbers are made up."""

_AGREED: Final = "sandbox-agreed"
_REVOKED: Final = "sandbox-revoked"
_DOWN: Final = "sandbox-down"
_OUTCOMES: Final = {REVOKES: _REVOKED, DOWN: _DOWN}
_CARS: Final = {_AGREED: tuple(SANDBOX), _REVOKED: ("1FTFW1E53JK000001",), _DOWN: ("2T3P1RFV5LC000001",)}


@frozen(kw_only=True)
class SandboxCars(CarProvider):
    """Know the cars of ``SANDBOX``, at no cost; a token says which outcome it is of."""

    redirect: str
    clock: Clock

    @override
    def authorization_url(self, asked: Authorization) -> str:
        outcome = (
            {"error": "access_denied"}
            if asked.email == DECLINES
            else {"code": _OUTCOMES.get(asked.email or "", _AGREED)}
        )
        return f"{self.redirect}?{urlencode({'state': asked.state, **outcome})}"

    @override
    def exchange(self, code: str, verifier: str) -> Tokens:
        if code not in _CARS:
            raise CodeRefused
        return Tokens(access=code, refresh=code)

    @override
    def refresh(self, refresh_token: str) -> Tokens:
        if refresh_token == _REVOKED:
            raise AccessRefused
        return Tokens(access=refresh_token)

    @override
    def withdraw(self, tokens: Tokens) -> bool:
        return True

    @override
    def garage(self, access_token: str) -> GrantedCars:
        return GrantedCars(vins=_CARS[access_token])

    @override
    def read(self, access_token: str, vin: str) -> CarReading:
        if access_token == _REVOKED:
            raise AccessRefused
        if access_token == _DOWN:
            raise CarSourceUnavailable(
                "The connected-car provider failed: this is the sandbox's failing car."
            )
        told = SANDBOX.get(vin)
        if told is None:
            raise CarGone
        return CarReading(vin=vin, measured_at=self.clock(), **told)
