"""What can go wrong with mails."""

from repaircore.kernel.errors import Unresolvable


class MailRefused(Unresolvable):
    """The server will never take this mail (no such recipient)."""
