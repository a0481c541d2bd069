"""The background work of dispatch, in a process that is killed at a random moment.

``python -m tests.e2e.dispatch_process`` reads tab-separated lines (database, folder, partner, time, and the milliseconds until
the kill), repeats the work in a child process, and writes its exit status: -9 is a kill.
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

# Import once what every child process needs, before forking.
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
        work.dispatch_requests.list_for("")  # open the connection before the time starts
    os.write(ready, b".")
    while True:
        dispatch.run()


def _run_until_killed(arguments: Sequence[str], milliseconds: int) -> int:
    """Run the work in a child until it is killed; return its exit status. The parent has no threads or connections."""
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
    Core(Settings(secret_key="0" * 64)).dispatch.area_at(PICKUP)  # load the names of areas once
    for line in sys.stdin:
        *rest, delay = line.rstrip().split("\t")
        sys.stdout.write(f"{_run_until_killed(rest, int(delay))}\n")
        sys.stdout.flush()
