"""What facilities need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.facilities.model import Facility, ZipPlace
from repaircore.facilities.rates import ShopRates
from repaircore.kernel.geo import Point
from repaircore.kernel.money import Cents

__all__ = ["Begin", "Facilities", "FacilitiesWork", "ZipCodes"]


class ZipCodes(Protocol):
    """Someone who knows where ZIP codes lie."""

    @abstractmethod
    def find(self, zip5: str) -> ZipPlace | None:
        """Give the place of a five-digit ZIP code (see ``zip_code.zip5``).

        None for one that is not in use, or that has no place on the map (military mail). Whatever is
        not five digits is None as well. Safe to be called by many threads at once.
        """


class Facilities(Protocol):
    """The kept shops."""

    @abstractmethod
    def add(
        self,
        *,
        name: str,
        city: str | None,
        state: str | None,
        zip_code: str | None,
        country: str | None,
        avg_labor_rate: Cents | None,
        point: Point | None,
        at: datetime,
    ) -> Facility:
        """Keep a new shop.

        Raises:
            Conflict: a rule of the store forbids it (a negative rate).
            Invalid: a value has no place in the store; which one is not told.
        """

    @abstractmethod
    def by_id(self, facility_id: int) -> Facility | None:
        """Give the shop, or None."""

    @abstractmethod
    def after(self, facility_id: int, *, limit: int) -> Sequence[Facility]:
        """List the first shops whose id is greater, by id."""

    @abstractmethod
    def around(self, point: Point, *, degrees: float) -> Sequence[Facility]:
        """List the shops whose latitude is within so many degrees, by id; those without a point are left out."""

    @abstractmethod
    def rates_in(self, state: str) -> ShopRates:
        """Count the state's shops that tell a rate, and take the mean of it."""


class FacilitiesWork(Protocol):
    """The part of a unit of work that facilities need."""

    @property
    @abstractmethod
    def facilities(self) -> Facilities:
        """The kept shops."""


Begin: TypeAlias = Callable[[], AbstractContextManager[FacilitiesWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""
