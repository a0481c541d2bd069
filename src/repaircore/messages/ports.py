"""Ports for messages."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.messages.model import Channel, Message, MessageFilter, NewMessage, StoredMessage


class MessageRecords(Protocol):
    """The stored messages; part of a unit of work, so that a change and its messages are committed together."""

    def add(self, message: NewMessage, at: datetime) -> None:
        """Store a message, due immediately; a sandboxed one is stored as sent, and is never claimed."""

    def claim(self, channel: Channel, now: datetime, *, until: datetime, limit: int) -> Sequence[Message]:
        """Claim due messages of a channel, longest due first; no other worker gets them before ``until``.

        This counts as an attempt for each.
        """

    def sent(self, message: Message, at: datetime) -> None:
        """Mark a message as sent; it is never claimed again. An expiring message's body is deleted."""

    def postpone(self, message: Message, error: str, due_at: datetime) -> None:
        """Record why an attempt failed, and make the message due again later."""

    def give_up(self, message: Message, error: str, at: datetime) -> None:
        """Mark a message as dead; it is never claimed again. An expiring message's body is deleted."""

    def withdraw(self, about: str) -> None:
        """Delete the pending messages about a record; one that is being sent right now may still arrive."""

    def prune(self, before: datetime, *, most: int) -> int:
        """Delete up to ``most`` messages that ended before ``before``; return how many."""

    def list_about(self, about: str) -> Sequence[StoredMessage]:
        """List the messages about a record, oldest first.

        Messages about a ride include those to providers about their requests for it.
        """

    def list_newest(self, wanted: MessageFilter, *, limit: int) -> Sequence[StoredMessage]:
        """List matching messages, newest first."""


class Sender(Protocol):
    """Sends the messages of one channel. Threads may share it."""

    def send(self, message: Message) -> None:
        """Send a message, within a bounded total time.

        A message that is sent twice has the same id both times.

        Raises:
            MessageRejected: its recipient, or the gateway, rejects it permanently.
            Unavailable: there was no response, or the message may be accepted later. No other error is raised.
        """


class MessagesWork(Protocol):
    """The part of a unit of work that messages need."""

    @property
    def messages(self) -> MessageRecords:
        """The stored messages."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[MessagesWork]]
"""Open a unit of work, which is committed unless the block raises."""
