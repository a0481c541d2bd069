"""Drivers."""

from enum import StrEnum
from typing import Final

from attrs import frozen

from repaircore.kernel.named import Kind
from repaircore.providers.model import Provider
from repaircore.providers.trade import Trade

__all__ = ["DRIVER", "Driver", "Service"]


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
