"""Mixed load for any length of time, with kills in between; then the history is checked.

Run from the root of the repository: ``python -m tests.soak --minutes 60``. It uses SQLite, and also PostgreSQL if
REPAIRCORE_TEST_POSTGRES_URL names a server. It prints a table of counts, memory, files and latencies; the exit status is 1 if
an invariant is broken. Latencies are those of this machine at that time.
"""

import argparse
import os
import random
import signal
import socket
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from statistics import quantiles
from time import monotonic
from traceback import extract_tb
from typing import Any, Final

import httpx
import sqlalchemy as sa
from attrs import define, frozen
from bench.installation import postgres_database
from tests.e2e.partner_installation import (
    PartnerInstallation,
    partner_installation,
    require_all,
    wait_for_deliveries,
)
from tests.e2e.partner_load import Application
from tests.e2e.processes import PATIENCE, Installation, serving
from tests.soak.checker import violations
from tests.soak.history import Call, History

from repaircore.settings import PREFIX

_APPLICATIONS: Final = 4
_STOPPED_SECONDS: Final = 3.0
_SAMPLE_SECONDS: Final = 30.0
_BETWEEN_KILLS: Final = (10.0, 30.0)
_SESSION_SECONDS: Final = 300.0
"""Sessions are renewed after this, well before they expire."""
_PREFIX: Final = "/api/v1/partner"
_PREDICTION: Final = {
    "vin": "1HGCM82633A004352",
    "zip_code": "90210",
    "problem_identifier": "brake-pads-front",
}


@frozen(kw_only=True)
class Sample:
    """A sample of the installation; ``milliseconds`` are the median and the 99th percentile since the last sample."""

    minute: float
    calls: int
    milliseconds: tuple[float, float]
    memory_mb: float
    files: int
    database_mb: float


@define
class Server:
    """The processes of the installation, restarted on the same port after a kill."""

    installation: PartnerInstallation
    port: int
    stack: ExitStack
    running: Installation | None = None

    def start(self) -> Installation:
        """Start the installation, in place of one that was killed."""
        self.stack.close()
        settings = {f"{PREFIX}{name}": str(value) for name, value in self.installation.settings.items()}
        arguments = ["--port", str(self.port)]
        self.running = self.stack.enter_context(serving(self.installation.folder, arguments, settings))
        return self.running

    @property
    def processes(self) -> Installation:
        assert self.running is not None
        return self.running


class Load:
    """Threads that send requests and log the answers."""

    def __init__(self, installation: PartnerInstallation, port: int) -> None:
        self.history = History()
        self.stop = threading.Event()
        self._installation = installation
        self._address = f"http://127.0.0.1:{port}"
        with self._client() as client:
            self._secret_key = _secret_key(client)
        self._threads = [
            *(
                threading.Thread(target=self._run_application, args=(one,))
                for one in installation.applications
            ),
            threading.Thread(target=self._read),
            threading.Thread(target=self._predict),
        ]
        for one in installation.applications:
            one.history = self.history
        for thread in self._threads:
            thread.start()

    @property
    def faults(self) -> list[str]:
        """Return the faults that stopped applications: answers that must not happen."""
        return [one.fault for one in self._installation.applications if one.fault is not None]

    def end(self) -> None:
        """Stop sending, once every request has an answer."""
        self.stop.set()
        for thread in self._threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()
        with self._client() as client:
            for one in self._installation.applications:
                if one.fault is None:
                    one.work(client, _do_nothing, self.stop)  # completes the pending request
        pending = [one.pending for one in self._installation.applications if one.fault is None]
        assert not any(pending), pending

    def _client(self) -> httpx.Client:
        return httpx.Client(base_url=self._address, timeout=PATIENCE, trust_env=False)

    def _run_application(self, application: Application) -> None:
        while not self.stop.is_set() and application.fault is None:
            with self._client() as client:
                application.work(client, _do_nothing, self.stop)
            self.stop.wait(0.2)

    def _read(self) -> None:
        """Read written records again and again."""
        dice = random.Random(0)  # noqa: S311 - no secret

        def read(client: httpx.Client) -> None:
            refs = [
                ref
                for one in self._installation.applications
                for ref in [*one.acknowledged.rides, *one.acknowledged.appointments]
            ]
            if not refs:
                self.stop.wait(0.1)
                return
            ref = dice.choice(refs[-200:])
            path = "appointments" if ref.startswith("apt_") else "mobile-rides"
            self._request(client, "GET", f"{_PREFIX}/{path}/{ref}", token=self._installation.token)

        self._repeat(read)

    def _predict(self) -> None:
        zips = random.Random(1)  # noqa: S311 - no secret

        def predict(client: httpx.Client) -> None:
            body = {**_PREDICTION, "zip_code": zips.choice(("90210", "10001", "60601", "73301"))}
            self._request(client, "POST", "/api/v1/predict", token=self._secret_key, body=body)

        self._repeat(predict)

    def _repeat(self, send: Callable[[httpx.Client], None]) -> None:
        while not self.stop.is_set():
            with suppress(httpx.TransportError), self._client() as client:
                while not self.stop.is_set():
                    send(client)
                    self.stop.wait(0.02)
            self.stop.wait(0.2)

    def _request(self, client: httpx.Client, method: str, path: str, *, token: str, body: Any = None) -> None:
        """Send a request that changes no record."""
        begun = monotonic()
        headers = {"Authorization": f"Bearer {token}"}
        answer = client.request(method, path, headers=headers, json=body)
        data: Any = answer.json().get("data") if answer.status_code == httpx.codes.OK else None
        record: dict[str, Any] = data if isinstance(data, dict) and "ref" in data else {}
        self.history.add(
            Call(
                what=f"{method} {path}",
                key=None,
                status=answer.status_code,
                subject=record["ref"] if "status" in record else None,
                state=record.get("status"),
                begun=begun,
                ended=monotonic(),
                is_retry_said="Retry-After" in answer.headers,
            )
        )


def _secret_key(client: httpx.Client) -> str:
    """Register an account, and return its secret key."""
    account = {"name": "Ada", "email": "ada@example.org", "password": "correct horse battery"}
    session = client.post("/api/v1/auth/register", json=account).json()["data"]["session_token"]
    headers = {"Authorization": f"Bearer {session}"}
    body = {"name": "soak", "environment": "live"}
    created = client.post("/api/v1/dashboard/keys", json=body, headers=headers).json()["data"]
    key: str = created["secret_key"]
    return key


def _do_nothing() -> None:
    """Do nothing."""


# Faults


def _kill(pids: Sequence[int], dice: random.Random) -> None:
    if pids:
        with suppress(ProcessLookupError):
            os.kill(dice.choice(pids), signal.SIGKILL)


def _pause(pids: Sequence[int], dice: random.Random) -> None:
    if pids:
        pid = dice.choice(pids)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
            threading.Event().wait(_STOPPED_SECONDS)
            os.kill(pid, signal.SIGCONT)


def _kill_all(server: Server) -> None:
    for pid in server.processes.pids():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    server.start()


def _cut_connections(installation: PartnerInstallation) -> None:
    """Close every connection to the database, as a restart does."""
    engine = sa.create_engine(installation.url, isolation_level="AUTOCOMMIT")
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    with engine.connect() as connection:
        connection.exec_driver_sql(others)
    engine.dispose()


def _faults(
    installation: PartnerInstallation, server: Server, dice: random.Random
) -> dict[str, Callable[[], None]]:
    faults: dict[str, Callable[[], None]] = {
        "a worker killed": lambda: _kill(server.processes.workers, dice),
        "the jobs killed": lambda: _kill(server.processes.jobs, dice),
        "a worker stopped for a while": lambda: _pause(server.processes.workers, dice),
        "everything killed": lambda: _kill_all(server),
    }
    if installation.url.startswith("postgresql"):
        faults["all connections of the database cut"] = lambda: _cut_connections(installation)
    return faults


# Samples


def _sample(installation: PartnerInstallation, server: Server, calls: Sequence[Call], began: float) -> Sample:
    times = [1000 * (call.ended - call.begun) for call in calls] or [0.0]
    cuts = quantiles(times, n=100) if len(times) > 1 else times * 99
    pids = server.processes.pids()
    return Sample(
        minute=(monotonic() - began) / 60,
        calls=len(calls),
        milliseconds=(cuts[49], cuts[98]),
        memory_mb=sum(map(_proportional_bytes, pids)) / 1e6,
        files=sum(map(_files, pids)),
        database_mb=_database_bytes(installation) / 1e6,
    )


def _proportional_bytes(pid: int) -> int:
    """Return the memory of a process, with its share of shared memory."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def _files(pid: int) -> int:
    with suppress(OSError):
        return len([*Path(f"/proc/{pid}/fd").iterdir()])
    return 0


def _database_bytes(installation: PartnerInstallation) -> int:
    if installation.url.startswith("sqlite"):
        path = Path(installation.url.removeprefix("sqlite:///"))
        return sum(one.stat().st_size for one in path.parent.glob(f"{path.name}*"))
    with installation.core.storage.database.transaction(write=False) as connection:
        size: int = connection.execute(sa.text("SELECT pg_database_size(current_database())")).scalar_one()
        return size


def _soak(url: str, folder: Path, minutes: float, seed: int) -> list[str]:
    """Soak one installation; print its table, and return the broken invariants."""
    dice, done, samples = random.Random(seed), Counter[str](), list[Sample]()  # noqa: S311 - no secret
    with partner_installation(url, folder, _APPLICATIONS) as installation, ExitStack() as stack:
        server = Server(installation, _free_port(), stack)
        server.start()
        faults = _faults(installation, server, dice)
        load, began, seen = Load(installation, server.port), monotonic(), 0
        sampled_at = fault_at = renewed_at = began
        while monotonic() < began + 60 * minutes and not load.faults:
            threading.Event().wait(0.5)
            if monotonic() >= sampled_at + _SAMPLE_SECONDS:
                calls = load.history.since(seen)
                samples.append(_sample(installation, server, calls, began))
                seen, sampled_at = seen + len(calls), monotonic()
            if monotonic() >= renewed_at + _SESSION_SECONDS:
                installation.renew_session()
                renewed_at = monotonic()
            if monotonic() >= fault_at:
                fault_at = monotonic() + dice.uniform(*_BETWEEN_KILLS)
                name = dice.choice(sorted(faults))
                faults[name]()
                done[name] += 1
        load.end()
        installation.core.payment_reconciliation.reconcile(timedelta(0))
        wait_for_deliveries(installation)
        calls = load.history.since(0)
        _print_table(url, samples, done, calls)
        return [*load.faults, *violations(calls, _stored(installation)), *_broken_promises(installation)]


def _stored(installation: PartnerInstallation) -> dict[str, str]:
    acknowledged = [one.acknowledged for one in installation.applications]
    return {
        ref: str(installation.core.rides.get(ref, installation.caller).ride.status)
        for one in acknowledged
        for ref in one.rides
    } | {
        ref: str(installation.core.appointments.get(ref, installation.caller)[0].status)
        for one in acknowledged
        for ref in one.appointments
    }


def _broken_promises(installation: PartnerInstallation) -> Iterator[str]:
    """Yield a broken invariant of the partner's records, with the place of its assertion: events, money, seats, integrity."""
    try:
        require_all(installation)
    except AssertionError as error:
        place = extract_tb(error.__traceback__)[-1]
        yield f"{place.name}, line {place.lineno}: {place.line} {str(error)[:500]}"


def _print_table(url: str, samples: Sequence[Sample], done: Counter[str], calls: Sequence[Call]) -> None:
    out = sys.stdout
    out.write(f"\n{url.split(':', maxsplit=1)[0]}\n\n")
    out.write(
        "| minute | answers | median ms | 99% ms | memory MB | files | database MB |\n|---|---|---|---|---|---|---|\n"
    )
    for one in samples:
        median, slow = one.milliseconds
        out.write(
            f"| {one.minute:.1f} | {one.calls} | {median:.0f} | {slow:.0f} | {one.memory_mb:.0f} | {one.files}"
            f" | {one.database_mb:.1f} |\n"
        )
    statuses = Counter(call.status for call in calls)
    out.write(
        "\nAnswers: " + ", ".join(f"{count} × {status}" for status, count in sorted(statuses.items())) + "\n"
    )
    out.write("Faults: " + ", ".join(f"{count} × {name}" for name, count in sorted(done.items())) + "\n")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


@contextmanager
def _databases(folder: Path, only: str) -> Iterator[list[str]]:
    with postgres_database() as server:
        urls = [f"sqlite:///{folder / 'soak.db'}", *([server] if server is not None else [])]
        yield [url for url in urls if url.startswith(only)]


def _main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="of load on each database (60)")
    parser.add_argument("--database", choices=("", "sqlite", "postgresql"), default="", help="one of the two")
    parser.add_argument("--seed", type=int, default=1, help="of what is killed when")
    arguments = parser.parse_args()
    found = 0
    with tempfile.TemporaryDirectory() as folder, _databases(Path(folder), arguments.database) as urls:
        for url in urls:
            own = Path(folder) / url.split(":")[0]
            own.mkdir()
            broken = _soak(url, own, arguments.minutes, arguments.seed)
            found += len(broken)
            sys.stdout.write("".join(f"BROKEN: {one}\n" for one in broken[:50]) or "Everything holds.\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(_main())
