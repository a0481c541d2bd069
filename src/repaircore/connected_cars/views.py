"""Connected cars as clients see them, over HTTP and on the command line."""

from datetime import datetime
from typing import Annotated, Self

from repaircore.connected_cars.model import (
    AuthorizationStarted,
    CarReading,
    DisconnectResult,
    Health,
    HealthPart,
    SyncResult,
)
from repaircore.kernel.rules import Described
from repaircore.kernel.views import Count, Percent, view


@view
class AuthorizationView:
    """The URL where the driver gives consent, and when it expires."""

    authorization_url: Annotated[str, Described(format="uri")]
    expires_at: datetime

    @classmethod
    def of(cls, started: AuthorizationStarted) -> Self:
        """Return the view of a started authorization."""
        return cls(authorization_url=started.authorization_url, expires_at=started.expires_at)


@view
class ConnectedVinsView:
    """The cars that the driver has just connected."""

    vins: list[str]


@view
class DriverVinsView:
    """The cars that a driver has connected."""

    email: str
    vins: list[str]


@view
class CarSignalsView:
    """The latest readings of a car; what the car does not report is null."""

    odometer: Count | None
    battery_voltage: float | None
    battery_percent: float | None
    oil_life_percent: float | None
    tire_pressures: dict[str, float]
    dtc_codes: list[str] | None

    @classmethod
    def of(cls, reading: CarReading) -> Self:
        """Return the view of a reading."""
        return cls(
            odometer=reading.odometer,
            battery_voltage=reading.battery_voltage,
            battery_percent=reading.battery_percent,
            oil_life_percent=reading.oil_life_percent,
            tire_pressures={**reading.tire_pressures},
            dtc_codes=None if reading.dtc_codes is None else [*reading.dtc_codes],
        )


@view
class CarHealthPartView:
    """A component of the health score."""

    name: str
    value: float
    weight: float
    effect: float

    @classmethod
    def of(cls, part: HealthPart) -> Self:
        """Return the view of a component."""
        return cls(name=part.name, value=part.value, weight=part.weight, effect=part.effect)


@view
class CarHealthView:
    """A car's health: a score from 0 to 100, or null while nothing is known."""

    score: Percent | None
    grade: Annotated[str, Described(enum=["A", "B", "C", "D", "F"])] | None
    coverage: float
    components: list[CarHealthPartView]
    basis: str
    as_of: datetime

    @classmethod
    def of(cls, health: Health) -> Self:
        """Return the view of a car's health."""
        return cls(
            score=health.score,
            grade=health.grade,
            coverage=health.coverage,
            components=[CarHealthPartView.of(part) for part in health.components],
            basis=health.basis,
            as_of=health.as_of,
        )


@view
class SyncedCarView:
    """What a car reported, and its new health."""

    vin: str
    measured_at: datetime
    synced_at: datetime
    signals: CarSignalsView
    health: CarHealthView

    @classmethod
    def of(cls, synced: SyncResult) -> Self:
        """Return the view of a synced car."""
        return cls(
            vin=synced.reading.vin,
            measured_at=synced.reading.measured_at,
            synced_at=synced.synced_at,
            signals=CarSignalsView.of(synced.reading),
            health=CarHealthView.of(synced.health),
        )


@view
class DisconnectedView:
    """The disconnected cars, how many connections ended, and how many of those were also revoked at the provider."""

    vins: list[str]
    connections_ended: Count
    ended_at_provider: Count

    @classmethod
    def of(cls, gone: DisconnectResult) -> Self:
        """Return the view of a disconnection."""
        return cls(vins=[*gone.vins], connections_ended=gone.connections, ended_at_provider=gone.revoked)
