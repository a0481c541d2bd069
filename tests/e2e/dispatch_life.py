"""The background work of dispatch, in a process that somebody kills at a random moment.

``python -m tests.e2e.dispatch_life`` reads lines (database, folder, partner, time and after how many milliseconds it is killed,
with tabs between), runs the work over and over in a process of its own, and writes how that ended: -9 is a kill.
"""

import os
import signal
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from tests.contracts.dispatching import Town
from tests.contracts.rides import PICKUP

# What every process needs is imported once, before they part.
import repaircore.adapters.sql.engine.work
import repaircore.providers.records  # noqa: F401
from repaircore.core import Core
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.rides.model import RideKind
from repaircore.settings import Settings
from repaircore.testing.clock import FrozenClock


def _work(arguments: Sequence[str], ready: int) -> None:
    url, folder, partner, at = arguments
    settings = Settings(database_url=url, secret_key="0" * 64, state_folder=Path(folder) / "state")
    core = Core(settings, clock=FrozenClock(datetime.fromisoformat(at)))
    caller = PartnerCaller(partner_id=int(partner), environment=Environment.LIVE)
    dispatch = Town.of(core, caller, RideKind.TOW).dispatch
    with core.storage.read() as work:
        work.dispatch_requests.list_for("")  # the connection is open when the time begins
    os.write(ready, b".")
    while True:
        dispatch.run()


def _killed(arguments: Sequence[str], milliseconds: int) -> int:
    """Run the work until it is killed; return the exit status. This process has no threads and no connections."""
    is_ready, ready = os.pipe()
    child = os.fork()
    if not child:
        try:
            _work(arguments, ready)
        except BaseException:  # noqa: BLE001 - the exit status shows it
            sys.excepthook(*sys.exc_info())
        os._exit(1)
    os.close(ready)
    if os.read(is_ready, 1):
        time.sleep(milliseconds / 1000)
        os.kill(child, signal.SIGKILL)
    os.close(is_ready)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    Core(Settings(secret_key="0" * 64)).dispatch.area_at(PICKUP)  # the names of areas are loaded once
    for line in sys.stdin:
        *rest, delay = line.rstrip().split("\t")
        sys.stdout.write(f"{_killed(rest, int(delay))}\n")
        sys.stdout.flush()
