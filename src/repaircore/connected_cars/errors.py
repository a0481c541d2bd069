"""Connected-car errors."""

from typing import ClassVar

from repaircore.kernel.errors import Conflict, Invalid, NotFound, Unavailable

_RECONNECT = "Get a new URL from GET /api/v1/connectedcar/connect and have the driver give consent again."


class CarSourceUnavailable(Unavailable):
    """The connected-car provider is not responding, or its response is invalid."""

    code: ClassVar[str | None] = "CONNECTED_CAR_UNAVAILABLE"


class NoCarProvider(CarSourceUnavailable):
    """No provider is configured."""

    def __init__(self) -> None:
        super().__init__("No connected-car provider is configured.")


class Unreadable(CarSourceUnavailable):
    """No configured key decrypts the stored tokens. They are kept in case the key is configured again."""

    def __init__(self) -> None:
        super().__init__(
            "The stored tokens cannot be decrypted with the configured keys. Restore the missing key, or have the driver give consent again."
        )


class AccessRefused(Conflict):
    """The provider rejects a driver's token: it has expired or was revoked."""

    def __init__(self) -> None:
        super().__init__("The provider rejected the token.")


class Reconnect(Conflict):
    """The consent was withdrawn or has expired; only the driver can give it again."""

    def __init__(self) -> None:
        super().__init__(f"The driver's consent was withdrawn or has expired. {_RECONNECT}")


class CarGone(Conflict):
    """The consent is valid, but no longer covers this car."""

    def __init__(self) -> None:
        super().__init__(f"The provider no longer has this car for this driver. {_RECONNECT}")


class NoConnectedCar(NotFound):
    """The caller has no such car; another owner's car gives the same error."""

    def __init__(self, *, criterion: str = "has this VIN") -> None:
        super().__init__(f"No connected car {criterion}.")


class CodeRefused(Invalid):
    """The provider rejects the authorization code."""

    def __init__(self) -> None:
        super().__init__({"code": [f"The provider rejected this code. {_RECONNECT}"]})


class NoCars(Invalid):
    """The driver gave consent, but has no car at the provider."""

    def __init__(self) -> None:
        super().__init__({"code": [f"The provider has no car for this driver. {_RECONNECT}"]})


class Declined(Invalid):
    """The provider returned an error instead of a code."""

    def __init__(self, error: str) -> None:
        meaning = _MEANINGS.get(error, "the provider returned an error")
        super().__init__({"error": [f"The car is not connected: {meaning} ({error}). {_RECONNECT}"]})


_MEANINGS = {
    "access_denied": "the driver declined",
    "server_error": "the provider failed",
    "temporarily_unavailable": "the provider is busy",
    "invalid_scope": "the provider does not know the configured scopes",
    "unauthorized_client": "the provider does not accept the configured client",
    "invalid_request": "the provider did not understand the request",
    "unsupported_response_type": "the provider does not offer authorization codes",
}
"""What the error codes of RFC 6749, section 4.1.2.1, mean."""
