"""Subscriptions, and what becomes of the events that are delivered to them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from attrs import Factory, field, frozen

from repaircore.kernel.callers import Environment

MOST_SUBSCRIPTIONS: Final = 20
"""So many a partner may have in an environment."""

OVERLAP: Final = timedelta(hours=24)
"""For so long an earlier secret signs beside the new one."""

LEASE: Final = timedelta(seconds=60)
"""For so long a delivery is one worker's: longer than an attempt can take."""


class DeliveryState(StrEnum):
    """What became of a delivery: ``dead`` was tried until its time was over, ``dropped`` before that."""

    PENDING = "pending"
    DELIVERED = "delivered"
    DEAD = "dead"
    DROPPED = "dropped"


@frozen(kw_only=True)
class SubscriptionHealth:
    """How deliveries to a subscription went of late.

    ``at`` is when it was last called, ``status`` what it answered (None: nothing); ``failing_since`` the first failure
    after the last success.
    """

    at: datetime | None = None
    status: int | None = None
    failing_since: datetime | None = None


@frozen(kw_only=True)
class Subscription:
    """A partner's wish to be told. ``sealed`` is the signing secret, unreadable to whoever reads the database."""

    id: int = 0
    ref: str
    partner_id: int
    environment: Environment
    url: str
    events: tuple[str, ...]
    description: str | None
    active: bool
    sealed: str = field(repr=False)
    previous_sealed: str | None = field(default=None, repr=False)
    previous_until: datetime | None = None
    standing: SubscriptionHealth = Factory(SubscriptionHealth)
    disabled_reason: str | None = None
    created_at: datetime
    updated_at: datetime
    version: int = 1


@frozen(kw_only=True)
class SubscriptionWithSecret:
    """A subscription, and its secret when it was made just now: it is told this once."""

    subscription: Subscription
    secret: str | None = field(default=None, repr=False)


@frozen(kw_only=True)
class PendingSubscription:
    """A subscription that has something to be delivered now."""

    subscription_id: int
    partner_id: int
    failing: bool


@frozen(kw_only=True)
class LeasedDelivery:
    """A delivery that this worker alone may make until its lease ends; ``attempts`` were made before."""

    id: int
    subscription_id: int
    partner_id: int
    failing: bool
    environment: Environment
    event_id: str
    payload: str = field(repr=False)
    url: str
    sealed: str = field(repr=False)
    previous_sealed: str | None = field(repr=False)
    previous_until: datetime | None
    failing_since: datetime | None
    attempts: int
    created_at: datetime
    holder: str


@frozen(kw_only=True)
class Message:
    """What is sent: a body and the headers that prove whose it is."""

    url: str
    environment: Environment
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)


@frozen(kw_only=True)
class AttemptResult:
    """How an attempt went.

    ``status`` is the answer's, None when there was none, and then ``error`` says why. ``retry_after`` is how many seconds
    the subscriber asked to be left alone for.
    """

    status: int | None = None
    error: str | None = None
    retry_after: float | None = None


@frozen(kw_only=True)
class DeliveryOutcome:
    """What an attempt makes of a delivery, and of its subscription.

    ``due_at`` is when it is tried again while it is pending; ``disabled`` says why the subscription is to get nothing
    any more.
    """

    state: DeliveryState
    due_at: datetime | None = None
    disabled: str | None = None


@frozen(kw_only=True)
class Attempt:
    """An attempt as it is kept."""

    at: datetime
    event_id: str
    type: str
    subscription: str
    status: int | None
    error: str | None
    milliseconds: int
    state: DeliveryState


@frozen(kw_only=True)
class Backlog:
    """How many deliveries wait in all, those that are due, and since when the longest of these is."""

    pending: int
    due: int
    oldest: datetime | None


@frozen(kw_only=True)
class ReplayResult:
    """How many events are delivered anew, and how many deliveries that makes."""

    events: int
    deliveries: int
