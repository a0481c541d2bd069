"""What can go wrong with connected cars."""

from typing import ClassVar

from repaircore.kernel.errors import Conflict, Invalid, NotFound, Unavailable

_AGAIN = "Ask GET /api/v1/connectedcar/connect for an address and let the driver agree again."


class CarSourceUnavailable(Unavailable):
    """The connected-car provider does not answer, or answers nonsense."""

    code: ClassVar[str | None] = "CONNECTED_CAR_UNAVAILABLE"


class NoCarProvider(CarSourceUnavailable):
    """There is nobody to ask."""

    def __init__(self) -> None:
        super().__init__("No connected-car provider is configured.")


class Unreadable(CarSourceUnavailable):
    """No key that is configured opens the kept tokens; nothing is changed, for the key may come back."""

    def __init__(self) -> None:
        super().__init__("The kept tokens cannot be read with the keys that are configured.")


class AccessRefused(Conflict):
    """The provider does not accept a token of a driver: it has expired, or was withdrawn."""

    def __init__(self) -> None:
        super().__init__("The provider does not accept the token.")


class Reconnect(Conflict):
    """The agreement is withdrawn: only the driver can give a new one."""

    def __init__(self) -> None:
        super().__init__(f"The driver's agreement was withdrawn or has ended. {_AGAIN}")


class CarGone(Conflict):
    """The agreement holds, but does not cover this car any more."""

    def __init__(self) -> None:
        super().__init__(f"The provider no longer has this car for this driver. {_AGAIN}")


class NoConnectedCar(NotFound):
    """The caller has no such car, whoever else may."""

    def __init__(self, *, named: str = "with this VIN") -> None:
        super().__init__(f"No connected car {named}.")


class CodeRefused(Invalid):
    """The provider gives no tokens for the code."""

    def __init__(self) -> None:
        super().__init__({"code": [f"The provider does not accept this code. {_AGAIN}"]})


class NoCars(Invalid):
    """The driver agreed, and has no car at the provider."""

    def __init__(self) -> None:
        super().__init__({"code": [f"The provider knows no car of this driver. {_AGAIN}"]})


class Declined(Invalid):
    """The provider answered with an error instead of a code."""

    def __init__(self, error: str) -> None:
        told = _MEANINGS.get(error, "the provider answered with an error")
        super().__init__({"error": [f"The car is not connected: {told} ({error}). {_AGAIN}"]})


_MEANINGS = {
    "access_denied": "the driver did not agree",
    "server_error": "the provider failed",
    "temporarily_unavailable": "the provider is busy",
    "invalid_scope": "the provider does not know the scopes that are configured",
    "unauthorized_client": "the provider does not accept the client that is configured",
    "invalid_request": "the provider did not understand the request",
    "unsupported_response_type": "the provider does not offer authorization codes",
}
"""The errors of RFC 6749, 4.1.2.1, in words."""
