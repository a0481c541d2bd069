"""What webhooks need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.events import Event
from repaircore.kernel.paging import Page
from repaircore.webhooks.model import (
    Attempt,
    AttemptResult,
    Backlog,
    DeliveryOutcome,
    LeasedDelivery,
    Message,
    PendingSubscription,
    ReplayResult,
    Subscription,
)

RandomBytes: TypeAlias = Callable[[int], bytes]
"""Give so many bytes that nobody can foresee."""

Chance: TypeAlias = Callable[[], float]
"""Give a number from 0 to 1, evenly spread."""

Holder: TypeAlias = Callable[[], str]
"""Name this process, so that no other and no later one has its name."""


class SecretVault(Protocol):
    """What makes signing secrets unreadable to whoever reads the database."""

    @abstractmethod
    def seal(self, secret: str) -> str:
        """Encrypt a secret with the newest key."""

    @abstractmethod
    def unseal(self, sealed: str) -> str:
        """Give a secret back.

        Raises:
            UnreadableSecret: no key opens it, or it was changed.
        """


class Sender(Protocol):
    """Who brings messages to subscribers. Never called within a unit of work; many threads may call it at once."""

    @abstractmethod
    def send(self, message: Message) -> AttemptResult:
        """Post a message, within 15 seconds in all; whatever happens is told, and nothing is raised.

        The address that is connected to is one that the message's environment allows. No redirect is followed, and at
        most 16 KiB of an answer are read.
        """


class SubscriptionRecords(Protocol):
    """The kept subscriptions."""

    @abstractmethod
    def count(self, caller: PartnerCaller) -> int:
        """Count the partner's; until the unit of work ends, no other one counts them."""

    @abstractmethod
    def add(self, subscription: Subscription) -> Subscription:
        """Keep a new subscription, and give it with its id."""

    @abstractmethod
    def by_ref(self, ref: str, caller: PartnerCaller) -> Subscription | None:
        """Give the partner's subscription of its environment, or None."""

    @abstractmethod
    def anybodys(self, ref: str) -> Subscription | None:
        """Give the subscription whosever it is, or None."""

    @abstractmethod
    def page(self, caller: PartnerCaller, *, number: int, per_page: int) -> Page[Subscription]:
        """List the partner's subscriptions of its environment, the newest first."""

    @abstractmethod
    def all(self) -> Sequence[Subscription]:
        """List everybody's, in the order in which they were made."""

    @abstractmethod
    def replace(self, old: Subscription, new: Subscription) -> Subscription:
        """Keep what a partner may change, and the standing, and give the kept one with its next version.

        One that is not active any more has its pending deliveries dropped.

        Raises:
            Conflict: the kept one is no longer ``old``; nothing is changed.
        """

    @abstractmethod
    def remove(self, subscription: Subscription) -> None:
        """Forget a subscription, its deliveries and their attempts.

        Raises:
            NoSubscription: it is gone already.
        """


class DeliveryRecords(Protocol):
    """The deliveries of events to subscriptions, and the attempts that were made."""

    @abstractmethod
    def waiting(self, *, now: datetime) -> Sequence[PendingSubscription]:
        """List the active subscriptions with a delivery that is due and that nobody holds."""

    @abstractmethod
    def claim(
        self, subscription_id: int, *, most: int, holder: str, now: datetime, until: datetime
    ) -> Sequence[LeasedDelivery]:
        """Hold so many of a subscription's due deliveries that nobody holds, the longest waiting first.

        Nobody else is given them before ``until``. What others claim at the same moment is passed over.
        """

    @abstractmethod
    def settle(
        self,
        due: LeasedDelivery,
        sent: AttemptResult,
        outcome: DeliveryOutcome,
        *,
        began: datetime,
        at: datetime,
    ) -> bool:
        """Keep what became of an attempt, and of the subscription with it; the delivery is held no more.

        False when it was no longer held by who tried: another one has it, or the subscription is gone. Then only the
        attempt is kept, as far as there is a delivery.
        """

    @abstractmethod
    def release(self, holder: str) -> int:
        """Hold nothing any more for a holder, and count what was held."""

    @abstractmethod
    def holders(self, *, now: datetime) -> Sequence[str]:
        """Name those who hold deliveries."""

    @abstractmethod
    def test(
        self, event: Event, subscription: Subscription, *, holder: str, until: datetime
    ) -> LeasedDelivery:
        """Keep an event, and the holder's delivery of it to this subscription alone, whatever that lists."""

    @abstractmethod
    def replay_event(self, event_id: str, *, at: datetime) -> ReplayResult | None:
        """Deliver an event anew to whoever is subscribed to it now; None when there is no such event."""

    @abstractmethod
    def replay_between(
        self,
        since: datetime,
        until: datetime,
        *,
        at: datetime,
        subscription: Subscription | None,
        undelivered: bool,
    ) -> ReplayResult:
        """Deliver the events of a time anew to whoever is subscribed to them now.

        ``subscription`` leaves the others out, ``undelivered`` what one has got already or is waiting for.
        """

    @abstractmethod
    def attempts(
        self, *, limit: int, subscription: Subscription | None, event_id: str | None
    ) -> Sequence[Attempt]:
        """List attempts, the newest first."""

    @abstractmethod
    def backlog(self, *, now: datetime) -> Backlog:
        """Tell how much waits."""

    @abstractmethod
    def forget(self, before: datetime, *, most: int) -> int:
        """Forget what is older, so many rows at the most, and count them.

        Attempts; deliveries that are not pending; events that no delivery is about, but never a subject's newest, because
        the next one is numbered by it.
        """


class WebhooksWork(Protocol):
    """The part of a unit of work that webhooks need."""

    @property
    @abstractmethod
    def subscriptions(self) -> SubscriptionRecords:
        """The kept subscriptions."""

    @property
    @abstractmethod
    def deliveries(self) -> DeliveryRecords:
        """The deliveries to them."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """What was changed by whom."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[WebhooksWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""
