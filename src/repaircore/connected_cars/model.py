"""Flows, connections, and what a car tells of itself."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from attrs import evolve, field, frozen

from repaircore.kernel.callers import Environment

FLOW_LIFETIME = timedelta(minutes=10)
"""How long a driver has to agree (docs/decisions/connected-cars.md)."""


@frozen(kw_only=True)
class Flow:
    """A driver was sent to the provider, and is awaited. ``owner_id`` 0 is the installation itself."""

    id: UUID
    environment: Environment
    owner_id: int
    email: str | None
    begun_at: datetime
    ends_at: datetime


@frozen(kw_only=True)
class Authorization:
    """What a provider is asked for; ``challenge`` is PKCE's, made by S256."""

    state: str
    challenge: str
    email: str | None


@frozen(kw_only=True)
class AuthorizationStarted:
    """Where to send the driver, and until when they are awaited."""

    authorization_url: str = field(repr=False)
    ends_at: datetime


@frozen(kw_only=True)
class Tokens:
    """What a provider gives for a driver's agreement; ``expires_at`` is of ``access``, None when it is not told."""

    access: str = field(repr=False)
    refresh: str | None = field(default=None, repr=False)
    expires_at: datetime | None = None


class ConnectionStatus(StrEnum):
    """Whether a connection is of use."""

    ACTIVE = "active"
    REVOKED = "revoked"
    """The driver, or the provider, has withdrawn the agreement."""


@frozen(kw_only=True)
class Connection:
    """One agreement of one driver, about one car or more. ``sealed`` are its tokens, None once they are revoked."""

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
        """Give it with other tokens."""
        return evolve(self, sealed=sealed)

    def revoked(self, at: datetime) -> "Connection":
        """Give it as it stands without an agreement."""
        return evolve(self, standing=ConnectionStatus.REVOKED, sealed=None, revoked_at=at)


@frozen(kw_only=True)
class GrantedCars:
    """The cars that a driver lets us see, and the driver's e-mail if the provider tells it."""

    vins: tuple[str, ...]
    email: str | None = None


@frozen(kw_only=True)
class CarReading:
    """What a car told last: miles, volts, percent, pounds per square inch by wheel.

    None is what was not told. No trouble codes (empty) is something else than codes that were not told (None).
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
    """A part of the score: its value from 0 to 1, its weight, and by how many points it moved the score."""

    name: str
    value: float
    weight: float
    effect: float


@frozen(kw_only=True)
class Health:
    """How well the car is, from 0 to 100; None as long as nothing is known.

    ``coverage`` is how much of what counts was known, 0 to 1; ``basis`` says in words what the score rests on.
    """

    score: float | None
    grade: str | None
    coverage: float
    components: tuple[HealthPart, ...]
    basis: str
    as_of: datetime


@frozen(kw_only=True)
class ConnectResult:
    """What came of a driver's agreement."""

    vins: tuple[str, ...]


@frozen(kw_only=True)
class SyncResult:
    """What a car told, and its health since then."""

    reading: CarReading
    health: Health
    synced_at: datetime


@frozen(kw_only=True)
class DisconnectResult:
    """What was let go of. ``withdrawn`` is how many agreements the provider has ended at our word."""

    vins: tuple[str, ...]
    connections: int
    withdrawn: int


@frozen(kw_only=True)
class KeyRotation:
    """How many connections are sealed with the newest key now, and how many no key opens."""

    renewed: int
    unreadable: int
