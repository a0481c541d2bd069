"""Errors for messages."""

from repaircore.kernel.errors import Unresolvable


class MessageRejected(Unresolvable):
    """The recipient's server or gateway permanently rejected the message: the recipient may be unknown, for example."""
