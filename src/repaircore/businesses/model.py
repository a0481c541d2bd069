"""Towing businesses."""

from enum import StrEnum
from typing import Final

from attrs import frozen

from repaircore.kernel.named import Kind
from repaircore.providers.model import Provider
from repaircore.providers.trade import Trade

__all__ = ["BUSINESS", "Business", "RideType"]


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
