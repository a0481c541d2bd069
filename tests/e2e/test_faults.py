"""Temporary faults: each lasts some seconds, no answer is a 500, nothing acknowledged is lost, and the server recovers.

A wrong clock (an hour, four days) is tested in process, where the clock is an argument (tests/http/test_partner_sessions.py,
tests/unit/limits/test_window.py, tests/adapters/delivery/test_delivering.py): a process cannot be given another clock from outside
without that of the whole machine, and a setting for it would be a way to misuse one.
"""

import os
import resource
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import httpx
import pytest
import sqlalchemy as sa
from attrs import Factory, define
from tests.conftest import SECRET_KEY
from tests.e2e.processes import PATIENCE, Installation, serving, until
from tests.own_servers import OwnRedis, own_postgres

from repaircore.core import build
from repaircore.settings import Settings

pytestmark = pytest.mark.long

FAULT_SECONDS: Final = 4.0
"""Duration of a fault in seconds."""
_UNAVAILABLE: Final = 503


@define
class Writer:
    """A client that creates one API key after the other, and records the answers."""

    client: httpx.Client
    headers: dict[str, str]
    over: threading.Event = Factory(threading.Event)
    acknowledged: list[int] = Factory(list)
    refused: list[httpx.Response] = Factory(list)

    def work(self) -> None:
        while not self.over.is_set():
            body = {"name": "shop", "environment": "live"}
            answer = self.client.post("/api/v1/dashboard/keys", json=body, headers=self.headers)
            if answer.status_code == httpx.codes.CREATED:
                self.acknowledged.append(answer.json()["data"]["id"])
            else:
                self.refused.append(answer)
                time.sleep(0.05)


Fault = Callable[[Installation, Settings], AbstractContextManager[None]]


@contextmanager
def stopped_worker(served: Installation, _settings: Settings) -> Iterator[None]:
    with _stopped(until(lambda: served.workers)[0]):
        yield


@contextmanager
def stopped_jobs(served: Installation, _settings: Settings) -> Iterator[None]:
    with _stopped(until(lambda: served.jobs)[0]):
        yield


@contextmanager
def stopped_master(served: Installation, _settings: Settings) -> Iterator[None]:
    with _stopped(served.master):
        yield


@contextmanager
def _stopped(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@contextmanager
def lock(_served: Installation, settings: Settings) -> Iterator[None]:
    """Lock what requests write: the SQLite file, or a PostgreSQL table."""
    url = sa.make_url(settings.database_url or "")
    if url.get_backend_name() == "sqlite":
        connection = sqlite3.connect(url.database or "", isolation_level=None, timeout=PATIENCE)
        try:
            connection.execute("BEGIN EXCLUSIVE")
            yield
            connection.execute("ROLLBACK")
        finally:
            connection.close()
        return
    with _engine(url) as engine, engine.begin() as locked:
        locked.execute(sa.text("LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE"))
        yield


@contextmanager
def full_disk(served: Installation, _settings: Settings) -> Iterator[None]:
    """Prevent the server's files from growing, as on a full disk."""
    before = {pid: resource.prlimit(pid, resource.RLIMIT_FSIZE) for pid in served.pids()}
    for pid, (_, most) in before.items():
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, most))
    try:
        yield
    finally:
        for pid, limits in before.items():
            resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)


@contextmanager
def lost_connections(_served: Installation, settings: Settings) -> Iterator[None]:
    """Close every connection to the database again and again, as restarts do."""
    url = sa.make_url(settings.database_url or "")
    cut = sa.text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    over = threading.Event()

    def work() -> None:
        with _engine(url) as engine:
            while not over.wait(0.2):
                with engine.begin() as connection:
                    connection.execute(cut)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def _engine(url: sa.URL) -> Iterator[sa.Engine]:
    engine = sa.create_engine(url)
    try:
        yield engine
    finally:
        engine.dispose()


def _cases() -> list[Any]:
    faults = {
        "sqlite": (stopped_worker, stopped_jobs, stopped_master, lock, full_disk),
        "postgres": (stopped_worker, lock, lost_connections),
    }
    return [
        pytest.param(
            database,
            fault,
            id=f"{database}-{fault.__name__}",
            marks=[pytest.mark.postgres] if database == "postgres" else [],
        )
        for database, each in faults.items()
        for fault in each
    ]


@pytest.mark.parametrize(("e2e_url", "fault"), _cases(), indirect=["e2e_url"])
def test_fault_that_passes_leaves_no_trace(e2e_url: str, tmp_path: Path, fault: Fault) -> None:
    require_recovery(e2e_url, tmp_path, fault)


def test_server_that_crashes_and_starts_again_leaves_no_trace(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    with own_postgres() as cluster:

        @contextmanager
        def crashed(_served: Installation, _settings: Settings) -> Iterator[None]:
            cluster.crash()
            try:
                yield
            finally:
                cluster.start()

        require_recovery(cluster.url, tmp_path, crashed)


@pytest.mark.parametrize("e2e_url", ["sqlite"], indirect=True)
def test_while_redis_is_lost_requests_are_counted_elsewhere_and_then_there_again(
    e2e_url: str, tmp_path: Path
) -> None:
    own = OwnRedis(tmp_path)
    own.start()
    try:

        @contextmanager
        def lost(served: Installation, _settings: Settings) -> Iterator[None]:
            with predicting(served) as readers:
                until(lambda: own.client().dbsize())
                own.stop()
                answered = len(readers)
                try:
                    yield
                    assert len(readers) > answered
                finally:
                    own.start()
                until(lambda: own.client().dbsize())
            assert set(readers) == {httpx.codes.OK}

        require_recovery(e2e_url, tmp_path, lost, REPAIRCORE_REDIS_URL=own.url)
    finally:
        own.stop()


@contextmanager
def predicting(served: Installation) -> Iterator[list[int]]:
    """Request a prediction again and again until the block ends; yield the growing list of statuses."""
    over = threading.Event()
    statuses: list[int] = []
    with httpx.Client(base_url=served.url, timeout=PATIENCE, trust_env=False) as client:
        body = {"name": "reader", "environment": "live"}
        created = client.post("/api/v1/dashboard/keys", json=body, headers=_account(client)).json()["data"]
        headers = {"Authorization": f"Bearer {created['secret_key']}"}
        car = {"vin": "1HGCM82633A004352", "zip_code": "90210", "problem_identifier": "brake-pads-front"}

        def work() -> None:
            while not over.wait(0.02):
                statuses.append(client.post("/api/v1/predict", json=car, headers=headers).status_code)

        thread = threading.Thread(target=work)
        thread.start()
        try:
            until(lambda: statuses)
            yield statuses
        finally:
            over.set()
            thread.join()


def require_recovery(url: str, folder: Path, fault: Fault, **more: str) -> None:
    """Write during a fault; assert that nothing acknowledged is lost, no answer is a 500, and the server recovers."""
    settings = Settings(database_url=url, secret_key=SECRET_KEY, state_folder=folder / "state")
    core = build(settings)
    core.upgrade()
    core.close()
    environment = {
        "REPAIRCORE_DATABASE_URL": url,
        "REPAIRCORE_SECRET_KEY": SECRET_KEY,
        "REPAIRCORE_STATE_FOLDER": str(settings.state_folder),
        "REPAIRCORE_REGISTRATIONS_PER_HOUR": "100000",
        "REPAIRCORE_REQUESTS_PER_MINUTE": "1000000",
        **more,
    }
    with (
        serving(folder, ["--workers", "2"], environment) as served,
        httpx.Client(base_url=served.url, timeout=PATIENCE, trust_env=False) as client,
    ):
        until(lambda: served.jobs)
        headers = _account(client)
        writers = [Writer(client, headers) for _ in range(3)]
        threads = [threading.Thread(target=writer.work) for writer in writers]
        for thread in threads:
            thread.start()
        until(lambda: all(writer.acknowledged for writer in writers))

        with fault(served, settings):
            time.sleep(FAULT_SECONDS)
        before = [len(writer.acknowledged) for writer in writers]
        until(
            lambda: all(
                len(writer.acknowledged) > count for writer, count in zip(writers, before, strict=True)
            )
        )
        for writer in writers:
            writer.over.set()
        for thread in threads:
            thread.join()
        refused = [answer for writer in writers for answer in writer.refused]

        assert {answer.status_code for answer in refused} <= {_UNAVAILABLE}, refused[0].text
        assert all("Retry-After" in answer.headers for answer in refused)
        assert client.get("/readyz").status_code == httpx.codes.OK
        assert "Traceback" not in served.log.read_text()
    acknowledged = {number for writer in writers for number in writer.acknowledged}
    assert acknowledged <= _stored(settings)


def _account(client: httpx.Client) -> dict[str, str]:
    person = {"name": "Writer", "email": f"{uuid4().hex}@example.org", "password": "correct horse"}
    token = client.post("/api/v1/auth/register", json=person).json()["data"]["session_token"]
    return {"Authorization": f"Bearer {token}"}


def _stored(settings: Settings) -> set[int]:
    core = build(settings)
    try:
        callers = [core.accounts.caller_for(user.email) for user in core.accounts.list_users()]
        return {key.id for caller in callers for key in core.accounts.list_keys(caller)}
    finally:
        core.close()
