"""Errors for idempotency keys."""

from repaircore.idempotency.model import Reply
from repaircore.kernel.errors import Conflict, Invalid

FIELD = "Idempotency-Key"
"""The name of the header."""


class InvalidKey(Invalid):
    """The key is malformed."""

    def __init__(self) -> None:
        super().__init__({FIELD: [f"The {FIELD} header must be 1 to 255 printable ASCII characters."]})


class KeyReused(Invalid):
    """The key belongs to another request."""

    def __init__(self) -> None:
        super().__init__({FIELD: [f"This {FIELD} was already used for a different request. Use a new one."]})


class InProgress(Conflict):
    """The first request with this key is still in progress."""

    def __init__(self) -> None:
        super().__init__(
            f"A request with this {FIELD} is still in progress. Try again shortly.", retry_after=1
        )


class RequestRejected(Exception):
    """The request and every repetition of it are rejected: its effect is rolled back, and its reply is stored."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.status)
        self.reply = reply
