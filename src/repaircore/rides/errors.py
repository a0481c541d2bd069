"""Errors for rides."""

from collections.abc import Sequence

from repaircore.kernel.errors import Conflict, Invalid, NotFound


class NoRide(NotFound):
    """There is no such ride, or none that the caller may see."""

    def __init__(self) -> None:
        super().__init__("Not Found.")


class OfferGone(Conflict):
    """The offer does not exist or is no longer open; the details list the open offers."""

    def __init__(self, status: str, allowed: Sequence[str], open_offers: Sequence[str]) -> None:
        super().__init__(
            "The offer is no longer open.",
            details={"status": status, "allowed": [*allowed], "open_offers": [*open_offers]},
        )


class PaymentMethodChanged(Conflict):
    """The payment method changed while the payment was being authorized; the authorization is released."""

    def __init__(self, status: str, allowed: Sequence[str]) -> None:
        super().__init__(
            "The payment method has changed in the meantime. Accept an offer again.",
            details={"status": status, "allowed": [*allowed]},
        )


class ProviderBusy(Conflict):
    """The driver took another ride in the meantime; only drivers are limited to one ride at a time."""

    def __init__(self, status: str, allowed: Sequence[str]) -> None:
        super().__init__(
            "The driver has taken another ride in the meantime. Accept another offer.",
            details={"status": status, "allowed": [*allowed]},
        )


class BeingAccepted(Conflict):
    """Another request is accepting an offer for the same ride right now."""

    def __init__(self, status: str, allowed: Sequence[str]) -> None:
        super().__init__(
            "An offer for this ride is being accepted right now. Try again shortly.",
            details={"status": status, "allowed": [*allowed]},
            retry_after=1,
        )


class UnknownCustomer(Invalid):
    """The caller has no such customer."""

    def __init__(self, field: str) -> None:
        super().__init__({field: ["There is no such customer."]})
