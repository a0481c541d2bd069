"""Ensure one effect and one reply for each idempotency key."""

from collections.abc import Callable
from datetime import datetime
from typing import Final, TypeVar

from attrs import frozen

from repaircore.idempotency.errors import InvalidKey, RequestRejected
from repaircore.idempotency.model import REPLY_LIFETIME, Claim, IdempotentReply, Reply
from repaircore.idempotency.ports import OpenWork
from repaircore.kernel.deletions import delete_in_pieces
from repaircore.kernel.types import Clock

_LONGEST: Final = 255
_BATCH: Final = 1000

T = TypeVar("T")


def parse_key(text: str) -> str:
    """Validate an idempotency key and return it.

    Raises:
        InvalidKey: it does not consist of 1 to 255 printable ASCII characters.
    """
    if not (1 <= len(text) <= _LONGEST and text.isascii() and text.isprintable()):
        raise InvalidKey
    return text


@frozen(kw_only=True)
class Idempotency:
    """Runs requests at most once for each idempotency key (docs/decisions/one-transaction.md)."""

    transaction: OpenWork
    read: OpenWork
    outer_transaction: OpenWork
    clock: Clock

    def run(
        self, claim: Claim, act: Callable[[], Reply], prepare: Callable[[], None] | None = None
    ) -> IdempotentReply:
        """Call ``act`` and store its reply in one unit of work, or return the stored reply.

        If ``act`` raises RequestRejected, its effect is rolled back and the reply is stored; any other exception leaves
        the key unused. ``prepare`` runs before the unit of work opens and may raise RequestRejected too; concurrent
        requests with the same key may each run it, but only one of them acts.

        Raises:
            KeyReused: the key belongs to another request.
            InProgress: the first request with this key is still in progress.
        """
        now = self.clock()
        if prepare is not None:
            with self.read() as work:
                stored = work.idempotent_replies.find(claim, stale=now - REPLY_LIFETIME)
            if stored is not None:
                return IdempotentReply(reply=stored, is_replay=True)
            try:
                prepare()
            except RequestRejected as rejected:
                reply = rejected.reply
                return self._run(claim, lambda: reply, now)
        return self._run(claim, act, now)

    def run_without_key(self, act: Callable[[], T]) -> T:
        """Call ``act`` in one unit of work, as ``run`` does, but without a key or a stored reply; return its result."""
        with self.outer_transaction():
            return act()

    def prune(self) -> int:
        """Delete expired replies; return how many."""
        return delete_in_pieces(self._prune_piece)

    def _prune_piece(self) -> int:
        with self.transaction() as work:
            return work.idempotent_replies.prune(stale=self.clock() - REPLY_LIFETIME, most=_BATCH)

    def _run(self, claim: Claim, act: Callable[[], Reply], now: datetime) -> IdempotentReply:
        with self.outer_transaction() as work:
            while not work.idempotent_replies.claim(claim, at=now, stale=now - REPLY_LIFETIME):
                stored = work.idempotent_replies.find(claim, stale=now - REPLY_LIFETIME)
                if stored is not None:
                    return IdempotentReply(reply=stored, is_replay=True)
            try:
                with work.savepoint():
                    reply = act()
            except RequestRejected as rejected:
                reply = rejected.reply
            work.idempotent_replies.save(claim, reply)
        return IdempotentReply(reply=reply, is_replay=False)
