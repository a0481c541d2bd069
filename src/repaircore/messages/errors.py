"""Errors of messages."""

from repaircore.kernel.errors import Unresolvable


class MessageRejected(Unresolvable):
    """The recipient's server or gateway rejects this message permanently, such as for an unknown recipient."""
