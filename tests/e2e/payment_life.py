"""Lives of payments, as rides lead them, in a process that is killed at a named moment.

``python -m tests.e2e.payment_life`` reads lines (database, folder and moment with tabs between), leads the lives once for each, and
writes how that ended: -9 is a kill. What a ride would keep stands in the settings, in the
same unit of work as the payment. The same lives may be led again: they go on where they were.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Final

from attrs import evolve, frozen

# What every process needs is imported once, before they part.
import repaircore.adapters.payments.sandbox
import repaircore.adapters.sql.engine.work  # noqa: F401
from repaircore.core import Core, build
from repaircore.kernel.callers import Environment
from repaircore.payments.model import NewPayment, Payment
from repaircore.payments.ports import Failpoint
from repaircore.payments.service import Payments
from repaircore.settings import Settings

RIDE: Final = "ride_1"
"""Is accepted, completed, and given back in part: 2500 held, 2000 taken, 500 given back."""
TOW: Final = "tow_1"
"""Is accepted and cancelled."""


def a_core(url: str, folder: Path) -> Core:
    """Open an installation that is migrated."""
    return build(Settings(database_url=url, secret_key="0" * 64, state_folder=folder / "state"))


@frozen
class Lives:
    """Everything that two payments go through, with a stand-in for what is paid for."""

    core: Core
    failpoint: Failpoint

    @property
    def payments(self) -> Payments:
        """Return the use cases, with the failpoint."""
        return evolve(self.core.payments, failpoint=self.failpoint)

    def lead(self) -> None:
        """Lead both lives to their ends, from wherever they are."""
        self._accept(RIDE)
        self._complete(RIDE)
        self._give_back(RIDE)
        self._accept(TOW)
        self._cancel(TOW)

    def state(self, subject: str) -> str | None:
        """Return the status of the paid subject."""
        with self.core.storage.read() as work:
            return work.settings.get(subject)

    def living(self, subject: str) -> Payment:
        """Return the payment of an accepted subject."""
        with self.core.storage.read() as work:
            found = work.payments.find_active(subject, environment=Environment.TEST)
        assert found is not None
        return found

    def _accept(self, subject: str) -> None:
        if self.state(subject) is not None:
            return
        wanted = NewPayment(
            partner_id=1,
            environment=Environment.TEST,
            subject=subject,
            offer_ref="off_1",
            amount=2500,
            claim=f"accept {subject}",
        )
        with self.core.storage.transaction() as work:
            payment = self.payments.start(work, wanted)
        outcome = self.payments.perform(payment)
        with self.core.storage.transaction() as work:
            self.payments.save_result(work, payment, outcome)
            work.settings.set(subject, "accepted")

    def _complete(self, subject: str) -> None:
        if self.state(subject) == "accepted":
            payment = self.living(subject)
            with self.core.storage.transaction() as work:
                started = self.payments.start_capture(work, payment, 2000)
                work.settings.set(subject, "completed")
            self.payments.finish(started)

    def _give_back(self, subject: str) -> None:
        if self.state(subject) == "completed":
            payment = self.living(subject)
            with self.core.storage.transaction() as work:
                started = self.payments.start_refund(work, payment, 500)
                work.settings.set(subject, "given back")
            self.payments.finish(started)

    def _cancel(self, subject: str) -> None:
        if self.state(subject) == "accepted":
            payment = self.living(subject)
            with self.core.storage.transaction() as work:
                started = self.payments.start_void(work, payment, "canceled")
                work.settings.set(subject, "canceled")
            self.payments.finish(started)


def _dying_at(moment: str) -> Failpoint:
    def die(now: str) -> None:
        if now == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    return die


def _ended(url: str, folder: str, moment: str) -> int:
    """Lead the lives in a process of their own; give its exit status. This one has no threads and no connections."""
    child = os.fork()
    if not child:
        try:
            Lives(a_core(url, Path(folder)), _dying_at(moment)).lead()
            os._exit(0)
        except BaseException:  # noqa: BLE001 - the exit status shows it
            sys.excepthook(*sys.exc_info())
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(f"{_ended(*line.rstrip().split(chr(9)))}\n")
        sys.stdout.flush()
