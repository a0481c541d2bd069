"""Providers: their location, abilities, radius and hours."""

from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Final, Generic, TypeVar
from zoneinfo import ZoneInfo

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.geo import Point
from repaircore.kernel.hours import Weekly, format_weekly, is_open

MOST_MILES: Final = 200.0
"""The largest radius of a provider, in miles."""
DEFAULT_MILES: Final = 25.0
ALWAYS: Final = "always"
"""The hours, as text, of a provider who works at any time."""


class OfferMode(StrEnum):
    """How a provider responds to requests for rides."""

    AUTOMATIC = "automatic"
    """An offer is made on their behalf at once for every ride that they could do."""
    ASKED = "asked"
    """They are asked in a message, and make an offer or decline."""


@frozen(kw_only=True)
class Provider:
    """A driver or a towing business in the directory.

    ``phone`` is in E.164 format, or None once the person has been erased. ``weekly`` has their hours in the local
    time of ``time_zone``, or is None if they always work. Only ``active`` providers get requests; those who are
    ``asked`` get them in a text message to ``phone``, by ``email`` or at ``webhook_url``. ``vehicle`` and ``plate`` are
    those of their own vehicle. ``sandbox`` providers exist only in the test environment, each for one neighborhood.
    """

    id: int
    ref: str
    environment: Environment
    name: str
    phone: str | None
    abilities: frozenset[str]
    point: Point
    radius_miles: float = DEFAULT_MILES
    time_zone: str
    weekly: Weekly | None = None
    active: bool = True
    offers: OfferMode = OfferMode.AUTOMATIC
    email: str | None = None
    webhook_url: str | None = None
    vehicle: str | None = None
    plate: str | None = None
    rating_sum: int = 0
    rating_count: int = 0
    sandbox: bool = False
    created_at: datetime
    updated_at: datetime
    version: int = 1

    @property
    def rating(self) -> float | None:
        """The average rating, to two decimals, or None if there are no ratings."""
        return round(self.rating_sum / self.rating_count, 2) if self.rating_count else None

    @property
    def hours(self) -> str:
        """The hours as text, as in files and commands."""
        return ALWAYS if self.weekly is None else format_weekly(self.weekly)

    def is_open(self, at: datetime) -> bool:
        """Return whether the provider works at a time."""
        return is_open(self.weekly, at, _zone(self.time_zone))


P = TypeVar("P", bound=Provider)


@frozen(kw_only=True)
class ProviderRequest:
    """A request for an ability at a place and a time."""

    environment: Environment
    ability: str
    point: Point
    at: datetime
    offers: OfferMode = OfferMode.AUTOMATIC


@frozen(kw_only=True)
class NearbyProvider(Generic[P]):
    """A provider who can come, and the great-circle distance to the place."""

    provider: P
    miles: float


@lru_cache(maxsize=128)
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)
