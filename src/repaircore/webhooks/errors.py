"""What goes wrong with webhooks."""

from repaircore.kernel.errors import Conflict, NotFound, Unavailable
from repaircore.webhooks.model import MOST_SUBSCRIPTIONS


class NoSubscription(NotFound):
    """There is no such subscription, or it is another partner's or environment's."""

    def __init__(self) -> None:
        super().__init__("Not Found.")


class NoEvent(NotFound):
    """There is no such event, or it is kept no more."""

    def __init__(self) -> None:
        super().__init__("There is no such event.")


class TooManySubscriptions(Conflict):
    """The partner has as many as it may have."""

    def __init__(self) -> None:
        super().__init__(
            f"There are {MOST_SUBSCRIPTIONS} subscriptions in this environment, and no more can be made.",
            details={"limit": MOST_SUBSCRIPTIONS},
        )


class UnreadableSecret(Unavailable):
    """No key of the installation opens a signing secret."""

    def __init__(self) -> None:
        super().__init__("The signing secret cannot be read: the installation's secret key is another one.")
