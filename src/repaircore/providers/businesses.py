"""Towing businesses, which perform tow rides."""

from enum import StrEnum
from typing import Final, Protocol

from attrs import frozen

from repaircore.kernel.audit import AuditLog
from repaircore.kernel.imports import ImportJournal
from repaircore.kernel.references import Kind
from repaircore.providers.model import Provider
from repaircore.providers.ports import Providers
from repaircore.providers.trade import Trade


class RideType(StrEnum):
    """A towing method; the values are those of the partner API."""

    WHEEL_LIFT = "Wheel-Lift"
    FLATBED = "Flatbed"
    HOOK = "Hook"


@frozen(kw_only=True)
class Business(Provider):
    """A towing business, with its street address."""

    address: str | None = None


BUSINESS: Final = Trade(
    word="business",
    plural="businesses",
    kind=Kind.BUSINESS,
    make=Business,
    abilities=tuple(RideType),
    abilities_column="ride_types",
    text_column="address",
)


class BusinessesWork(Protocol):
    """The part of a unit of work that towing businesses need."""

    @property
    def businesses(self) -> Providers[Business]:
        """The stored towing businesses."""

    @property
    def imports(self) -> ImportJournal:
        """The progress of file imports."""

    @property
    def audit(self) -> AuditLog:
        """The audit log of changes by operators."""
