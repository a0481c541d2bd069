"""The steps of two payments, in a process that is killed at a named failpoint.

``python -m tests.e2e.payment_process`` reads tab-separated lines (database, folder and failpoint), runs the steps once for each, and
writes the exit status: -9 is a kill. The settings stand in for the paid rides, in the same
unit of work as the payment. A second run continues where the first was killed.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Final

from attrs import evolve, frozen

# Import once what every child process needs, before forking.
import repaircore.adapters.payments.sandbox
import repaircore.adapters.sql.engine.work  # noqa: F401
from repaircore.core import Core, build
from repaircore.kernel.callers import Environment
from repaircore.payments.model import NewPayment, Payment
from repaircore.payments.ports import Failpoint
from repaircore.payments.service import Payments
from repaircore.settings import Settings

RIDE: Final = "ride_1"
"""Accepted, completed, and refunded in part: 2500 authorized, 2000 captured, 500 refunded."""
TOW: Final = "tow_1"
"""Accepted and canceled."""


def open_core(url: str, folder: Path) -> Core:
    """Open a migrated installation."""
    return build(Settings(database_url=url, secret_key="0" * 64, state_folder=folder / "state"))


@frozen
class PaymentSteps:
    """The steps of two payments, with settings instead of rides."""

    core: Core
    failpoint: Failpoint

    @property
    def payments(self) -> Payments:
        """Return the use cases with the failpoint."""
        return evolve(self.core.payments, failpoint=self.failpoint)

    def run(self) -> None:
        """Run the remaining steps of both payments."""
        self._accept(RIDE)
        self._complete(RIDE)
        self._refund(RIDE)
        self._accept(TOW)
        self._cancel(TOW)

    def state(self, subject: str) -> str | None:
        """Return the status of the paid subject."""
        with self.core.storage.read() as work:
            return work.settings.get(subject)

    def active_payment(self, subject: str) -> Payment:
        """Return the active payment of a subject."""
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
            payment = self.active_payment(subject)
            with self.core.storage.transaction() as work:
                started = self.payments.start_capture(work, payment, 2000)
                work.settings.set(subject, "completed")
            self.payments.finish(started)

    def _refund(self, subject: str) -> None:
        if self.state(subject) == "completed":
            payment = self.active_payment(subject)
            with self.core.storage.transaction() as work:
                started = self.payments.start_refund(work, payment, 500)
                work.settings.set(subject, "refunded")
            self.payments.finish(started)

    def _cancel(self, subject: str) -> None:
        if self.state(subject) == "accepted":
            payment = self.active_payment(subject)
            with self.core.storage.transaction() as work:
                started = self.payments.start_void(work, payment, "canceled")
                work.settings.set(subject, "canceled")
            self.payments.finish(started)


def _kill_at(moment: str) -> Failpoint:
    def die(now: str) -> None:
        if now == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    return die


def _run_in_child(url: str, folder: str, moment: str) -> int:
    """Run the steps in a child process; return its exit status. The parent has no threads or connections."""
    child = os.fork()
    if not child:
        try:
            PaymentSteps(open_core(url, Path(folder)), _kill_at(moment)).run()
            os._exit(0)
        except BaseException:  # noqa: BLE001 - the exit status shows it
            sys.excepthook(*sys.exc_info())
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(f"{_run_in_child(*line.rstrip().split(chr(9)))}\n")
        sys.stdout.flush()
