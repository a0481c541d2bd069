"""Servers stopped in every order: no process is left, and nothing acknowledged is lost.

A few orders, on SQLite and PostgreSQL in turn; with REPAIRCORE_TEST_STOPS=50 (``nox -s crashes``), each several times on both.
"""

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import Any, Final
from uuid import uuid4

import httpx
import pytest
from attrs import Factory, define
from tests.conftest import SECRET_KEY
from tests.e2e.processes import PATIENCE, Installation, command, serving, until

from repaircore.core import build
from repaircore.settings import Settings

pytestmark = pytest.mark.long

STOPS: Final = int(os.environ.get("REPAIRCORE_TEST_STOPS", "6"))
_SOURCE: Final = Path(__file__).parents[2] / "src"
GONE_WITHIN: Final = 15.0
"""Less than the 30 seconds after which a hanging worker is killed, because a hanging worker is a fault."""


@define
class Writer:
    """A client that creates one API key after the other, and records those acknowledged."""

    client: httpx.Client
    headers: dict[str, str]
    over: threading.Event = Factory(threading.Event)
    acknowledged: list[int] = Factory(list)

    def work(self) -> None:
        while not self.over.is_set():
            body = {"name": "shop", "environment": "live"}
            try:
                answer = self.client.post("/api/v1/dashboard/keys", json=body, headers=self.headers)
            except httpx.TransportError:
                continue
            if answer.status_code == 201:
                self.acknowledged.append(answer.json()["data"]["id"])


@define
class NewConnections:
    """Clients that open a connection for each request until the server stops; counts accepted connections that were cut off."""

    address: tuple[str, int]
    over: threading.Event = Factory(threading.Event)
    stopped: threading.Event = Factory(threading.Event)
    answered: int = 0
    cut_off: int = 0

    def work(self) -> None:
        while not self.over.is_set():
            is_late = self.stopped.is_set()
            try:
                with socket.create_connection(self.address, PATIENCE) as client:
                    self._ask(client, is_late=is_late)
            except OSError:  # the listener is closed
                continue

    def _ask(self, client: socket.socket, *, is_late: bool) -> None:
        try:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            is_answered = client.recv(12) == b"HTTP/1.1 200"
        except OSError:
            is_answered = False
        self.answered += is_answered
        self.cut_off += is_late and not is_answered


def term_to_the_group(served: Installation) -> None:
    served.signal_group(signal.SIGTERM)


def term_to_the_master(served: Installation) -> None:
    os.kill(served.master, signal.SIGTERM)


def term_to_a_worker_then_to_all(served: Installation) -> None:
    """The worker is replaced, and its successor stops with the others."""
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


def kill_of_a_worker_then_term(served: Installation) -> None:
    os.kill(until(lambda: served.workers)[0], signal.SIGKILL)
    os.kill(served.master, signal.SIGTERM)


def kill_of_the_jobs_then_term(served: Installation) -> None:
    os.kill(until(lambda: served.jobs)[0], signal.SIGKILL)
    os.kill(served.master, signal.SIGTERM)


def kill_of_the_master(served: Installation) -> None:
    os.kill(served.master, signal.SIGKILL)


def kill_of_the_master_then_term_to_the_group(served: Installation) -> None:
    os.kill(served.master, signal.SIGKILL)
    served.signal_group(signal.SIGTERM)


def kill_of_everything_but_one_worker(served: Installation) -> None:
    (last, *others) = until(lambda: served.workers)
    for pid in (served.master, *served.jobs, *others):
        os.kill(pid, signal.SIGKILL)
    assert last in served.workers


def reload_then_term(served: Installation) -> None:
    """Workers are replaced, and the jobs go on."""
    jobs = until(lambda: served.jobs)
    served.signal_group(signal.SIGHUP)
    time.sleep(1)
    assert served.jobs == jobs
    os.kill(served.master, signal.SIGTERM)


def term_during_a_reload(served: Installation) -> None:
    served.signal_group(signal.SIGHUP)
    time.sleep(0.05)
    served.signal_group(signal.SIGTERM)


ORDERS: Final[tuple[Callable[[Installation], None], ...]] = (
    term_to_the_group,
    a_storm,
    kill_of_the_master,
    kill_of_a_worker_then_term,
    interrupted_twice,
    term_to_a_worker_then_to_all,
    term_to_the_master,
    kill_of_the_jobs_then_term,
    reload_then_term,
    kill_of_the_master_then_term_to_the_group,
    term_during_a_reload,
    kill_of_everything_but_one_worker,
    a_storm,
)
"""An odd number, so that each order runs on both databases when these alternate."""
_CUTS: Final = frozenset({kill_of_a_worker_then_term, kill_of_everything_but_one_worker})
"""Orders in which a killed worker cuts off accepted connections."""
_MOMENTS: Final = tuple(
    (number, pause) for number in (signal.SIGINT, signal.SIGTERM) for pause in (0, 0.1, 0.3)
)
_IS_WHOLE: Final = bool(os.environ.get("REPAIRCORE_TEST_EVERYTHING"))


def on_each_database(cases: Sequence[Any], on_postgres: Sequence[Any]) -> list[Any]:
    """Return the cases for SQLite and a few for PostgreSQL: a server takes seconds to start, and stops alike on both."""
    return [
        *(pytest.param("sqlite", case, id=f"sqlite-{_name(case)}") for case in cases),
        *(
            pytest.param("postgres", case, id=f"postgres-{_name(case)}", marks=pytest.mark.postgres)
            for case in (cases if _IS_WHOLE else on_postgres)
        ),
    ]


def _name(case: Any) -> str:
    return getattr(case, "__name__", None) or "-".join(map(str, case))


@pytest.fixture
def settings(e2e_url: str, tmp_path: Path) -> Settings:
    chosen = Settings(database_url=e2e_url, secret_key=SECRET_KEY, state_folder=tmp_path / "state")
    core = build(chosen)
    core.upgrade()
    core.close()
    return chosen


def stops() -> list[Any]:
    """Return the orders in turn, each with one of the databases in turn."""
    return [
        pytest.param(
            database,
            stop,
            id=f"{number}-{database}-{_name(stop)}",
            marks=[pytest.mark.postgres][: number % 2],
        )
        for number, stop, database in zip(
            range(STOPS), cycle(ORDERS), cycle(["sqlite", "postgres"]), strict=False
        )
    ]


@pytest.mark.parametrize(("e2e_url", "stop"), stops(), indirect=["e2e_url"])
def test_after_a_stop_no_process_is_left_and_nothing_acknowledged_is_lost(
    settings: Settings, tmp_path: Path, stop: Callable[[Installation], None]
) -> None:
    with serving(tmp_path, ["--workers", "2"], _environment(settings)) as served:
        address = httpx.URL(served.url)
        new_connections = NewConnections((address.host, address.port or 0))
        with httpx.Client(base_url=served.url, timeout=PATIENCE, trust_env=False) as client:
            until(lambda: _is_ready(client))
            until(lambda: served.jobs)
            writer = Writer(client, _account(client, f"{uuid4().hex}@example.org"))
            threads = [
                threading.Thread(target=one.work) for one in (writer, new_connections, new_connections)
            ]
            for thread in threads:
                thread.start()
            until(lambda: len(writer.acknowledged) >= 3 and new_connections.answered)

            new_connections.stopped.set()
            stop(served)

            is_gone = served.is_gone(GONE_WITHIN)
            writer.over.set()
            new_connections.over.set()
            for thread in threads:
                thread.join()
        assert is_gone, [[(pid, command(pid)) for pid in served.pids()], served.log.read_text()]
    assert set(writer.acknowledged) <= _stored_keys(settings)
    assert stop in _CUTS or new_connections.cut_off == 0


@pytest.mark.parametrize(
    ("e2e_url", "moment"),
    on_each_database(_MOMENTS, [(signal.SIGINT, 0.1), (signal.SIGTERM, 0.3)]),
    indirect=["e2e_url"],
)
def test_server_ends_quietly_from_the_moment_that_it_says_ctrl_c_ends(
    settings: Settings, tmp_path: Path, moment: tuple[signal.Signals, float]
) -> None:
    number, pause = moment
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
def test_workers_that_are_still_starting_end_when_the_master_is_stopped(
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
    body = {"name": "Writer", "email": email, "password": "correct horse"}
    token = client.post("/api/v1/auth/register", json=body).json()["data"]["session_token"]
    return {"Authorization": f"Bearer {token}"}


def _stored_keys(settings: Settings) -> set[int]:
    core = build(settings)
    try:
        callers = [core.accounts.caller_for(user.email) for user in core.accounts.list_users()]
        return {key.id for caller in callers for key in core.accounts.list_keys(caller)}
    finally:
        core.close()
