"""Errors for payments."""

from typing import ClassVar, Final

from repaircore.kernel.errors import Conflict, NotFound, Unavailable

TRY_AGAIN: Final = "Try again shortly. Nothing is charged or refunded twice."
"""Advice when the outcome is unknown: a repeated request continues the first one, or waits for its outcome."""


class GatewayUnavailable(Unavailable):
    """The gateway returned no valid response: the outcome of the request is unknown."""

    code: ClassVar[str | None] = "PAYMENTS_UNAVAILABLE"


class NoGateway(GatewayUnavailable):
    """No gateway is configured."""

    def __init__(self) -> None:
        super().__init__("Live payments are not configured. Set REPAIRCORE_STRIPE_SECRET_KEY.")


class Declined(Conflict):
    """The gateway permanently declined the order; ``reason`` is the gateway's short code."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The payment was declined: {reason}.")
        self.reason = reason


class GatewayRefused(Conflict):
    """The gateway rejected the request; ``reason`` is the gateway's short code."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The payment gateway rejected the request: {reason}.")
        self.reason = reason


class Contradiction(Conflict):
    """The state at the gateway contradicts our record; a person has to resolve this."""


class PaymentExists(Conflict):
    """The subject already has a payment."""

    def __init__(self, subject: str) -> None:
        super().__init__(f"There is already a payment for {subject}.")


class NoPayment(NotFound):
    """There is no such payment, or none that the caller may see."""

    def __init__(self) -> None:
        super().__init__("There is no payment with this id.")
