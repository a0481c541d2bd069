"""What can go wrong with idempotency keys."""

from repaircore.idempotency.model import Reply
from repaircore.kernel.errors import Conflict, Invalid

FIELD = "Idempotency-Key"
"""What the key goes by outside."""


class Unfit(Invalid):
    """The key is not of the form that keys have."""

    def __init__(self) -> None:
        super().__init__({FIELD: [f"The {FIELD} header must be 1 to 255 printable ASCII characters."]})


class KeyReused(Invalid):
    """The key belongs to another request."""

    def __init__(self) -> None:
        super().__init__({FIELD: [f"This {FIELD} was used for another request; take a new one."]})


class InProgress(Conflict):
    """The first request with this key is not answered yet."""

    def __init__(self) -> None:
        super().__init__(f"A request with this {FIELD} is still being answered.", retry_after=1)


class RequestRejected(Exception):
    """What was asked is refused, and so it shall be whenever it is asked again: the reply is kept, the effect undone."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.status)
        self.reply = reply
