"""Errors of messages."""

from repaircore.kernel.errors import Unresolvable


class MessageRejected(Unresolvable):
    """The recipient's server or gateway permanently rejects this message, for example for an unknown recipient."""
