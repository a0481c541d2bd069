"""What roadside jobs need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, tzinfo
from typing import Protocol, TypeAlias

from repaircore.customers.ports import Customers
from repaircore.kernel.events import Outbox
from repaircore.kernel.geo import Point
from repaircore.kernel.paging import Page
from repaircore.kernel.partners import PartnerCaller
from repaircore.kernel.timeline import Timelines
from repaircore.payments.ports import PaymentRecords
from repaircore.roadside.model import Job, JobKind, Offer, Status
from repaircore.roadside.offering import Candidate
from repaircore.roadside.quoting import Quote

__all__ = [
    "Afterwards",
    "Begin",
    "Failpoint",
    "JobRecords",
    "OfferRecords",
    "Providers",
    "QuoteSeal",
    "RoadsideWork",
    "Sessions",
    "ZoneAt",
]

Afterwards: TypeAlias = Callable[[Callable[[], None]], None]
"""Do something as soon as no unit of work is open: at once when none is, else when the outermost has ended, well or not."""

Failpoint: TypeAlias = Callable[[str], None]
"""Is told each moment of a money operation as it comes; a test ends the process there."""

ZoneAt: TypeAlias = Callable[[Point], tzinfo]
"""Give the time zone of a place."""

Sessions: TypeAlias = Callable[[str], bool]
"""Tell whether a prediction of this session id was ever made."""


class QuoteSeal(Protocol):
    """What makes quotes into texts that nobody else can make."""

    @abstractmethod
    def seal(self, quote: Quote) -> str:
        """Write a quote as ``est_`` and letters that fit into an address."""

    @abstractmethod
    def open(self, text: str) -> Quote | None:
        """Give the quote back; None for a text that was not sealed here, or was changed."""


class Providers(Protocol):
    """Who could do jobs: the directory, and in the test environment the sandbox fleet."""

    @abstractmethod
    def candidates(self, job: Job, *, at: datetime, limit: int) -> Sequence[Candidate]:
        """List who is able to do the job, near enough, open and free at a moment, the nearest first.

        Called outside of a unit of work. A place without anybody gives none.
        """

    @abstractmethod
    def rated(self, provider_ref: str, rating: int) -> None:
        """Count a rating of 1 to 5 into the provider's average; called within the unit of work that keeps it."""


class JobRecords(Protocol):
    """The kept jobs."""

    @abstractmethod
    def add(self, job: Job) -> Job:
        """Keep a new job, and give it with its id."""

    @abstractmethod
    def by_ref(self, ref: str, kind: JobKind, caller: PartnerCaller | None) -> Job | None:
        """Give the job of a reference, of the caller's own (None: of anybody's); None when there is none."""

    @abstractmethod
    def replace(self, old: Job, new: Job) -> Job:
        """Keep ``new`` in the place of ``old``, and give the kept one with its next version.

        Raises:
            Conflict: the kept one is no longer ``old``, by version or by status; nothing is changed.
            ProviderBusy: the driver is on another ride.
        """

    @abstractmethod
    def page(
        self, kind: JobKind, caller: PartnerCaller, *, status: Status | None, number: int, per_page: int
    ) -> Page[Job]:
        """Give a page of the caller's jobs, the newest first."""

    @abstractmethod
    def overdue(self, kind: JobKind, *, at: datetime, limit: int) -> Sequence[Job]:
        """List pending jobs that have expired by a moment, the longest overdue first."""

    @abstractmethod
    def unoffered(self, kind: JobKind, *, at: datetime, limit: int) -> Sequence[Job]:
        """List pending, unexpired jobs without an open offer, the oldest first."""


class OfferRecords(Protocol):
    """The kept offers."""

    @abstractmethod
    def add(self, offers: Sequence[Offer]) -> list[Offer]:
        """Keep new offers, and give them with their ids."""

    @abstractmethod
    def of(self, job_ref: str) -> list[Offer]:
        """List all offers of a job, oldest first."""

    @abstractmethod
    def replace(self, old: Offer, new: Offer) -> None:
        """Keep ``new`` in the place of ``old``.

        Raises:
            Conflict: the kept one's status is no longer that of ``old``, or the job has an accepted offer already.
        """


class RoadsideWork(Protocol):
    """The part of a unit of work that roadside jobs need."""

    @property
    @abstractmethod
    def jobs(self) -> JobRecords:
        """The kept jobs."""

    @property
    @abstractmethod
    def offers(self) -> OfferRecords:
        """The kept offers."""

    @property
    @abstractmethod
    def payments(self) -> PaymentRecords:
        """The kept payments."""

    @property
    @abstractmethod
    def customers(self) -> Customers:
        """The kept customers."""

    @property
    @abstractmethod
    def timelines(self) -> Timelines:
        """What became of records."""

    @property
    @abstractmethod
    def outbox(self) -> Outbox:
        """What happened, for whoever subscribed to it."""


Begin: TypeAlias = Callable[[], AbstractContextManager[RoadsideWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""
