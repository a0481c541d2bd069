"""OAuth flows, connections, and readings from cars."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from attrs import evolve, field, frozen

from repaircore.kernel.callers import Environment

FLOW_LIFETIME = timedelta(minutes=10)
"""How long a driver has to give consent (docs/decisions/connected-cars.md)."""


@frozen(kw_only=True)
class Flow:
    """An OAuth flow whose driver has not returned yet; an ``owner_id`` of 0 is the installation itself."""

    id: UUID
    environment: Environment
    owner_id: int
    email: str | None
    begun_at: datetime
    ends_at: datetime


@frozen(kw_only=True)
class Authorization:
    """The request for a driver's consent; ``challenge`` is the S256 challenge of PKCE."""

    state: str
    challenge: str
    email: str | None


@frozen(kw_only=True)
class AuthorizationStarted:
    """The URL to send the driver to, and when the flow expires."""

    authorization_url: str = field(repr=False)
    expires_at: datetime


@frozen(kw_only=True)
class Tokens:
    """The tokens of a driver's consent; ``expires_at`` is when ``access`` expires, or None if that is unknown."""

    access: str = field(repr=False)
    refresh: str | None = field(default=None, repr=False)
    expires_at: datetime | None = None


class ConnectionStatus(StrEnum):
    """The status of a connection."""

    ACTIVE = "active"
    REVOKED = "revoked"
    """The driver or the provider has withdrawn the consent."""


@frozen(kw_only=True)
class Connection:
    """A driver's consent for one or more cars. ``sealed`` has the encrypted tokens, or is None once it is revoked."""

    id: UUID
    environment: Environment
    owner_id: int
    email: str | None
    standing: ConnectionStatus
    sealed: str | None = field(repr=False)
    connected_at: datetime
    revoked_at: datetime | None = None
    version: int = 1

    def renewed(self, sealed: str) -> "Connection":
        """Return the connection with new tokens."""
        return evolve(self, sealed=sealed)

    def revoked(self, at: datetime) -> "Connection":
        """Return the connection, revoked and without tokens."""
        return evolve(self, standing=ConnectionStatus.REVOKED, sealed=None, revoked_at=at)


@frozen(kw_only=True)
class GrantedCars:
    """The cars that a driver's consent covers, and the driver's e-mail if the provider knows it."""

    vins: tuple[str, ...]
    email: str | None = None


@frozen(kw_only=True)
class CarReading:
    """The latest data of a car: the odometer in miles, volts, percentages, and psi by wheel.

    None means not reported. Empty ``dtc_codes`` mean that the car reported none.
    """

    vin: str
    measured_at: datetime
    odometer: int | None = None
    battery_voltage: float | None = None
    battery_percent: float | None = None
    oil_life_percent: float | None = None
    tire_pressures: Mapping[str, float] = field(factory=dict)
    dtc_codes: tuple[str, ...] | None = None


@frozen(kw_only=True)
class HealthPart:
    """A component of the score: its value from 0 to 1, its weight, and its effect on the score in points."""

    name: str
    value: float
    weight: float
    effect: float


@frozen(kw_only=True)
class Health:
    """A car's health: a score from 0 to 100, or None while nothing is known.

    ``coverage`` is the share of the weight that is known, from 0 to 1; ``basis`` says in words what the score is based
    on.
    """

    score: float | None
    grade: str | None
    coverage: float
    components: tuple[HealthPart, ...]
    basis: str
    as_of: datetime


@frozen(kw_only=True)
class ConnectResult:
    """The cars that a driver has connected."""

    vins: tuple[str, ...]


@frozen(kw_only=True)
class SyncResult:
    """The reading of a car, and its new health."""

    reading: CarReading
    health: Health
    synced_at: datetime


@frozen(kw_only=True)
class DisconnectResult:
    """The disconnected cars, how many connections ended, and how many of those were also revoked at the provider."""

    vins: tuple[str, ...]
    connections: int
    revoked: int


@frozen(kw_only=True)
class KeyRotation:
    """How many connections were encrypted again with the newest key, and how many no key could decrypt."""

    renewed: int
    unreadable: int
