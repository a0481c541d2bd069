"""The steps of three rides of a partner's application, in a process that is killed at a named failpoint.

``python -m tests.e2e.ride_process`` reads tab-separated lines (database, folder, partner, time, failpoint, and how often to pass
it before the kill), runs the rides once for each, and writes the exit status: -9 is a kill. Requests have idempotency keys,
so a second run continues where the first was killed.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

from attrs import evolve, frozen

# Import once what every child process needs, before forking.
import repaircore.adapters.sql.engine.work
import repaircore.providers.records  # noqa: F401
from repaircore.adapters.payments.sandbox import SandboxGateway
from repaircore.core import Core, build
from repaircore.idempotency.model import Claim, Reply, fingerprint
from repaircore.idempotency.service import Idempotency
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.payments.ports import FAILPOINTS as OF_PAYMENTS
from repaircore.payments.ports import Failpoint
from repaircore.rides.acceptance import AuthorizedOffer
from repaircore.rides.model import Ride
from repaircore.rides.service import Rides
from repaircore.settings import Settings
from repaircore.testing.clock import FrozenClock

ROLES: Final = ("done", "charged", "free")
"""A completed ride, a tow canceled for a fee after the business arrived, and a ride canceled for free."""

_TIMES: Final = {"authorize": 3, "capture": 2, "void": 1}
_OF_RIDES: Final = {
    "rides.accept.before_assign": 3,
    "rides.accept.after_assign": 3,
    "rides.complete.before_money": 1,
    "rides.complete.after_money": 1,
    "rides.cancel_accepted.before_money": 2,
    "rides.cancel_accepted.after_money": 2,
}
MOMENTS: Final = {
    **_OF_RIDES,
    **{
        moment: times
        for moment in OF_PAYMENTS
        for step, times in _TIMES.items()
        if moment.split(".")[1] == step
    },
}
"""The failpoints of accepting, completing and canceling, and how often a run without a kill passes each."""


@frozen(kw_only=True)
class Partner:
    """A partner's application; ``failpoint`` is called at each failpoint."""

    core: Core
    caller: PartnerCaller
    clock: FrozenClock
    failpoint: Failpoint

    def run(self) -> Iterator[Reply]:
        """Run the remaining steps of the rides; yield the answers."""
        done, charged, free = self._rides()
        for rides, ride in (done, charged, free):
            yield self._accept(rides, ride)
        for rides, ride in (done, charged):
            yield self._call_once("arrive", ride, partial(rides.arrive, ride.ref, self.caller))
        rides, ride = done
        yield self._call_once("start", ride, partial(rides.start, ride.ref, self.caller))
        yield self._call_once("complete", ride, lambda: rides.complete(ride.ref, self.caller)[0])
        for rides, ride in (charged, free):
            yield self._call_once("cancel", ride, partial(self._cancel, rides, ride))

    def _cancel(self, rides: Rides, ride: Ride) -> Ride:
        return rides.cancel_accepted(ride.ref, self.caller)[0]

    def _rides(self) -> list[tuple[Rides, Ride]]:
        rides, tows = (self._with_failpoint(one) for one in (self.core.rides, self.core.tows))
        (free, done), (charged,) = rides.list_page(self.caller), tows.list_page(self.caller)
        return [(rides, done.ride), (tows, charged.ride), (rides, free.ride)]

    def _with_failpoint(self, rides: Rides) -> Rides:
        payments = evolve(
            self.core.payments,
            gateways={
                Environment.TEST: SandboxGateway(transaction=self.core.storage.transaction, clock=self.clock)
            },
            clock=self.clock,
            failpoint=self.failpoint,
        )
        return evolve(rides, payments=payments, clock=self.clock, failpoint=self.failpoint)

    def _accept(self, rides: Rides, ride: Ride) -> Reply:
        claim = self._claim("accept", ride)
        with self.core.storage.read() as work:
            provider = work.offers.list_for(ride.ref)[0].provider_ref
        authorized: list[AuthorizedOffer] = []

        def prepare() -> None:
            authorized.append(rides.authorize(ride.ref, provider, self.caller, claim=claim.name))

        def act() -> Reply:
            return _reply(rides.assign(ride.ref, authorized[0], self.caller))

        return self._idempotency().run(claim, act, prepare).reply

    def _call_once(self, step: str, ride: Ride, act: Callable[[], Ride]) -> Reply:
        return self._idempotency().run(self._claim(step, ride), lambda: _reply(act())).reply

    def _idempotency(self) -> Idempotency:
        return evolve(self.core.idempotency, clock=self.clock)

    def _claim(self, step: str, ride: Ride) -> Claim:
        request = fingerprint("POST", f"/{ride.ref}/{step}", b"{}")
        return Claim(caller=self.caller, key=f"{step} {ride.ref}", fingerprint=request)


def _reply(ride: Ride) -> Reply:
    return Reply(status=200, body=f"{ride.ref} {ride.status}".encode())


def _kill_at(moment: str, before: int) -> Failpoint:
    passed = count()

    def die(now: str) -> None:
        if now == moment and next(passed) == before:
            os.kill(os.getpid(), signal.SIGKILL)

    return die


def _run_in_child(arguments: Sequence[str]) -> int:
    """Run the rides in a child process; return its exit status. The parent has no threads or connections."""
    url, folder, partner, at, moment, before = arguments
    child = os.fork()
    if not child:
        try:
            core = build(Settings(database_url=url, secret_key="0" * 64, state_folder=Path(folder) / "state"))
            caller = PartnerCaller(partner_id=int(partner), environment=Environment.TEST)
            clock = FrozenClock(datetime.fromisoformat(at))
            partner_app = Partner(
                core=core, caller=caller, clock=clock, failpoint=_kill_at(moment, int(before))
            )
            statuses = {reply.status for reply in partner_app.run()}
            os._exit(statuses != {200})
        except BaseException:  # noqa: BLE001 - the exit status shows it
            sys.excepthook(*sys.exc_info())
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(f"{_run_in_child(line.rstrip().split(chr(9)))}\n")
        sys.stdout.flush()
