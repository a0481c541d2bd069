"""Errors for messages."""

from repaircore.kernel.errors import Unresolvable


class MessageRejected(Unresolvable):
    """The recipient's server or gateway permanently rejected the message, for example because the recipient is unknown."""
