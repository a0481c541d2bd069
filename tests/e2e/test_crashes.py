"""The whole server is killed while admins write: nothing acknowledged is lost or half done.

Twice for each database; ``nox -s crashes`` does it fifty times (REPAIRCORE_TEST_CRASHES).
"""

import os
import random
import signal
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Final

import httpx
import pytest
import sqlalchemy as sa
from tests.conftest import SECRET_KEY
from tests.e2e.ledger import StoredState, Writer
from tests.e2e.processes import PATIENCE
from tests.e2e.server import Server, gunicorn
from tests.installations import VIN, core_of, discrepancies

from repaircore.kernel.callers import Role

pytestmark = pytest.mark.long

CRASHES: Final = int(os.environ.get("REPAIRCORE_TEST_CRASHES", "2"))
WRITERS: Final = 4


@pytest.fixture(scope="module")
def writers(e2e_url: str, tmp_path_factory: pytest.TempPathFactory) -> list[Writer]:
    core = core_of(e2e_url, tmp_path_factory.mktemp("made"))
    core.accounts.create_user(name="Boss", email="boss@example.org", password="correct horse")
    core.accounts.set_role("boss@example.org", Role.ADMIN)
    caller = core.accounts.caller_for("boss@example.org")
    invoice = {
        "vehicle_id": str(core.vehicles.resolve(VIN).id),
        "problem_id": core.problems.get("brake-pads-front").id,
        "performed_on": "2026-05-04",
        "labor_rate": 120.5,
        "parts": [{"name": "Pads", "unit_price": 61.25, "quantity": 2}],
    }
    keys = [core.accounts.create_key(name="boss", environment="live", caller=caller) for _ in range(WRITERS)]
    core.close()
    return [Writer(number, key.secret_key, invoice) for number, key in enumerate(keys)]


@pytest.mark.parametrize("crash", range(CRASHES))
def test_what_was_acknowledged_is_there_after_a_kill(
    e2e_url: str, writers: list[Writer], tmp_path: Path, crash: int
) -> None:
    before = StoredState.read(e2e_url)
    moment = random.Random(crash).randint(10, 100)  # noqa: S311 - no secret
    _write_until_killed(e2e_url, writers, tmp_path, after=moment)
    _wait_for_sessions_to_close(e2e_url)
    found = StoredState.read(e2e_url)
    assert found.differences(writers, before) == []
    assert discrepancies(e2e_url) == []
    assert _integrity(e2e_url) == "ok"
    found.adopt(writers)


def _write_until_killed(url: str, writers: list[Writer], folder: Path, *, after: int) -> None:
    acknowledged = threading.Semaphore(0)
    with gunicorn(
        folder / "log",
        DATABASE_URL=url,
        SECRET_KEY=SECRET_KEY,
        STATE_FOLDER=folder / "state",
        REQUESTS_PER_MINUTE=1_000_000,
    ) as server:
        client = httpx.Client(base_url=server.client.base_url, timeout=PATIENCE, trust_env=False)
        threads = [
            threading.Thread(target=writer.work, args=(client, acknowledged.release)) for writer in writers
        ]
        for thread in threads:
            thread.start()
        for _ in range(after):
            assert acknowledged.acquire(timeout=PATIENCE), server.log.read_text()
        _kill(server)
    # The listener is closed, so waiting clients get an error.
    for thread in threads:
        thread.join(PATIENCE)
    client.close()
    assert all(writer.acknowledged.unanswered is not None for writer in writers), (
        "a writer stopped before the kill"
    )


def _kill(server: Server) -> None:
    for process in [server.process.pid, *server.workers]:
        os.kill(process, signal.SIGKILL)


def _wait_for_sessions_to_close(url: str) -> None:
    """Wait until PostgreSQL has closed the killed server's sessions, which may still execute the last requests."""
    if url.startswith("sqlite"):
        return
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    others = sa.text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    with engine.connect() as connection:
        while connection.execute(others).scalar_one():
            pass
    engine.dispose()


def _integrity(url: str) -> str:
    if not url.startswith("sqlite"):
        return "ok"
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        result: str = connection.execute("PRAGMA integrity_check").fetchone()[0]
        return result
