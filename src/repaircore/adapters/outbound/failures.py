"""Failures of external services, with reasons fit for end users.

A reason is a phrase ("no connection"). It contains no key, host name, path or code.
"""

from typing import Final

from repaircore.kernel.errors import Unavailable

BROKEN: Final = "the connection broke"

SOON: Final = 0.1
"""Seconds to wait before a retry after a broken connection or a response from a busy server."""


class NoAnswer(Unavailable):
    """An external service gave no usable response.

    ``retry_after`` is the number of seconds before a retry may help, or None if a retry would not help.
    """

    def __init__(self, reason: str, *, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class DeadlineExceeded(NoAnswer):
    """There was no response within ``seconds``."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no response within {seconds:.3g} s")


class NotPermitted(NoAnswer):
    """The host resolves to an IP address to which connections are not permitted."""

    def __init__(self) -> None:
        super().__init__("the host resolves to an address that is not public")


class CircuitOpen(NoAnswer):
    """The service has failed too many times in a row, so no request was sent."""

    def __init__(self) -> None:
        super().__init__("paused after repeated failures")
