"""What mails need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.mails.model import Mail, NewMail


class MailRecords(Protocol):
    """The kept mails. A unit of work offers it, so that a change and its mail are kept, or lost, together."""

    @abstractmethod
    def add(self, mail: NewMail, at: datetime) -> None:
        """Keep a mail, which is due at once."""

    @abstractmethod
    def claim(self, now: datetime, *, until: datetime, limit: int) -> Sequence[Mail]:
        """Take mails that are due, the longest due first; nobody else gets them before ``until``.

        Each has one more attempt than before.
        """

    @abstractmethod
    def sent(self, mail: Mail, at: datetime) -> None:
        """Mark a mail as sent; no claim takes it again."""

    @abstractmethod
    def postpone(self, mail: Mail, error: str, due_at: datetime) -> None:
        """Have a mail be due again later."""

    @abstractmethod
    def give_up(self, mail: Mail, error: str, at: datetime) -> None:
        """Mark a mail as dead; no claim takes it again."""

    @abstractmethod
    def prune(self, before: datetime) -> int:
        """Forget the mails that ended earlier, and count them."""


class Mailer(Protocol):
    """Someone who sends mails."""

    @abstractmethod
    def send(self, mail: Mail) -> None:
        """Hand a mail to the server, within a bounded time in all.

        A mail that is handed over twice has the same message id both times.

        Raises:
            MailRefused: the server will never take it.
            Unavailable: the server does not answer, or may take it later; nothing else is ever raised.
        """


class MailsWork(Protocol):
    """The part of a unit of work that mails need."""

    @property
    @abstractmethod
    def mails(self) -> MailRecords:
        """The kept mails."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[MailsWork]]
"""Open a unit of work: kept when the block ends well, undone when it raises."""
