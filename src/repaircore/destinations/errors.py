"""Errors raised by destination changes."""

from collections.abc import Sequence

from repaircore.kernel.errors import Conflict


class DifferenceDeclined(Conflict):
    """The payment of the difference was declined; the destination stays as it was."""

    def __init__(self, reason: str | None, status: str, allowed: Sequence[str]) -> None:
        super().__init__(
            f"The payment for the difference was declined: {reason}. The destination was not changed.",
            details={"status": status, "allowed": [*allowed], "reason": "payment_declined"},
        )


class BeingChanged(Conflict):
    """Another request is changing the destination right now."""

    def __init__(self, status: str, allowed: Sequence[str]) -> None:
        super().__init__(
            "Another request is changing the destination of this ride. Try again.",
            details={"status": status, "allowed": [*allowed]},
            retry_after=1,
        )


class PriceChanged(Conflict):
    """The ride's destination or price has changed since the quote."""

    def __init__(self, status: str, allowed: Sequence[str]) -> None:
        super().__init__(
            "The destination or the price has changed since this estimate. Request a new one from destination-preview.",
            details={"status": status, "allowed": [*allowed]},
        )
