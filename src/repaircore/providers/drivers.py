"""Drivers, who do mobile rides."""

from enum import StrEnum
from typing import Final, Protocol

from attrs import frozen

from repaircore.kernel.audit import AuditLog
from repaircore.kernel.imports import ImportJournal
from repaircore.kernel.references import Kind
from repaircore.providers.model import Provider
from repaircore.providers.ports import Providers
from repaircore.providers.trade import Trade


class Service(StrEnum):
    """What a driver can do."""

    TOWING = "towing"
    ROADSIDE_ASSISTANCE = "roadside_assistance"
    BATTERY_JUMP_START = "battery_jump_start"
    TIRE_CHANGE = "tire_change"
    FUEL_DELIVERY = "fuel_delivery"
    LOCKOUT_ASSISTANCE = "lockout_assistance"


@frozen(kw_only=True)
class Driver(Provider):
    """A driver: ``vehicle`` in words, and the sum and the number of their ratings."""

    vehicle: str | None = None
    rating_sum: int = 0
    rating_count: int = 0

    @property
    def services(self) -> frozenset[Service]:
        """What the driver can do."""
        return frozenset(map(Service, self.abilities))

    @property
    def rating(self) -> float | None:
        """The average rating, to two decimals; None without ratings."""
        return round(self.rating_sum / self.rating_count, 2) if self.rating_count else None


DRIVER: Final = Trade(
    word="driver",
    plural="drivers",
    kind=Kind.DRIVER,
    make=Driver,
    abilities=tuple(Service),
    abilities_column="services",
    text_column="vehicle",
)


class Drivers(Providers[Driver], Protocol):
    """The stored drivers."""

    def rate(self, driver_id: int, stars: int) -> None:
        """Add a rating, 1 to 5; no concurrent rating is lost. The caller makes sure that each ride rates once."""


class DriversWork(Protocol):
    """The part of a unit of work that drivers need."""

    @property
    def drivers(self) -> Drivers:
        """The stored drivers."""

    @property
    def imports(self) -> ImportJournal:
        """The progress of file imports."""

    @property
    def audit(self) -> AuditLog:
        """The changes made by operators."""
