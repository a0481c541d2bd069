"""Ports for webhooks."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.kernel.audit import AuditLog
from repaircore.kernel.events import Event
from repaircore.kernel.paging import Page, PageRequest
from repaircore.webhooks.model import (
    Attempt,
    AttemptResult,
    Backlog,
    Delivery,
    DeliveryOutcome,
    LeasedDelivery,
    Message,
    PendingSubscription,
    ReplayResult,
    Subscriber,
    Subscription,
)

RandomBytes: TypeAlias = Callable[[int], bytes]
"""Return the given number of cryptographically secure random bytes."""

Chance: TypeAlias = Callable[[], float]
"""Return a random number from 0 to 1."""

Holder: TypeAlias = Callable[[], str]
"""Return a name for this process that no other process ever has."""


class SecretVault(Protocol):
    """Encrypts signing secrets, so that the database does not reveal them."""

    def seal(self, secret: str) -> str:
        """Return a secret encrypted with the newest key."""

    def unseal(self, sealed: str) -> str:
        """Return the decrypted secret.

        Raises:
            UnreadableSecret: no key decrypts it, or it was altered.
        """


class Sender(Protocol):
    """Sends messages to subscribers; it is never called inside a unit of work, and must be thread-safe."""

    def send(self, message: Message) -> AttemptResult:
        """Post a message within 15 seconds in total and return the result; this never raises.

        It only connects to addresses that the message's environment allows. It follows no redirects, and reads at most
        16 KiB of the response.
        """


class SubscriptionRecords(Protocol):
    """The stored subscriptions."""

    def count(self, caller: Subscriber) -> int:
        """Return the number of the caller's subscriptions."""

    def count_locked(self, caller: Subscriber) -> int:
        """Return the number of the caller's subscriptions; nobody adds one until the unit of work ends."""

    def add(self, subscription: Subscription) -> Subscription:
        """Store a new subscription, and return it with its id."""

    def find(self, ref: str, caller: Subscriber) -> Subscription | None:
        """Return the caller's subscription with a reference, or None."""

    def find_any(self, ref: str) -> Subscription | None:
        """Return any owner's subscription with a reference, or None."""

    def list_page(self, caller: Subscriber, request: PageRequest) -> Page[Subscription]:
        """Return a page of the caller's subscriptions, newest first."""

    def list_all(self) -> Sequence[Subscription]:
        """List the subscriptions of all partners and accounts, oldest first."""

    def replace(self, old: Subscription, new: Subscription) -> Subscription:
        """Replace ``old`` with ``new``, and return the latter with its next version.

        If ``new`` is inactive, its pending deliveries are dropped.

        Raises:
            Conflict: the stored subscription is no longer ``old``.
        """

    def delete(self, subscription: Subscription) -> None:
        """Delete a subscription, its deliveries and their attempts.

        Raises:
            SubscriptionNotFound: it was already deleted.
        """


class DeliveryRecords(Protocol):
    """The stored deliveries of events to subscriptions, and their attempts."""

    def list_pending(self, *, now: datetime) -> Sequence[PendingSubscription]:
        """List the active subscriptions with a delivery that is due and not leased."""

    def claim(
        self, subscription_id: int, *, most: int, holder: str, now: datetime, until: datetime
    ) -> Sequence[LeasedDelivery]:
        """Lease up to ``most`` of a subscription's due deliveries until ``until``, longest due first.

        Deliveries that other workers have leased, or are leasing concurrently, are skipped.
        """

    def record(
        self,
        delivery: LeasedDelivery,
        result: AttemptResult,
        outcome: DeliveryOutcome,
        *,
        started: datetime,
        at: datetime,
    ) -> bool:
        """Store an attempt and its outcome, update the subscription's health, and release the delivery.

        A request that was not sent is not counted or stored as an attempt; its error is stored as the delivery's last
        error.

        Return False if the lease was lost, because another worker has it or the delivery was dropped or deleted. In
        that case, only the attempt is stored, if the delivery still exists.
        """

    def release(self, holder: str) -> int:
        """Release all leases of a holder, and return how many there were."""

    def expedite(self, *, after: datetime, now: datetime) -> int:
        """Reschedule pending deliveries that are due later than ``after`` for ``now``; return how many there were."""

    def list_holders(self, *, now: datetime) -> Sequence[str]:
        """List the holders of the current leases."""

    def add_test(
        self, event: Event, subscription: Subscription, *, holder: str, until: datetime
    ) -> LeasedDelivery:
        """Store a test event and lease its delivery, which goes only to this subscription, whichever types it lists."""

    def enqueue_test(self, event: Event, subscription: Subscription) -> None:
        """Store a test event with a delivery that goes only to this subscription, whichever types it lists."""

    def list_page(self, subscription: Subscription, request: PageRequest) -> Page[Delivery]:
        """Return a page of a subscription's deliveries, newest first."""

    def replay_event(self, event_id: str, *, at: datetime) -> ReplayResult | None:
        """Replay an event to its current subscribers; return None if there is no such event."""

    def replay_to(self, event_id: str, subscription: Subscription, *, at: datetime) -> ReplayResult | None:
        """Replay an event to a subscription if it lists the type; return None if the owner has no such event."""

    def replay_between(
        self,
        since: datetime,
        until: datetime,
        *,
        at: datetime,
        subscription: Subscription | None,
        undelivered: bool,
    ) -> ReplayResult:
        """Replay the events of a period to their current subscribers.

        ``subscription`` limits the replay to one subscription; ``undelivered`` skips events that were delivered or
        whose deliveries are pending.
        """

    def list_attempts(
        self, *, limit: int, subscription: Subscription | None, event_id: str | None
    ) -> Sequence[Attempt]:
        """List up to ``limit`` attempts, newest first, optionally of one subscription or one event."""

    def get_backlog(self, *, now: datetime) -> Backlog:
        """Return how many deliveries are pending, how many are due, and when the oldest due one became due."""

    def delete_old(self, before: datetime, *, most: int) -> int:
        """Delete up to ``most`` rows older than a time from each table, and return how many were deleted.

        These are attempts, deliveries that are not pending, and events without deliveries. The newest event of a
        subject is never deleted, because the next event's number follows from it.
        """


class WebhooksWork(Protocol):
    """The part of a unit of work that webhooks need."""

    @property
    def subscriptions(self) -> SubscriptionRecords:
        """The stored subscriptions."""

    @property
    def deliveries(self) -> DeliveryRecords:
        """The stored deliveries."""

    @property
    def audit(self) -> AuditLog:
        """The changes made by operators."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[WebhooksWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
