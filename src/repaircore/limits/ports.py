"""Ports for rate limits."""

from typing import Protocol

from repaircore.limits.model import Limit, Verdict, WindowStatus


class Windows(Protocol):
    """Sliding windows, shared at least by all workers of one machine."""

    def acquire(self, subject: str, limit: Limit) -> Verdict:
        """Acquire a place in the subject's window, if one is left; return whether it was, and if not, when to retry.

        The limit is exact: however many requests arrive at once, no more than ``limit.count`` are admitted in any
        ``limit.seconds``. Refused requests do not count.

        Raises:
            Unavailable: the store cannot be reached or written.
        """

    def hit(self, subject: str, limit: Limit) -> WindowStatus:
        """Acquire a place as ``acquire`` does, in the same window, and return the status of the window.

        Requests admitted one after the other never see the same ``remaining`` unless a place became free in between.

        Raises:
            Unavailable: the store cannot be reached or written.
        """

    def peek(self, subject: str, limit: Limit) -> Verdict:
        """Return whether a place is left, without acquiring it or storing anything.

        Raises:
            Unavailable: the store cannot be reached.
        """

    def close(self) -> None:
        """Close files and connections; they are reopened when needed."""
