"""Subscriptions, and deliveries of events to them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, ClassVar, Final, TypeAlias

from attrs import Factory, field, frozen

from repaircore.kernel.callers import Caller, Environment, PartnerCaller, owner_of
from repaircore.kernel.rules import Length
from repaircore.webhooks.event_types import AccountEventName, EventName

MOST_SUBSCRIPTIONS: Final = 20
"""How many subscriptions a partner or an account may have in an environment."""

SECRET_OVERLAP: Final = timedelta(hours=24)
"""How long the previous secret also signs after a rotation."""

LEASE: Final = timedelta(seconds=60)
"""How long a delivery is leased, which is longer than an attempt can take."""

LONGEST_URL: Final = 2048
_MOST_EVENTS: Final = 100


@frozen(kw_only=True)
class AccountSubscriber:
    """An account of the main service in one environment, as the owner of subscriptions.

    Anybody may register, so in the test environment only admins (``is_trusted``) may have events sent to this machine.
    """

    user_id: int
    environment: Environment
    is_trusted: bool = False

    @classmethod
    def of(cls, caller: Caller) -> "AccountSubscriber":
        """Return the account behind a credential."""
        return cls(user_id=owner_of(caller), environment=caller.environment, is_trusted=caller.is_admin)


Subscriber: TypeAlias = PartnerCaller | AccountSubscriber
"""An owner of subscriptions in one environment."""


@frozen(kw_only=True)
class CreateSubscription:
    """The events to send, and the URL to send them to."""

    takes_nulls: ClassVar[bool] = True

    url: Annotated[str, Length(1, LONGEST_URL)]
    events: Annotated[tuple[EventName, ...], Length(1, _MOST_EVENTS)]
    description: Annotated[str | None, Length(0, 255)] = None
    active: bool = True


@frozen(kw_only=True)
class CreateAccountSubscription:
    """The events of an account to send, and the URL to send them to."""

    url: Annotated[str, Length(1, LONGEST_URL)]
    events: Annotated[tuple[AccountEventName, ...], Length(1, _MOST_EVENTS)]
    description: Annotated[str | None, Length(0, 255)] = None


@frozen(kw_only=True)
class UpdateSubscription:
    """The fields to change; null changes nothing, and an empty description removes it."""

    takes_nulls: ClassVar[bool] = True

    url: Annotated[str | None, Length(1, LONGEST_URL)] = None
    events: Annotated[tuple[EventName, ...] | None, Length(1, _MOST_EVENTS)] = None
    description: Annotated[str | None, Length(0, 255)] = None
    active: bool | None = None
    rotate_secret: bool = False


class DeliveryState(StrEnum):
    """The state of a delivery: ``dead`` ran out of retries, and ``dropped`` was abandoned before that."""

    PENDING = "pending"
    DELIVERED = "delivered"
    DEAD = "dead"
    DROPPED = "dropped"


@frozen(kw_only=True)
class SubscriptionHealth:
    """The results of the latest deliveries to a subscription.

    ``at`` is the time of the last attempt, and ``status`` its HTTP status (None without a response); ``failing_since``
    is when it first failed after the last success, or None if it is not failing.
    """

    at: datetime | None = None
    status: int | None = None
    failing_since: datetime | None = None


@frozen(kw_only=True)
class Subscription:
    """A subscription of a partner or an account (``user_id``); ``sealed`` is the encrypted signing secret."""

    id: int = 0
    ref: str
    partner_id: int | None = None
    user_id: int | None = None
    environment: Environment
    url: str
    events: tuple[str, ...]
    description: str | None
    active: bool
    sealed: str = field(repr=False)
    previous_sealed: str | None = field(default=None, repr=False)
    previous_until: datetime | None = None
    health: SubscriptionHealth = Factory(SubscriptionHealth)
    disabled_reason: str | None = None
    created_at: datetime
    updated_at: datetime
    version: int = 1


@frozen(kw_only=True)
class SubscriptionWithSecret:
    """A subscription, and its secret if it was just generated."""

    subscription: Subscription
    secret: str | None = field(default=None, repr=False)


@frozen(kw_only=True)
class PendingSubscription:
    """A subscription with a delivery that is due; ``owner`` identifies its partner or account."""

    subscription_id: int
    owner: str
    failing: bool


@frozen(kw_only=True)
class LeasedDelivery:
    """A delivery that is leased to a worker; ``attempts`` is how many were made before.

    ``owner`` identifies its partner or account; ``is_trusted`` allows sending events to this machine in the test
    environment.
    """

    id: int
    subscription_id: int
    owner: str
    is_trusted: bool = True
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
    """A signed request to a subscriber; ``is_trusted`` is as in ``LeasedDelivery``."""

    url: str
    environment: Environment
    is_trusted: bool = True
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)


@frozen(kw_only=True)
class AttemptResult:
    """The result of an attempt.

    ``status`` is the HTTP status, or None without a response; then ``error`` has the reason. ``retry_after`` is the
    subscriber's Retry-After header in seconds. ``was_sent`` is False if the request could not even be signed, which
    does not count as an attempt.
    """

    status: int | None = None
    error: str | None = None
    retry_after: float | None = None
    was_sent: bool = True


@frozen(kw_only=True)
class DeliveryOutcome:
    """The next state of a delivery after an attempt.

    ``due_at`` is the time of the next attempt if it is pending; ``disabled`` is the reason to disable the subscription,
    or None.
    """

    state: DeliveryState
    due_at: datetime | None = None
    disabled: str | None = None


@frozen(kw_only=True)
class Attempt:
    """A stored attempt to deliver an event, and the state in which it left the delivery."""

    at: datetime
    event_id: str
    type: str
    subscription: str
    status: int | None
    error: str | None
    milliseconds: int
    state: DeliveryState


@frozen(kw_only=True)
class Delivery:
    """A stored delivery; while it is pending, ``due_at`` is the time of the next attempt."""

    event_id: str
    type: str
    state: DeliveryState
    attempts: int
    due_at: datetime
    last_status: int | None
    last_error: str | None
    delivered_at: datetime | None
    created_at: datetime


@frozen(kw_only=True)
class Backlog:
    """How many deliveries are pending, how many of them are due, and when the oldest due one became due, if any."""

    pending: int
    due: int
    oldest: datetime | None


@frozen(kw_only=True)
class ReplayEvents:
    """The events to deliver again: one by its id, or those from ``since`` until just before ``until`` (default: now).

    For a period, ``undelivered`` skips the events that were delivered or whose deliveries are pending.
    """

    takes_nulls: ClassVar[bool] = True

    event: Annotated[str, Length(1, 64)] | None = None
    since: datetime | None = None
    until: datetime | None = None
    undelivered: bool = True


@frozen(kw_only=True)
class ReplayResult:
    """How many events a replay found, and how many deliveries it created."""

    events: int
    deliveries: int
