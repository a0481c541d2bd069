"""Ports for facilities."""

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
from repaircore.kernel.paging import Page, PageRequest


class ZipCodes(Protocol):
    """Looks up ZIP codes."""

    def find(self, zip5: str) -> ZipPlace | None:
        """Return the place of a five-digit ZIP code (see ``zip_code.zip5``), or None if no such code is in use.

        A code for military mail has a state (AA, AE or AP), but no location. Safe to call from many threads at once.
        """


class FacilityRecords(Protocol):
    """The stored facilities."""

    def add(self, shop: FacilityFields, *, point: Point | None, at: datetime) -> Facility:
        """Insert a facility.

        Raises:
            Conflict: it violates a constraint of the database, for example because its rate is negative.
            Invalid: the database cannot store a value; the error does not say which one.
        """

    def by_id(self, facility_id: int) -> Facility | None:
        """Return the facility with an id, or None if there is none."""

    def replace(self, old: Facility, new: Facility) -> Facility:
        """Save the next state of a facility.

        Raises:
            Conflict: it was changed or deleted in the meantime; nothing is saved.
        """

    def remove(self, facility_id: int) -> bool:
        """Delete a facility; return whether it existed.

        Raises:
            Conflict: something refers to it.
        """

    def referents(self, facility_id: int) -> Mapping[str, int]:
        """Count the records in both environments that refer to a facility, by the singular name of their kind."""

    def page(self, *, search: str, state: str | None, request: PageRequest) -> Page[Facility]:
        """Return a page of facilities, by name unless another order is requested; on a tie, older ones come first.

        ``search`` matches anywhere in the name or the city, ignoring case and punctuation, and at the beginning
        of a ZIP code; an empty one matches all. ``state`` must be written as stored; None matches all.
        """

    def named(self, names: Collection[str]) -> Sequence[Facility]:
        """List the facilities with one of these names (compared by ``kernel.spelling.key``), by id."""

    def after(self, facility_id: int, *, limit: int) -> Sequence[Facility]:
        """List the next ``limit`` facilities after an id, by id."""

    def states(self) -> Sequence[StateSummary]:
        """Summarize the facilities of each state, in alphabetical order; those without a state are left out."""

    def stats(self, environment: Environment) -> FacilityStats:
        """Return statistics of all facilities, and of the invoices in an environment that name one."""

    def around(self, point: Point, *, degrees: float) -> Sequence[Facility]:
        """List the facilities within ``degrees`` of latitude of a point, by id; those without a point are left out."""


class LaborBills(Protocol):
    """The labor on stored invoices."""

    def of(self, facility_id: int) -> Iterator[LaborBill]:
        """Yield the labor on each of a facility's invoices in the live environment, in no particular order.

        They are streamed: however many there are, only a few are in memory at a time.
        """


class CachedPrices(Protocol):
    """Cached predictions by ZIP code, in both environments."""

    def zip_codes(self) -> Sequence[str]:
        """List the five-digit ZIP codes of cached predictions, each once."""

    def forget_at(self, zip_codes: Collection[str]) -> None:
        """Delete the cached predictions of the given ZIP codes."""


class FacilitiesWork(Protocol):
    """The part of a unit of work that facilities need."""

    @property
    def facilities(self) -> FacilityRecords:
        """The stored facilities."""

    @property
    def labor_bills(self) -> LaborBills:
        """The labor on stored invoices."""

    @property
    def answers(self) -> CachedPrices:
        """The cached predictions."""

    @property
    def imports(self) -> ImportJournal:
        """The progress of imports."""

    @property
    def audit(self) -> AuditLog:
        """The audit log."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[FacilitiesWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
