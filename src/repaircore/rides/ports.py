"""What roadside rides need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, tzinfo
from typing import Any, Protocol, TypeAlias
from uuid import UUID

from repaircore.customers.ports import Customers
from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.events import Outbox
from repaircore.kernel.geo import Point
from repaircore.kernel.paging import Page
from repaircore.kernel.timeline import Timelines
from repaircore.payments.ports import PaymentRecords
from repaircore.rides.fares import Quote
from repaircore.rides.model import Offer, Ride, RideKind, Status
from repaircore.rides.offering import Candidate
from repaircore.transactions.job_invoice import JobBill, JobInvoice

Afterwards: TypeAlias = Callable[[Callable[[], None]], None]
"""Do something as soon as no unit of work is open: at once when none is, else when the outermost has ended, well or not."""

ZoneAt: TypeAlias = Callable[[Point], tzinfo]
"""Give the time zone of a place."""

Sessions: TypeAlias = Callable[[str, Environment], bool]
"""Tell whether a prediction of this session id was ever made in an environment."""


class QuoteSeal(Protocol):
    """What makes quotes into texts that nobody else can make."""

    @abstractmethod
    def seal(self, quote: Quote) -> str:
        """Write a quote as ``est_`` and letters that fit into an address."""

    @abstractmethod
    def open(self, text: str) -> Quote | None:
        """Give the quote back; None for a text that was not sealed here, or was changed."""


class CandidateSource(Protocol):
    """Who could do rides: the directory, and in the test environment the sandbox fleet."""

    @abstractmethod
    def candidates(self, ride: Ride, *, at: datetime, limit: int) -> Sequence[Candidate]:
        """List who is able to do the ride, near enough, open and free at a moment, the nearest first.

        Called outside of a unit of work. A place without anybody gives none.
        """

    @abstractmethod
    def free(self, work: Any, refs: Sequence[str]) -> frozenset[str]:
        """Tell, within a unit of work, who of these could come: who gets requests, and is on no ride that keeps them."""

    @abstractmethod
    def rated(self, work: Any, ride: Ride, rating: int) -> None:
        """Count a rating of 1 to 5 into the average of who did the ride, within the unit of work that keeps it."""


class Invoices(Protocol):
    """What learns from the invoices of rides that led to a repair."""

    @abstractmethod
    def record(
        self, work: Any, told: JobInvoice, *, job: str, session_id: UUID | None, environment: Environment
    ) -> JobBill:
        """Keep the invoice of a job and learn from it, within the unit of work that ends the job.

        ``session_id`` is the prediction that led to the job.

        Raises:
            Invalid: every bad field is named, below ``invoice``; nothing is kept.
        """


class RideRecords(Protocol):
    """The kept rides."""

    @abstractmethod
    def add(self, ride: Ride) -> Ride:
        """Keep a new ride, and give it with its id."""

    @abstractmethod
    def by_ref(self, ref: str, kind: RideKind, caller: PartnerCaller | None) -> Ride | None:
        """Give the ride of a reference, of the caller's own (None: of anybody's); None when there is none."""

    @abstractmethod
    def lock(self, ref: str, kind: RideKind, caller: PartnerCaller | None) -> Ride | None:
        """Give what ``by_ref`` gives, as it stands once everybody is through who is changing it at this moment.

        It is nobody else's to change until the unit of work ends.
        """

    @abstractmethod
    def replace(self, old: Ride, new: Ride) -> Ride:
        """Keep ``new`` in the place of ``old``, and give the kept one with its next version.

        Raises:
            Conflict: the kept one is no longer ``old``, by version or by status; nothing is changed.
            ProviderBusy: the driver is on another ride.
        """

    @abstractmethod
    def page(
        self, kind: RideKind, caller: PartnerCaller, *, status: Status | None, number: int, per_page: int
    ) -> Page[Ride]:
        """Give a page of the caller's rides, the newest first."""

    @abstractmethod
    def page_of_all(
        self,
        kind: RideKind,
        environment: Environment,
        *,
        partner_id: int | None,
        status: Status | None,
        standing_since: datetime | None,
        number: int,
        per_page: int,
    ) -> Page[Ride]:
        """Give a page of the rides of an environment for its operator, the newest first; of one partner, or of all.

        ``standing_since`` leaves those that are under way and were not changed after a moment.
        """

    @abstractmethod
    def busy(self, provider_refs: Sequence[str]) -> frozenset[str]:
        """Tell who of these is on a mobile ride of the live environment."""

    @abstractmethod
    def overdue(self, kind: RideKind, *, at: datetime, after: int, limit: int) -> Sequence[Ride]:
        """List pending rides that have expired by a moment, by id, those after the id ``after``."""

    @abstractmethod
    def unoffered(self, kind: RideKind, *, at: datetime, after: int, limit: int) -> Sequence[Ride]:
        """List pending, unexpired rides without an offer that can be accepted, by id, those after the id ``after``.

        That is an open one of somebody who gets requests, and is on no ride that keeps them.
        """


class OfferRecords(Protocol):
    """The kept offers."""

    @abstractmethod
    def add(self, offers: Sequence[Offer]) -> list[Offer]:
        """Keep new offers, and give them with their ids."""

    @abstractmethod
    def of(self, ride_ref: str) -> list[Offer]:
        """List all offers of a ride, oldest first."""

    @abstractmethod
    def replace(self, old: Offer, new: Offer) -> None:
        """Keep ``new`` in the place of ``old``.

        Raises:
            Conflict: the kept one's status is no longer that of ``old``, or the ride has an accepted offer already.
        """


class RidesWork(Protocol):
    """The part of a unit of work that roadside rides need."""

    @property
    @abstractmethod
    def rides(self) -> RideRecords:
        """The kept rides."""

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
    def audit(self) -> AuditLog:
        """What operators changed."""

    @property
    @abstractmethod
    def outbox(self) -> Outbox:
        """What happened, for whoever subscribed to it."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[RidesWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""
