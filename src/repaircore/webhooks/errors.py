"""Errors for webhooks."""

from repaircore.kernel.errors import Conflict, NotFound, Unavailable
from repaircore.webhooks.model import MOST_SUBSCRIPTIONS


class SubscriptionNotFound(NotFound):
    """There is no such subscription, or it belongs to another owner or environment."""

    def __init__(self) -> None:
        super().__init__("Not Found.")


class EventNotFound(NotFound):
    """There is no such event, or it was pruned."""

    def __init__(self) -> None:
        super().__init__("Event not found.")


class TooManySubscriptions(Conflict):
    """The partner or account already has the maximum number of subscriptions in the environment."""

    def __init__(self) -> None:
        super().__init__(
            f"You have {MOST_SUBSCRIPTIONS} subscriptions in this environment, which is the limit. Delete one first.",
            details={"limit": MOST_SUBSCRIPTIONS},
        )


class SubscriptionDisabled(Conflict):
    """The subscription is disabled, so it receives no events."""

    def __init__(self, reason: str | None, *, can_be_updated: bool) -> None:
        """Build the message; ``can_be_updated`` says whether the owner can set ``active``, as partners can."""
        remedy = "Set active to true." if can_be_updated else "Delete it and add it again."
        super().__init__(
            " ".join(filter(None, ["The webhook is disabled.", reason, remedy])),
            details={"status": "disabled", "allowed": ["update", "delete"] if can_be_updated else ["delete"]},
        )


class UnreadableSecret(Unavailable):
    """No key of the installation decrypts a signing secret."""

    def __init__(self) -> None:
        super().__init__(
            "The signing secret cannot be decrypted. Restore the installation's secret key, or replace the webhook."
        )
