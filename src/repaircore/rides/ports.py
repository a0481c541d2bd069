"""Ports for rides."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, tzinfo
from typing import Any, Protocol, TypeAlias, TypeVar
from uuid import UUID

from repaircore.customers.ports import CustomerRecords
from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment, PartnerCaller, ProviderCaller
from repaircore.kernel.events import Outbox
from repaircore.kernel.geo import Point
from repaircore.kernel.paging import Page, PageRequest
from repaircore.kernel.timeline import Timelines
from repaircore.payments.ports import PaymentRecords
from repaircore.providers.model import Provider
from repaircore.rides.errors import NoRide
from repaircore.rides.fares import Quote
from repaircore.rides.model import (
    Offer,
    ProviderCard,
    Ride,
    RideDetail,
    RideFilter,
    RideKind,
    Status,
)
from repaircore.rides.offering import AskedProvider, Candidate
from repaircore.transactions.job_invoice import JobBill, JobInvoice

T = TypeVar("T")

Defer: TypeAlias = Callable[[Callable[[], None]], None]
"""Run a function once no unit of work is open: now, or when the outermost one ends, whether committed or not."""

ZoneAt: TypeAlias = Callable[[Point], tzinfo]
"""Return the time zone of a place."""

RideCaller: TypeAlias = PartnerCaller | ProviderCaller | None
"""Who looks for a ride: a partner finds their own, a provider those they were accepted for, and None finds all."""

HasPrediction: TypeAlias = Callable[[str, Environment], bool]
"""Return whether there was ever a prediction with a session id in an environment."""


class QuoteSeal(Protocol):
    """Seals quotes into tokens that cannot be forged."""

    def seal(self, quote: Quote) -> str:
        """Return a quote as a token: ``est_`` followed by URL-safe characters."""

    def open(self, token: str) -> Quote | None:
        """Return the quote in a token, or None if the token was not sealed here or was altered."""


class CandidateSource(Protocol):
    """The providers who could do rides: the directory, or in the test environment the sandbox fleet."""

    def find_candidates(self, ride: Ride, *, at: datetime, limit: int) -> Sequence[Candidate]:
        """List up to ``limit`` providers who could do a ride: qualified, near enough, open and free; nearest first.

        Call it outside a unit of work.
        """

    def find_asked(self, ride: Ride, *, at: datetime, limit: int) -> Sequence[AskedProvider]:
        """List up to ``limit`` free providers who could do a ride but must be asked for an offer, nearest first.

        Call it outside a unit of work.
        """

    def find_provider(self, work: Any, ref: str, environment: Environment) -> Provider | None:
        """Return the provider with this reference, even an inactive one, or None."""

    def card(self, work: Any, ref: str, environment: Environment) -> ProviderCard:
        """Return a provider as the customer sees them, or an empty card if the provider is not stored."""

    def available(self, work: Any, refs: Sequence[str]) -> frozenset[str]:
        """Return which of these providers are active and not busy with another ride."""

    def add_rating(self, work: Any, ride: Ride, rating: int) -> None:
        """Add a rating of 1 to 5 to the average of the ride's provider."""


class Invoices(Protocol):
    """Learns from the invoices of rides that led to a repair."""

    def record(
        self, work: Any, invoice: JobInvoice, *, job: str, session_id: UUID | None, environment: Environment
    ) -> JobBill:
        """Store the invoice for a job and learn from it, within the unit of work that ends the job.

        ``session_id`` is the prediction that led to the job.

        Raises:
            Invalid: one or more fields are invalid; their errors are under ``invoice``, and nothing is stored.
        """


class RideRecords(Protocol):
    """The stored rides."""

    def add(self, ride: Ride) -> Ride:
        """Store a new ride, and return it with its id."""

    def find(self, ref: str, kind: RideKind, caller: RideCaller) -> Ride | None:
        """Return the caller's ride with this reference, or None; a ``caller`` of None finds any ride."""

    def find_all(self, refs: Collection[str]) -> Mapping[str, Ride]:
        """Find rides of any owner and kind by their references, in one query; unknown references are omitted."""

    def lock(self, ref: str, kind: RideKind, caller: RideCaller) -> Ride | None:
        """Return what ``find`` does (None if there is no such ride), locked until the unit of work ends."""

    def replace(self, old: Ride, new: Ride) -> Ride:
        """Update a ride, and return it with its next version.

        Raises:
            Conflict: the stored ride's version or status differs from that of ``old``; nothing is changed.
            ProviderBusy: the driver is on another ride.
        """

    def list_page(
        self, kind: RideKind, caller: PartnerCaller, wanted: RideFilter, request: PageRequest
    ) -> Page[Ride]:
        """List a page of the caller's rides that match a filter, newest first.

        Raises:
            Invalid: ``cursor`` is invalid.
        """

    def list_page_for_operator(
        self,
        kind: RideKind,
        environment: Environment,
        *,
        partner_id: int | None,
        status: Status | None,
        unchanged_since: datetime | None,
        number: int,
        per_page: int,
    ) -> Page[Ride]:
        """List a page of the rides of one partner, or of all partners, newest first.

        ``unchanged_since`` selects the rides that are under way and were not changed after that time.
        """

    def busy(self, provider_refs: Sequence[str]) -> frozenset[str]:
        """Return which of these providers are on a mobile ride in the live environment."""

    def list_overdue(self, kind: RideKind, *, at: datetime, after: int, limit: int) -> Sequence[Ride]:
        """List the pending rides that are overdue at a time, ordered by id, starting after the id ``after``."""

    def list_without_offers(self, kind: RideKind, *, at: datetime, after: int, limit: int) -> Sequence[Ride]:
        """List the pending rides without an acceptable offer, ordered by id, starting after the id ``after``.

        Rides that are overdue, or for which it is too early to ask providers, are left out.

        An offer is acceptable while it is open and its provider is active and not busy with another ride.
        """

    def list_undispatched(self, kind: RideKind, *, at: datetime, after: int, limit: int) -> Sequence[Ride]:
        """List the rides of ``list_without_offers``, and those for which nobody has been asked yet (``wave`` is 0)."""


class RideDetails(Protocol):
    """Rides with everything that a response about one needs, read in one snapshot."""

    def find(self, ref: str, kind: RideKind, caller: RideCaller) -> RideDetail | None:
        """Return the caller's ride with its payments and steps, oldest first, or None if it is not found.

        A ``caller`` of None finds any ride. Inside a request's outer unit of work, it sees that unit's uncommitted
        writes.

        Raises:
            Unavailable: the database is not responding.
        """


class OfferRecords(Protocol):
    """The stored offers."""

    def add(self, offers: Sequence[Offer]) -> list[Offer]:
        """Store new offers, and return them with their ids."""

    def find_all(self, ids: Collection[int]) -> Mapping[int, Offer]:
        """Find offers by their ids, in one query; unknown ids are omitted."""

    def list_for(self, ride_ref: str) -> list[Offer]:
        """List all offers for a ride, oldest first."""

    def replace(self, old: Offer, new: Offer) -> None:
        """Update an offer.

        Raises:
            Conflict: the stored offer's status differs from that of ``old``, or the ride already has an accepted offer.
        """


class RidesWork(Protocol):
    """The part of a unit of work that rides need."""

    @property
    def rides(self) -> RideRecords:
        """The stored rides."""

    @property
    def offers(self) -> OfferRecords:
        """The stored offers."""

    @property
    def payments(self) -> PaymentRecords:
        """The stored payments."""

    @property
    def customers(self) -> CustomerRecords:
        """The stored customers."""

    @property
    def timelines(self) -> Timelines:
        """The timelines of rides and other records."""

    @property
    def audit(self) -> AuditLog:
        """The changes made by operators."""

    @property
    def outbox(self) -> Outbox:
        """The events for subscribers."""


def find_ride(work: RidesWork, kind: RideKind, ref: str, caller: RideCaller) -> Ride:
    """Return the caller's ride with this reference.

    Raises:
        NoRide: the caller has no ride of this kind with this reference.
    """
    return required(work.rides.find(ref, kind, caller))


def lock_ride(work: RidesWork, kind: RideKind, ref: str, caller: RideCaller) -> Ride:
    """Return the caller's ride with this reference, locked until the unit of work ends.

    Raises:
        NoRide: the caller has no ride of this kind with this reference.
    """
    return required(work.rides.lock(ref, kind, caller))


def required(found: T | None) -> T:
    """Return a result that must not be None.

    Raises:
        NoRide: it is None.
    """
    if found is None:
        raise NoRide
    return found


OpenWork: TypeAlias = Callable[[], AbstractContextManager[RidesWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
