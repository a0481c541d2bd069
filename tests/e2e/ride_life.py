"""Lives of rides, as a partner's application leads them, in a process that is killed at a named moment.

``python -m tests.e2e.ride_life`` reads lines (database, folder, partner, time, moment and how often it passes by before, with
tabs between), leads the partner's rides to their ends once for each, and writes how that ended: -9 is a kill. Each request
has an idempotency key, so that the same lives may be led again: they go on where they were.
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

# What every process needs is imported once, before they part.
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
"""A ride is accepted and done; a tow is cancelled once its business is there, which costs something; a ride at once, for free."""

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
"""Each moment of accepting, completing and cancelling, and how often a life without a kill passes it."""


@frozen(kw_only=True)
class Partner:
    """A partner's application; ``failpoint`` is called at each moment."""

    core: Core
    caller: PartnerCaller
    clock: FrozenClock
    failpoint: Failpoint

    def lead(self) -> Iterator[Reply]:
        """Lead the rides to their ends, from wherever they are; give what was answered."""
        done, charged, free = self._rides()
        for rides, ride in (done, charged, free):
            yield self._accept(rides, ride)
        for rides, ride in (done, charged):
            yield self._once("arrive", ride, partial(rides.arrive, ride.ref, self.caller))
        rides, ride = done
        yield self._once("start", ride, partial(rides.start, ride.ref, self.caller))
        yield self._once("complete", ride, lambda: rides.complete(ride.ref, self.caller)[0])
        for rides, ride in (charged, free):
            yield self._once("cancel", ride, partial(self._cancel, rides, ride))

    def _cancel(self, rides: Rides, ride: Ride) -> Ride:
        return rides.cancel_accepted(ride.ref, self.caller)[0]

    def _rides(self) -> list[tuple[Rides, Ride]]:
        rides, tows = (self._steered(one) for one in (self.core.rides, self.core.tows))
        (free, done), (charged,) = rides.list_page(self.caller), tows.list_page(self.caller)
        return [(rides, done.ride), (tows, charged.ride), (rides, free.ride)]

    def _steered(self, rides: Rides) -> Rides:
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
        held: list[AuthorizedOffer] = []

        def prepare() -> None:
            held.append(rides.authorize(ride.ref, provider, self.caller, claim=claim.name))

        def act() -> Reply:
            return _reply(rides.assign(ride.ref, held[0], self.caller))

        return self._served().run(claim, act, prepare).reply

    def _once(self, what: str, ride: Ride, act: Callable[[], Ride]) -> Reply:
        return self._served().run(self._claim(what, ride), lambda: _reply(act())).reply

    def _served(self) -> Idempotency:
        return evolve(self.core.idempotency, clock=self.clock)

    def _claim(self, what: str, ride: Ride) -> Claim:
        request = fingerprint("POST", f"/{ride.ref}/{what}", b"{}")
        return Claim(caller=self.caller, key=f"{what} {ride.ref}", fingerprint=request)


def _reply(ride: Ride) -> Reply:
    return Reply(status=200, body=f"{ride.ref} {ride.status}".encode())


def _dying_at(moment: str, before: int) -> Failpoint:
    passed = count()

    def die(now: str) -> None:
        if now == moment and next(passed) == before:
            os.kill(os.getpid(), signal.SIGKILL)

    return die


def _ended(arguments: Sequence[str]) -> int:
    """Lead the lives in a process of their own; give its exit status. This one has no threads and no connections."""
    url, folder, partner, at, moment, before = arguments
    child = os.fork()
    if not child:
        try:
            core = build(Settings(database_url=url, secret_key="0" * 64, state_folder=Path(folder) / "state"))
            caller = PartnerCaller(partner_id=int(partner), environment=Environment.TEST)
            clock = FrozenClock(datetime.fromisoformat(at))
            lives = Partner(core=core, caller=caller, clock=clock, failpoint=_dying_at(moment, int(before)))
            statuses = {reply.status for reply in lives.lead()}
            os._exit(statuses != {200})
        except BaseException:  # noqa: BLE001 - the exit status shows it
            sys.excepthook(*sys.exc_info())
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(f"{_ended(line.rstrip().split(chr(9)))}\n")
        sys.stdout.flush()
