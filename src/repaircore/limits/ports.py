"""Where windows are kept."""

from abc import abstractmethod
from typing import Protocol

from repaircore.limits.model import Limit, Verdict, WindowStatus


class Windows(Protocol):
    """Sliding windows, shared by all workers of one machine at least."""

    @abstractmethod
    def take(self, subject: str, limit: Limit) -> Verdict:
        """Take one place in the subject's window, or say that none is left.

        Exact: whatever arrives at once, never more than ``limit.count`` are admitted in any
        ``limit.seconds``. What is refused does not count.

        Raises:
            Unavailable: the place where windows are kept cannot be reached or written.
        """

    @abstractmethod
    def hit(self, subject: str, limit: Limit) -> WindowStatus:
        """Take one place as ``take`` does, and tell how the window stands; both share the window.

        Of all who are admitted one after the other, none is told the same ``remaining`` until a place comes free.

        Raises:
            Unavailable: the place where windows are kept cannot be reached or written.
        """

    @abstractmethod
    def peek(self, subject: str, limit: Limit) -> Verdict:
        """Return whether a place is left without taking it, and without keeping anything.

        Raises:
            Unavailable: the place where windows are kept cannot be reached.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections; they are opened again when they are needed."""
