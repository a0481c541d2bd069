"""Subscriptions, deliveries and attempts as clients and operators see them."""

from datetime import datetime
from typing import Any, Literal, Self

from repaircore.kernel.callers import Environment
from repaircore.kernel.views import view
from repaircore.webhooks.event_types import AccountEventName, EventName
from repaircore.webhooks.model import (
    Attempt,
    Backlog,
    Delivery,
    DeliveryState,
    Subscription,
    SubscriptionWithSecret,
)


@view
class SubscriptionView:
    """A subscription, and the result of its latest delivery."""

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

    @classmethod
    def of(cls, subscription: Subscription, **more: Any) -> Self:
        """Return the view of a subscription; ``more`` are fields of a subclass."""
        return cls(**_subscription_fields(subscription), **more)


@view
class AccountSubscriptionView:
    """A subscription of an account, and the result of its latest delivery."""

    ref: str
    url: str
    events: list[AccountEventName]
    description: str | None
    active: bool
    environment: Environment
    last_delivery_at: datetime | None
    last_status: int | None
    failing_since: datetime | None
    disabled_reason: str | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, subscription: Subscription, **more: Any) -> Self:
        """Return the view of a subscription; ``more`` are fields of a subclass."""
        return cls(**_subscription_fields(subscription), **more)


@view
class CreatedAccountSubscriptionView(AccountSubscriptionView):
    """A new subscription of an account, and the secret that signs its deliveries, which is not shown again."""

    secret: str


@view
class DeliveryView:
    """A delivery of an event; ``next_attempt_at`` is set while it is pending."""

    event: str
    type: str
    state: DeliveryState
    attempts: int
    next_attempt_at: datetime | None
    last_status: int | None
    last_error: str | None
    delivered_at: datetime | None
    created_at: datetime

    @classmethod
    def of(cls, delivery: Delivery) -> Self:
        """Return the view of a delivery."""
        return cls(
            event=delivery.event_id,
            type=delivery.type,
            state=delivery.state,
            attempts=delivery.attempts,
            next_attempt_at=delivery.due_at if delivery.state is DeliveryState.PENDING else None,
            last_status=delivery.last_status,
            last_error=delivery.last_error,
            delivered_at=delivery.delivered_at,
            created_at=delivery.created_at,
        )


@view
class EnqueuedTestView:
    """The id of a test event, which is delivered like any other."""

    event: str


@view
class ReplayView:
    """How many events were found, and how many deliveries are now pending for them."""

    events: int
    deliveries: int


@view
class CreatedSubscriptionView(SubscriptionView):
    """A new subscription, and the secret that signs its deliveries, which is not shown again."""

    secret: str


@view
class UpdatedSubscriptionView(SubscriptionView):
    """An updated subscription, and its new secret if one was requested."""

    secret: str | None = None


@view
class DeletedSubscriptionView:
    """A subscription that was deleted."""

    ref: str
    deleted: Literal[True] = True


@view
class OperatorSubscriptionView(SubscriptionView):
    """A subscription, and its partner or account."""

    partner_id: int | None
    user_id: int | None


@view
class BacklogView:
    """How many deliveries are pending, how many of them are due, and when the oldest due one became due."""

    pending: int
    due: int
    oldest_due_at: datetime | None

    @classmethod
    def of(cls, backlog: Backlog) -> Self:
        """Return the view of a backlog."""
        return cls(pending=backlog.pending, due=backlog.due, oldest_due_at=backlog.oldest)


@view
class AttemptView:
    """An attempt to deliver an event, and the state of its delivery."""

    at: datetime
    event: str
    type: str
    subscription: str
    status: int | None
    error: str | None
    milliseconds: int
    delivery: DeliveryState

    @classmethod
    def of(cls, attempt: Attempt) -> Self:
        """Return the view of an attempt."""
        return cls(
            at=attempt.at,
            event=attempt.event_id,
            type=attempt.type,
            subscription=attempt.subscription,
            status=attempt.status,
            error=attempt.error,
            milliseconds=attempt.milliseconds,
            delivery=attempt.state,
        )


def _subscription_fields(subscription: Subscription) -> dict[str, Any]:
    health = subscription.health
    return {
        "ref": subscription.ref,
        "url": subscription.url,
        "events": list(subscription.events),
        "description": subscription.description,
        "active": subscription.active,
        "environment": subscription.environment,
        "last_delivery_at": health.at,
        "last_status": health.status,
        "failing_since": health.failing_since,
        "disabled_reason": subscription.disabled_reason,
        "created_at": subscription.created_at,
        "updated_at": subscription.updated_at,
    }


def created_view(created: SubscriptionWithSecret) -> CreatedSubscriptionView:
    """Return the view of a new subscription and its secret."""
    return CreatedSubscriptionView.of(created.subscription, secret=created.secret or "")


def updated_view(updated: SubscriptionWithSecret) -> UpdatedSubscriptionView:
    """Return the view of an updated subscription, and its new secret if there is one."""
    return UpdatedSubscriptionView.of(updated.subscription, secret=updated.secret)
