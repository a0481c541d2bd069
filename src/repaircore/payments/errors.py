"""How payments fail."""

from typing import ClassVar

from repaircore.kernel.errors import Conflict, NotFound, Unavailable


class GatewayUnavailable(Unavailable):
    """The gateway does not answer, or answers nonsense: what was asked may be done, or not."""

    code: ClassVar[str | None] = "PAYMENTS_UNAVAILABLE"


class NoGateway(GatewayUnavailable):
    """There is nobody who could take the money."""

    def __init__(self) -> None:
        super().__init__("Live payments are not configured: REPAIRCORE_STRIPE_SECRET_KEY is not set.")


class Declined(Conflict):
    """The gateway holds nothing, and never will for this order; ``reason`` is a short word of its own."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The payment was declined: {reason}.")
        self.reason = reason


class GatewayRefused(Conflict):
    """The gateway does not do this with what it holds; ``reason`` is a short word of its own."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The payment gateway refused: {reason}.")
        self.reason = reason


class Contradiction(Conflict):
    """The gateway holds something that our record excludes: somebody has to look."""


class PaymentExists(Conflict):
    """What is to be paid for has a payment already."""

    def __init__(self, subject: str) -> None:
        super().__init__(f"There is a payment for {subject} already.")


class NoPayment(NotFound):
    """There is no such payment, or none that the caller may see."""

    def __init__(self) -> None:
        super().__init__("There is no such payment.")
