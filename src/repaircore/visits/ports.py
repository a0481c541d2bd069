"""Ports for visits."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from attrs import frozen

from repaircore.facilities.ports import FacilityRecords
from repaircore.kernel.callers import Environment
from repaircore.kernel.events import Outbox
from repaircore.kernel.paging import Page, PageRequest
from repaircore.kernel.timeline import Timelines
from repaircore.shops.ports import ShopRecords
from repaircore.visits.lifecycle import Status
from repaircore.visits.model import Visit, VisitSummary


@frozen(kw_only=True)
class VisitFilter:
    """Criteria for visits; criteria that are None do not filter.

    An ``owner_id`` of None matches the visits of all owners. ``search`` must occur in the number, the customer, the
    VIN or the vehicle, ignoring case.
    """

    environment: Environment
    owner_id: int | None
    status: Status | None = None
    search: str | None = None


class VisitRecords(Protocol):
    """The stored visits; those of other owners or of the other environment are never returned."""

    def add(self, visit: Visit) -> bool:
        """Store a new visit, or return False without storing it if its number is taken.

        Raises:
            Conflict: its facility was deleted.
        """

    def find(self, number: str, *, environment: Environment, owner_id: int | None) -> Visit | None:
        """Return an owner's visit with a number, or None; an ``owner_id`` of None means any owner."""

    def page(self, wanted: VisitFilter, request: PageRequest) -> Page[VisitSummary]:
        """Return a page of visits, newest first unless another order is requested; a page beyond the last is empty.

        Raises:
            Invalid: on ``page``, ``per_page``, ``sort`` and ``cursor``.
        """

    def update(self, old: Visit, new: Visit) -> Visit:
        """Replace ``old`` with ``new``, and return the latter with its new version.

        Raises:
            VisitChanged: the stored visit is no longer ``old``.
            VisitNotFound: it was deleted.
            Conflict: its facility was deleted.
        """

    def delete(self, visit: Visit) -> None:
        """Delete a visit, its timeline and its events.

        Raises:
            VisitChanged: the stored visit is no longer this one.
            VisitNotFound: it was already deleted.
        """


class EventsWork(Protocol):
    """The part of a unit of work that events about visits need."""

    @property
    def timelines(self) -> Timelines:
        """The timelines of records."""

    @property
    def outbox(self) -> Outbox:
        """The stored events."""


class VisitsWork(Protocol):
    """The part of a unit of work that visits need."""

    @property
    def visits(self) -> VisitRecords:
        """The stored visits."""

    @property
    def facilities(self) -> FacilityRecords:
        """The stored facilities."""

    @property
    def shops(self) -> ShopRecords:
        """The stored shops."""

    @property
    def timelines(self) -> Timelines:
        """The timelines of records."""

    @property
    def outbox(self) -> Outbox:
        """The stored events."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[VisitsWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
