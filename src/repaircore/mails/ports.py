"""Ports of mails."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.mails.model import Mail, NewMail


class MailRecords(Protocol):
    """The stored mails; part of a unit of work, so that a change and its mail are committed together."""

    def add(self, mail: NewMail, at: datetime) -> None:
        """Store a mail, due immediately."""

    def claim(self, now: datetime, *, until: datetime, limit: int) -> Sequence[Mail]:
        """Claim due mails, longest due first; no other worker gets them before ``until``.

        This counts an attempt of each.
        """

    def sent(self, mail: Mail, at: datetime) -> None:
        """Mark a mail as sent; it is never claimed again. The body of one that expires is deleted."""

    def postpone(self, mail: Mail, error: str, due_at: datetime) -> None:
        """Make a mail due again later."""

    def give_up(self, mail: Mail, error: str, at: datetime) -> None:
        """Mark a mail as dead; it is never claimed again. The body of one that expires is deleted."""

    def prune(self, before: datetime) -> int:
        """Delete the mails that ended earlier; return how many."""


class Mailer(Protocol):
    """Sends mails."""

    def send(self, mail: Mail) -> None:
        """Send a mail through the server, within a bounded total time.

        A mail that is sent twice has the same message id both times.

        Raises:
            MailRejected: the server rejects it permanently.
            Unavailable: the server does not answer, or may accept it later; nothing else is ever raised.
        """


class MailsWork(Protocol):
    """The part of a unit of work that mails need."""

    @property
    def mails(self) -> MailRecords:
        """The stored mails."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[MailsWork]]
"""Open a unit of work, which is committed unless the block raises."""
