"""What towing businesses need from outside."""

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

# Towing businesses.


class RideType(StrEnum):
    """How a business can tow, as partners spell it."""

    WHEEL_LIFT = "Wheel-Lift"
    FLATBED = "Flatbed"
    HOOK = "Hook"


@frozen(kw_only=True)
class Business(Provider):
    """A towing business, and its address in words."""

    address: str | None = None

    @property
    def ride_types(self) -> frozenset[RideType]:
        """Give how they can tow."""
        return frozenset(map(RideType, self.abilities))


BUSINESS: Final = Trade(
    word="business",
    plural="businesses",
    kind=Kind.BUSINESS,
    make=Business,
    abilities=tuple(RideType),
    abilities_column="ride_types",
    text="address",
)


class BusinessesWork(Protocol):
    """The part of a unit of work that towing businesses need."""

    @property
    @abstractmethod
    def businesses(self) -> Providers[Business]:
        """The kept towing businesses."""

    @property
    @abstractmethod
    def imports(self) -> ImportJournal:
        """How far files are taken over."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """What was changed by whom."""


# Towing businesses as the API and the command line show them.


def business_told(business: Business) -> dict[str, Any]:
    """Tell everything of a business, to operators."""
    return {
        "id": business.id,
        "ref": business.ref,
        "environment": business.environment.value,
        **shown(BUSINESS, business),
        "sandbox": business.sandbox,
        "created_at": iso_utc(business.created_at),
        "updated_at": iso_utc(business.updated_at),
    }
