"""One effect and one answer for one key."""

from collections.abc import Callable
from datetime import datetime
from typing import Final, TypeVar

from attrs import frozen

from repaircore.idempotency.errors import RequestRejected, Unfit
from repaircore.idempotency.model import KEPT_FOR, Claim, IdempotentReply, Reply
from repaircore.idempotency.ports import OpenWork
from repaircore.kernel.types import Clock

_LONGEST: Final = 255
_AT_ONCE: Final = 1000

T = TypeVar("T")


def claimed_key(text: str) -> str:
    """Take a key as it was sent.

    Raises:
        Unfit: keys have 1 to 255 printable ASCII characters.
    """
    if not (1 <= len(text) <= _LONGEST and text.isascii() and text.isprintable()):
        raise Unfit
    return text


@frozen(kw_only=True)
class Idempotency:
    """The use cases of idempotency (docs/decisions/one-transaction.md)."""

    transaction: OpenWork
    read: OpenWork
    together: OpenWork
    clock: Clock

    def run(
        self, claim: Claim, act: Callable[[], Reply], prepare: Callable[[], None] | None = None
    ) -> IdempotentReply:
        """Act and keep the reply in one unit of work, or give the reply that is kept already.

        ``act`` raises Refused to have its effect undone and the reply kept; whatever else it raises leaves the
        key as free as it was. ``prepare`` runs before that unit of work is open, and may raise alike;
        two with the same key may run it at once, only one of them acts.

        Raises:
            KeyReused: the key belongs to another request.
            InProgress: the first request with this key is not answered yet.
        """
        now = self.clock()
        if prepare is not None:
            with self.read() as work:
                kept = work.kept_replies.find(claim, stale=now - KEPT_FOR)
            if kept is not None:
                return IdempotentReply(reply=kept, is_replay=True)
            try:
                prepare()
            except RequestRejected as refused:
                return self._run(claim, _giving(refused.reply), now)
        return self._run(claim, act, now)

    def keyless(self, act: Callable[[], T]) -> T:
        """Act in one unit of work as ``run`` does, with no key and nothing kept of what it gives."""
        with self.together():
            return act()

    def prune(self) -> int:
        """Forget the replies whose time is over; give how many there were."""
        stale, gone = self.clock() - KEPT_FOR, 0
        while True:
            with self.transaction() as work:
                pruned = work.kept_replies.prune(stale=stale, most=_AT_ONCE)
            gone += pruned
            if pruned < _AT_ONCE:
                return gone

    def _run(self, claim: Claim, act: Callable[[], Reply], now: datetime) -> IdempotentReply:
        with self.together() as work:
            while not work.kept_replies.claim(claim, at=now, stale=now - KEPT_FOR):
                kept = work.kept_replies.find(claim, stale=now - KEPT_FOR)
                if kept is not None:
                    return IdempotentReply(reply=kept, is_replay=True)
            try:
                with work.part():
                    reply = act()
            except RequestRejected as refused:
                reply = refused.reply
            work.kept_replies.keep(claim, reply)
        return IdempotentReply(reply=reply, is_replay=False)


def _giving(reply: Reply) -> Callable[[], Reply]:
    return lambda: reply
