"""Errors of mails."""

from repaircore.kernel.errors import Unresolvable


class MailRejected(Unresolvable):
    """The server rejects this mail permanently (no such recipient)."""
