"""Servers that are stopped in every order: no process is left, and nothing that was acknowledged is lost.

Once for each order and database; ``nox -s crashes`` does it many times (REPAIRCORE_TEST_CRASHES).
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import Final

import httpx
import pytest
from attrs import Factory, define
from tests.conftest import SECRET_KEY
from tests.e2e.processes import PATIENCE, Installation, serving, until

from repaircore.core import build
from repaircore.settings import Settings

pytestmark = pytest.mark.long

ROUNDS: Final = min(5, int(os.environ.get("REPAIRCORE_TEST_CRASHES", "1")))
_SOURCE: Final = Path(__file__).parents[2] / "src"
GONE_WITHIN: Final = 20.0
"""Less than the 30 seconds after which a worker that hangs is killed: one that hangs is a fault."""


@define
class Writer:
    """Somebody who makes one API key after the other, and remembers those that were acknowledged."""

    client: httpx.Client
    headers: dict[str, str]
    over: threading.Event = Factory(threading.Event)
    acknowledged: list[int] = Factory(list)

    def work(self) -> None:
        while not self.over.is_set():
            asked = {"name": "shop", "environment": "live"}
            try:
                answer = self.client.post("/api/v1/dashboard/keys", json=asked, headers=self.headers)
            except httpx.TransportError:
                continue
            if answer.status_code == 201:
                self.acknowledged.append(answer.json()["data"]["id"])


def term_to_the_group(served: Installation) -> None:
    served.signal_group(signal.SIGTERM)


def term_to_the_master(served: Installation) -> None:
    os.kill(served.master, signal.SIGTERM)


def term_to_a_worker_then_to_all(served: Installation) -> None:
    """The worker is replaced, and its successor ends with the others."""
    (first, *_) = workers = until(lambda: served.workers)
    os.kill(first, signal.SIGTERM)
    until(lambda: len(served.workers) == len(workers) and first not in served.workers)
    served.signal_group(signal.SIGTERM)


def interrupted_twice(served: Installation) -> None:
    served.signal_group(signal.SIGINT)
    time.sleep(0.02)
    served.signal_group(signal.SIGINT)


def a_storm(served: Installation) -> None:
    for number in 5 * [signal.SIGTERM, signal.SIGINT]:
        served.signal_group(number)


def kill_of_the_keeper_then_term(served: Installation) -> None:
    os.kill(until(lambda: served.keepers)[0], signal.SIGKILL)
    os.kill(served.master, signal.SIGTERM)


def kill_of_the_jobs_then_term(served: Installation) -> None:
    os.kill(until(lambda: served.jobs)[0], signal.SIGKILL)
    os.kill(served.master, signal.SIGTERM)


def kill_of_the_master(served: Installation) -> None:
    os.kill(served.master, signal.SIGKILL)


def reload_then_term(served: Installation) -> None:
    """Workers are replaced, and the jobs go on."""
    keepers, jobs = until(lambda: served.keepers), until(lambda: served.jobs)
    served.signal_group(signal.SIGHUP)
    time.sleep(1)
    assert (served.keepers, served.jobs) == (keepers, jobs)
    os.kill(served.master, signal.SIGTERM)


ORDERS: Final[tuple[Callable[[Installation], None], ...]] = (
    term_to_the_group,
    term_to_the_master,
    term_to_a_worker_then_to_all,
    interrupted_twice,
    a_storm,
    kill_of_the_keeper_then_term,
    kill_of_the_jobs_then_term,
    kill_of_the_master,
    reload_then_term,
)


@pytest.fixture
def settings(e2e_url: str, tmp_path: Path) -> Settings:
    chosen = Settings(database_url=e2e_url, secret_key=SECRET_KEY, state_folder=tmp_path / "state")
    core = build(chosen)
    core.upgrade()
    core.close()
    return chosen


@pytest.mark.parametrize("stop", ORDERS, ids=lambda stop: stop.__name__)
@pytest.mark.parametrize("round_", range(ROUNDS))
def test_after_a_stop_no_process_is_left_and_nothing_acknowledged_is_lost(
    settings: Settings, tmp_path: Path, stop: Callable[[Installation], None], round_: int
) -> None:
    with serving(tmp_path, ["--workers", "2"], _environment(settings)) as served:
        with httpx.Client(base_url=served.url, timeout=PATIENCE, trust_env=False) as client:
            until(lambda: _is_ready(client))
            until(lambda: served.jobs)
            writer = Writer(client, _account(client, f"{stop.__name__}.{round_}@example.org"))
            thread = threading.Thread(target=writer.work)
            thread.start()
            until(lambda: len(writer.acknowledged) >= 3)
            # Jobs are found in their first second, while they open, as well as later.
            time.sleep(0.3 * round_)

            stop(served)

            is_gone = served.is_gone(GONE_WITHIN)
            writer.over.set()
            thread.join()
        assert is_gone, [served.pids(), served.log.read_text()]
    assert set(writer.acknowledged) <= _kept(settings)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("pause", [0, 0.1, 0.3])
def test_server_ends_quietly_from_the_moment_that_it_says_ctrl_c_ends(
    settings: Settings, tmp_path: Path, number: signal.Signals, pause: float
) -> None:
    with serving(tmp_path, ["--workers", "2"], _environment(settings)) as served:
        time.sleep(pause)
        served.signal_group(number)
        assert served.is_gone(GONE_WITHIN), [served.pids(), served.log.read_text()]
        assert "Traceback" not in served.log.read_text()


_SERVER: Final = """
import time
from repaircore_http.server import Server
from repaircore_http.fast_path.worker import Worker

Server.load = lambda server: lambda environ, start_response: ()
{slow}
Server(prog="repaircore").run()
"""
_SLOW_TO_LISTEN: Final = """
listen = Worker.init_process
Worker.init_process = lambda worker: (time.sleep(1.5), listen(worker))
"""
_SLOW_TO_LOAD: Final = "Server.load = lambda server: time.sleep(60)"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGQUIT])
@pytest.mark.parametrize("slow", [_SLOW_TO_LISTEN, _SLOW_TO_LOAD], ids=["to listen", "to load"])
def test_workers_that_are_still_starting_end_when_the_master_is_told_to(
    slow: str, number: signal.Signals
) -> None:
    line = [
        sys.executable,
        "-P",
        "-c",
        _SERVER.format(slow=slow),
        "--bind=127.0.0.1:0",
        "--graceful-timeout=40",
    ]
    line.append("--worker-class=repaircore_http.fast_path.worker.Worker")
    with Popen(line, stderr=DEVNULL, env={**os.environ, "PYTHONPATH": str(_SOURCE)}) as master:  # noqa: S603 - our own command
        try:
            until(lambda: Path(f"/proc/{master.pid}/task/{master.pid}/children").read_text().split())
            master.send_signal(number)
            master.wait(20)
        finally:
            master.kill()


def _environment(settings: Settings) -> dict[str, str]:
    return {
        "REPAIRCORE_DATABASE_URL": settings.database_url or "",
        "REPAIRCORE_SECRET_KEY": SECRET_KEY,
        "REPAIRCORE_STATE_FOLDER": str(settings.state_folder),
        "REPAIRCORE_REGISTRATIONS_PER_HOUR": "100000",
    }


def _is_ready(client: httpx.Client) -> bool:
    try:
        return client.get("/readyz").status_code == 200
    except httpx.TransportError:
        return False


def _account(client: httpx.Client, email: str) -> dict[str, str]:
    asked = {"name": "Writer", "email": email, "password": "correct horse"}
    token = client.post("/api/v1/auth/register", json=asked).json()["data"]["session_token"]
    return {"Authorization": f"Bearer {token}"}


def _kept(settings: Settings) -> set[int]:
    core = build(settings)
    try:
        callers = [core.accounts.caller_for(user.email) for user in core.accounts.list_users()]
        return {key.id for caller in callers for key in core.accounts.list_keys(caller)}
    finally:
        core.close()
