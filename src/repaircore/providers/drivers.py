"""Drivers, who perform mobile rides."""

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
    """A service that a driver can perform."""

    TOWING = "towing"
    ROADSIDE_ASSISTANCE = "roadside_assistance"
    BATTERY_JUMP_START = "battery_jump_start"
    TIRE_CHANGE = "tire_change"
    FUEL_DELIVERY = "fuel_delivery"
    LOCKOUT_ASSISTANCE = "lockout_assistance"


@frozen(kw_only=True)
class Driver(Provider):
    """A driver, whose abilities are the services that they can perform."""

    @property
    def services(self) -> frozenset[Service]:
        """The services that the driver can perform."""
        return frozenset(map(Service, self.abilities))


DRIVER: Final = Trade(
    word="driver",
    plural="drivers",
    kind=Kind.DRIVER,
    make=Driver,
    abilities=tuple(Service),
    abilities_column="services",
    text_column="vehicle",
)


class DriversWork(Protocol):
    """The part of a unit of work that drivers need."""

    @property
    def drivers(self) -> Providers[Driver]:
        """The stored drivers."""

    @property
    def imports(self) -> ImportJournal:
        """The progress of file imports."""

    @property
    def audit(self) -> AuditLog:
        """The audit log of changes by operators."""
