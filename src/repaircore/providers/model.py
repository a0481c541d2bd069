"""Who comes to a vehicle: where they stand, what they can do, how far and when they come."""

from datetime import datetime
from functools import lru_cache
from typing import Final, Generic, TypeVar
from zoneinfo import ZoneInfo

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.geo import Point
from repaircore.kernel.hours import Weekly, is_open

MOST_MILES: Final = 200.0
"""Nobody comes from farther."""
USUAL_MILES: Final = 25.0


@frozen(kw_only=True)
class Provider:
    """A driver or a towing business of the directory.

    ``phone`` is in E.164; None of one who was erased. ``weekly`` is local time of ``time_zone``, None is always. Who is not
    ``active`` gets no requests. Who is ``sandbox`` exists in the test environment alone, for one neighborhood.
    """

    id: int
    ref: str
    environment: Environment
    name: str
    phone: str | None
    abilities: frozenset[str]
    point: Point
    radius_miles: float = USUAL_MILES
    time_zone: str
    weekly: Weekly | None = None
    active: bool = True
    sandbox: bool = False
    created_at: datetime
    updated_at: datetime
    version: int = 1

    def is_open(self, at: datetime) -> bool:
        """Tell whether they work at a moment."""
        return is_open(self.weekly, at, _zone(self.time_zone))


P = TypeVar("P", bound=Provider)


@frozen(kw_only=True)
class ProviderRequest:
    """What somebody needs: an ability, at a place and a moment."""

    environment: Environment
    ability: str
    point: Point
    at: datetime


@frozen(kw_only=True)
class NearbyProvider(Generic[P]):
    """Who can come, and over which great-circle distance."""

    provider: P
    miles: float


@lru_cache(maxsize=128)
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)
