"""Send due mails."""

from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.errors import Unavailable
from repaircore.kernel.types import Clock
from repaircore.mails.errors import MailRejected
from repaircore.mails.model import DeliveryCounts, Mail
from repaircore.mails.ports import Mailer, OpenWork
from repaircore.mails.retries import LEASE, RETENTION, pause_after

_BATCH: Final = 20
_LONGEST_ERROR: Final = 300


@frozen(kw_only=True)
class Mails:
    """The use cases of mails. Without a ``mailer`` the installation sends none."""

    transaction: OpenWork
    mailer: Mailer | None
    clock: Clock

    @property
    def is_on(self) -> bool:
        """Return whether mails are sent; where they are not, none should be stored."""
        return self.mailer is not None

    def deliver_due(self, *, limit: int = _BATCH) -> DeliveryCounts:
        """Send up to ``limit`` due mails; any number of workers may do so at once.

        Delivery is at least once: after a crash between sending a mail and recording it, the mail is sent again with the
        same message id.
        """
        if self.mailer is None:
            return DeliveryCounts()
        now = self.clock()
        with self.transaction() as work:
            claimed = work.mails.claim(now, until=now + LEASE, limit=limit)
        done = DeliveryCounts()
        for mail in claimed:
            done = self._send(self.mailer, mail, done)
        return done

    def prune(self) -> int:
        """Delete the mails that ended long enough ago; return how many."""
        with self.transaction() as work:
            return work.mails.prune(self.clock() - RETENTION)

    def _send(self, mailer: Mailer, mail: Mail, done: DeliveryCounts) -> DeliveryCounts:
        expires_at = mail.mail.expires_at
        if expires_at is not None and self.clock() >= expires_at:
            return self._give_up(mail, "It expired before it could be sent.", done)
        try:
            mailer.send(mail)
        except MailRejected as rejected:
            return self._give_up(mail, rejected.message, done)
        except Unavailable as failed:
            return self._postpone(mail, failed.message, done)
        with self.transaction() as work:
            work.mails.sent(mail, self.clock())
        return evolve(done, sent=done.sent + 1)

    def _postpone(self, mail: Mail, error: str, done: DeliveryCounts) -> DeliveryCounts:
        pause = pause_after(mail.attempts)
        if pause is None:
            return self._give_up(mail, error, done)
        with self.transaction() as work:
            work.mails.postpone(mail, error[:_LONGEST_ERROR], self.clock() + pause)
        return evolve(done, postponed=done.postponed + 1)

    def _give_up(self, mail: Mail, error: str, done: DeliveryCounts) -> DeliveryCounts:
        with self.transaction() as work:
            work.mails.give_up(mail, error[:_LONGEST_ERROR], self.clock())
        return evolve(done, dead=done.dead + 1)
