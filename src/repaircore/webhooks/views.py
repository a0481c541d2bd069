"""How subscriptions are told: at the door, and in events about themselves."""

from datetime import datetime
from typing import Any

from repaircore.kernel.views import iso_utc
from repaircore.webhooks.model import Subscription, SubscriptionWithSecret


def subscription_told(subscription: Subscription) -> dict[str, Any]:
    """Tell a subscription; its secret never stands in it."""
    standing = subscription.standing
    return {
        "ref": subscription.ref,
        "url": subscription.url,
        "events": list(subscription.events),
        "description": subscription.description,
        "active": subscription.active,
        "environment": subscription.environment.value,
        "last_delivery_at": _zulu(standing.at),
        "last_status": standing.status,
        "failing_since": _zulu(standing.failing_since),
        "disabled_reason": subscription.disabled_reason,
        "created_at": iso_utc(subscription.created_at),
        "updated_at": iso_utc(subscription.updated_at),
    }


def shown_told(shown: SubscriptionWithSecret) -> dict[str, Any]:
    """Tell a subscription as it was just changed, with the secret that was made then."""
    told = subscription_told(shown.subscription)
    return told if shown.secret is None else {**told, "secret": shown.secret}


def _zulu(at: datetime | None) -> str | None:
    return None if at is None else iso_utc(at)
