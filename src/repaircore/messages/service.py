"""Send due messages, each channel separately, so that a hanging gateway does not delay the others."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from enum import StrEnum
from typing import Final

from attrs import frozen

from repaircore.kernel.callers import LOCAL, Caller, Environment, require_admin
from repaircore.kernel.deletions import delete_in_pieces
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.types import Clock
from repaircore.messages.errors import MessageRejected
from repaircore.messages.model import (
    SANDBOXED,
    Channel,
    DeliveryCounts,
    Message,
    MessageFilter,
    StoredMessage,
)
from repaircore.messages.ports import OpenWork, Sender
from repaircore.messages.retries import LEASE, pause_after

MOST_LISTED: Final = 200
_BATCH: Final = 20
_LONGEST_ERROR: Final = 300
_PIECE: Final = 1000
"""How many old messages one transaction deletes."""
_AT_ONCE: Final[Mapping[Channel, int]] = {Channel.EMAIL: 1, Channel.SMS: 4, Channel.WEBHOOK: 8}
"""How many messages of a channel are sent at once.

Mail servers dislike many connections; each webhook has its own server.
"""


class _Result(StrEnum):
    SENT = "sent"
    POSTPONED = "postponed"
    DEAD = "dead"


@frozen(kw_only=True)
class Messages:
    """Use cases for messages. A channel without a sender sends nothing, and nothing should be stored for it.

    Messages are deleted ``days`` days after they have ended.
    """

    transaction: OpenWork
    read: OpenWork
    senders: Mapping[Channel, Sender]
    clock: Clock
    days: int

    @property
    def channels(self) -> frozenset[Channel]:
        """Return the channels that are enabled in the live environment."""
        return frozenset(self.senders)

    def channels_in(self, environment: Environment) -> frozenset[Channel]:
        """Return the enabled channels, including, in the test environment, those whose messages are only stored."""
        return self.channels | SANDBOXED if environment is Environment.TEST else self.channels

    def deliver_due(self, channel: Channel, *, limit: int = _BATCH) -> DeliveryCounts:
        """Send up to ``limit`` due messages of a channel; any number of workers may run at once.

        Delivery is at least once: after a crash between sending a message and recording it, the message is sent again
        with the same id.
        """
        sender = self.senders.get(channel)
        if sender is None:
            return DeliveryCounts()
        now = self.clock()
        with self.transaction() as work:
            claimed = work.messages.claim(channel, now, until=now + LEASE, limit=limit)
        if not claimed:
            return DeliveryCounts()
        with ThreadPoolExecutor(_AT_ONCE[channel]) as threads:
            results = list(threads.map(lambda message: self._send(sender, message), claimed))
        return DeliveryCounts(**{result.value: results.count(result) for result in _Result})

    def list_about(self, about: str, caller: Caller = LOCAL) -> Sequence[StoredMessage]:
        """List the messages about a record, oldest first.

        Messages about a ride include those to providers about their requests for it.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        with self.read() as work:
            return work.messages.list_about(about)

    def list_newest(
        self, wanted: MessageFilter, *, limit: int = 50, caller: Caller = LOCAL
    ) -> Sequence[StoredMessage]:
        """List matching messages, newest first; at most ``MOST_LISTED``.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        with self.read() as work:
            return work.messages.list_newest(wanted, limit=min(limit, MOST_LISTED))

    def prune(self) -> int:
        """Delete the messages that ended more than ``days`` days ago; return how many."""
        return delete_in_pieces(self._prune_piece)

    def _prune_piece(self) -> int:
        with self.transaction() as work:
            return work.messages.prune(self.clock() - timedelta(days=self.days), most=_PIECE)

    def _send(self, sender: Sender, message: Message) -> _Result:
        expires_at = message.content.expires_at
        if expires_at is not None and self.clock() >= expires_at:
            return self._give_up(message, "The message expired before it could be sent.")
        try:
            sender.send(message)
        except MessageRejected as rejected:
            return self._give_up(message, rejected.message)
        except Unavailable as failed:
            return self._postpone(message, failed.message)
        with self.transaction() as work:
            work.messages.sent(message, self.clock())
        return _Result.SENT

    def _postpone(self, message: Message, error: str) -> _Result:
        pause = pause_after(message.attempts)
        if pause is None:
            return self._give_up(message, error)
        with self.transaction() as work:
            work.messages.postpone(message, error[:_LONGEST_ERROR], self.clock() + pause)
        return _Result.POSTPONED

    def _give_up(self, message: Message, error: str) -> _Result:
        with self.transaction() as work:
            work.messages.give_up(message, error[:_LONGEST_ERROR], self.clock())
        return _Result.DEAD
