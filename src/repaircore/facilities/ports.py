"""What facilities need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.facilities.labor import LaborBill
from repaircore.facilities.model import Facility, FacilityFields, FacilityStats, StateSummary, ZipPlace
from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment
from repaircore.kernel.geo import Point
from repaircore.kernel.imports import ImportJournal
from repaircore.kernel.paging import Page


class ZipCodes(Protocol):
    """Someone who knows where ZIP codes lie."""

    @abstractmethod
    def find(self, zip5: str) -> ZipPlace | None:
        """Return the place of a five-digit ZIP code (see ``zip_code.zip5``).

        None for one that is not in use, and for whatever is not five digits. One of military mail has a state
        (AA, AE or AP), but no place on the map. Safe to be called by many threads at once.
        """


class FacilityRecords(Protocol):
    """The kept shops."""

    @abstractmethod
    def add(self, shop: FacilityFields, *, point: Point | None, at: datetime) -> Facility:
        """Keep a new shop.

        Raises:
            Conflict: a rule of the store forbids it (a negative rate).
            Invalid: a value has no place in the store; which one is not told.
        """

    @abstractmethod
    def by_id(self, facility_id: int) -> Facility | None:
        """Return the shop, or None."""

    @abstractmethod
    def replace(self, old: Facility, new: Facility) -> Facility:
        """Keep the next state of a shop.

        Raises:
            Conflict: somebody else changed or removed it meanwhile; nothing is changed.
        """

    @abstractmethod
    def remove(self, facility_id: int) -> bool:
        """Forget a shop, and tell whether it was there.

        Raises:
            Conflict: something refers to it.
        """

    @abstractmethod
    def referents(self, facility_id: int) -> Mapping[str, int]:
        """Count what refers to a shop, in both environments, by its kind in the singular."""

    @abstractmethod
    def page(self, *, search: str, state: str | None, number: int, per_page: int) -> Page[Facility]:
        """List the shops by name, of equal ones the older first.

        ``search`` is found anywhere in the name or the city, whatever case and punctuation, and where a ZIP
        code begins; an empty one finds all. ``state`` is one as it is kept.
        """

    @abstractmethod
    def named(self, names: Collection[str]) -> Sequence[Facility]:
        """List the shops whose name compares equal to one of these (``kernel.spelling.key``), by id."""

    @abstractmethod
    def after(self, facility_id: int, *, limit: int) -> Sequence[Facility]:
        """List the first shops whose id is greater, by id."""

    @abstractmethod
    def states(self) -> Sequence[StateSummary]:
        """Sum the shops up by state, in the order of the alphabet; those without a state are left out."""

    @abstractmethod
    def stats(self, environment: Environment) -> FacilityStats:
        """Sum all shops up, and the invoices of an environment that name one."""

    @abstractmethod
    def around(self, point: Point, *, degrees: float) -> Sequence[Facility]:
        """List the shops whose latitude is within so many degrees, by id; those without a point are left out."""


class LaborBills(Protocol):
    """What invoices tell of labor."""

    @abstractmethod
    def of(self, facility_id: int) -> Iterator[LaborBill]:
        """Return the labor of a shop's live invoices, in no order.

        They come one by one: however many there are, few are in memory.
        """


class CachedPrices(Protocol):
    """What was answered around shops and is still remembered, in both environments."""

    @abstractmethod
    def zip_codes(self) -> Sequence[str]:
        """List the five-digit ZIP codes that something is remembered of, each once."""

    @abstractmethod
    def forget_at(self, zip_codes: Collection[str]) -> None:
        """Forget what is remembered of some ZIP codes."""


class FacilitiesWork(Protocol):
    """The part of a unit of work that facilities need."""

    @property
    @abstractmethod
    def facilities(self) -> FacilityRecords:
        """The kept shops."""

    @property
    @abstractmethod
    def labor_bills(self) -> LaborBills:
        """What invoices tell of labor."""

    @property
    @abstractmethod
    def answers(self) -> CachedPrices:
        """What is remembered of the places around."""

    @property
    @abstractmethod
    def imports(self) -> ImportJournal:
        """How far files are taken over."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """What was changed by whom."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[FacilitiesWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""
