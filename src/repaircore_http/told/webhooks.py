"""Webhooks."""

from datetime import datetime
from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from repaircore.kernel.callers import Environment
from repaircore.kernel.rules import Described
from repaircore.webhooks.event_types import ALL, EVENT_TYPES

EventName: TypeAlias = Annotated[
    str,
    Described(
        "An event by its name; `*` is whatever happens, what later versions tell of too.",
        enum=[*EVENT_TYPES, ALL],
    ),
]
"""Only described here: whether there is such an event, the core judges."""


class Subscription(TypedDict):
    """Who is told of what, and how that went last."""

    ref: str
    url: str
    events: list[EventName]
    description: str | None
    active: bool
    environment: Environment
    last_delivery_at: datetime | None
    last_status: int | None
    failing_since: datetime | None
    disabled_reason: str | None
    created_at: datetime
    updated_at: datetime


class SubscriptionMade(Subscription):
    """A new subscription, with the secret that deliveries are signed with: it is told this once."""

    secret: str


class SubscriptionChanged(Subscription):
    """A changed subscription, with its new secret where one was asked for."""

    secret: NotRequired[str]


class SubscriptionGone(TypedDict):
    """That a subscription is gone."""

    ref: str
    deleted: Literal[True]
