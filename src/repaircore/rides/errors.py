"""How roadside rides fail."""

from repaircore.kernel.errors import Conflict, Invalid, NotFound


class NoRide(NotFound):
    """There is no such ride, or none that the caller may see."""

    def __init__(self) -> None:
        super().__init__("Not Found.")


class OfferGone(Conflict):
    """There is no such open offer (any more); those that are open are told."""

    def __init__(self, status: str, allowed: list[str], open_ones: list[str]) -> None:
        super().__init__(
            "The offer is not open (any more).",
            details={"status": status, "allowed": allowed, "open_offers": open_ones},
        )


class PaidOtherwise(Conflict):
    """The customer was to pay another way by the time that the money was held; it is let go."""

    def __init__(self, status: str, allowed: list[str]) -> None:
        super().__init__(
            "The payment method was changed meanwhile; accept an offer again.",
            details={"status": status, "allowed": allowed},
        )


class ProviderBusy(Conflict):
    """Whoever offered has taken another ride meanwhile; only drivers are on one ride at a time."""

    def __init__(self, status: str, allowed: list[str]) -> None:
        super().__init__(
            "The driver has taken another ride meanwhile; accept another offer.",
            details={"status": status, "allowed": allowed},
        )


class BeingAccepted(Conflict):
    """Another request is accepting an offer of the same ride at this moment."""

    def __init__(self, status: str, allowed: list[str]) -> None:
        super().__init__(
            "An offer of this ride is being accepted at this moment.",
            details={"status": status, "allowed": allowed},
            retry_after=1,
        )


class UnknownCustomer(Invalid):
    """The caller has no such customer."""

    def __init__(self, field: str) -> None:
        super().__init__({field: ["There is no such customer."]})
