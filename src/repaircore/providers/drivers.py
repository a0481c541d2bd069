"""What drivers need from outside."""

from abc import abstractmethod
from enum import StrEnum
from typing import Any, Final, Protocol

from attrs import frozen

from repaircore.kernel.audit import AuditLog
from repaircore.kernel.imports import ImportJournal
from repaircore.kernel.references import Kind
from repaircore.kernel.views import iso_utc
from repaircore.providers.csv_rows import shown
from repaircore.providers.model import Provider
from repaircore.providers.ports import Providers
from repaircore.providers.trade import Trade

# Drivers.


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
    """A driver: ``vehicle`` in words, and the stars of their ratings added up."""

    vehicle: str | None = None
    rating_sum: int = 0
    rating_count: int = 0

    @property
    def services(self) -> frozenset[Service]:
        """Give what they can do."""
        return frozenset(map(Service, self.abilities))

    @property
    def rating(self) -> float | None:
        """Give the mean of their ratings to two places; None without any."""
        return round(self.rating_sum / self.rating_count, 2) if self.rating_count else None


DRIVER: Final = Trade(
    word="driver",
    plural="drivers",
    kind=Kind.DRIVER,
    make=Driver,
    abilities=tuple(Service),
    abilities_column="services",
    text="vehicle",
)


class Drivers(Providers[Driver], Protocol):
    """The kept drivers."""

    @abstractmethod
    def rate(self, driver_id: int, stars: int) -> None:
        """Add a rating, 1 to 5; of several at once none is lost. That each ride rates once is its own to see to."""


class DriversWork(Protocol):
    """The part of a unit of work that drivers need."""

    @property
    @abstractmethod
    def drivers(self) -> Drivers:
        """The kept drivers."""

    @property
    @abstractmethod
    def imports(self) -> ImportJournal:
        """How far files are taken over."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """What was changed by whom."""


# Drivers as the API and the command line show them.


def driver_told(driver: Driver) -> dict[str, Any]:
    """Tell everything of a driver, to operators."""
    return {
        "id": driver.id,
        "ref": driver.ref,
        "environment": driver.environment.value,
        **shown(DRIVER, driver),
        "rating": driver.rating,
        "rating_count": driver.rating_count,
        "sandbox": driver.sandbox,
        "created_at": iso_utc(driver.created_at),
        "updated_at": iso_utc(driver.updated_at),
    }
