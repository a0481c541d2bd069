"""One effect per idempotency key, across two workers and across a kill of all of them."""

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from tests.conftest import SECRET_KEY
from tests.e2e.processes import PATIENCE
from tests.e2e.server import Server, gunicorn
from tests.installations import core_of

from repaircore.adapters.sql.schema.partners import customers, idempotent_replies
from repaircore.adapters.sql.schema.webhooks import events

pytestmark = pytest.mark.long

PATH = "/api/v1/partner/customers"
TRIES, ROUNDS, WRITERS, ACKNOWLEDGED = 50, 3, 4, 40
_numbers = count()


def new_customer() -> dict[str, Any]:
    number = next(_numbers)
    fields = {"first_name": "Bo", "last_name": "Díaz", "email": f"bo{number}@example.org"}
    return {**fields, "phone": f"+1212555{number:04}"}


@pytest.fixture(scope="module")
def key(e2e_url: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    core = core_of(e2e_url, tmp_path_factory.mktemp("made"))
    created = core.partners.create("Roadside Inc", "test")
    core.close()
    return created.key.public_key


@contextmanager
def serving(url: str, folder: Path) -> Iterator[Server]:
    with gunicorn(
        folder / "log",
        DATABASE_URL=url,
        SECRET_KEY=SECRET_KEY,
        STATE_FOLDER=folder / "state",
        PARTNER_REQUESTS_PER_MINUTE_TEST=100_000,
    ) as server:
        yield server


def token_of(server: Server, key: str) -> str:
    answer = server.post("/api/v1/partner/sdk/sessions", {"public_key": key})
    token: str = answer.json()["data"]["session_token"]
    return token


def create(client: httpx.Client, token: str, key: str, body: dict[str, Any]) -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": key}
    return client.post(PATH, json=body, headers=headers)


def count_rows(url: str, table: sa.Table) -> int:
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        found = connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
    engine.dispose()
    return int(found)


def test_fifty_at_once_with_one_key_have_one_effect_and_one_answer(
    e2e_url: str, key: str, tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    with serving(e2e_url, tmp_path) as server:
        token = token_of(server, key)
        for number in range(ROUNDS):
            before = count_rows(e2e_url, customers), count_rows(e2e_url, events)
            body = new_customer()
            futures = [
                pool.submit(create, server.client, token, f"at once {number}", body) for _ in range(TRIES)
            ]
            answers = [one.result() for one in futures]
            assert [one.status_code for one in answers] == [201] * TRIES
            assert len({one.content for one in answers}) == 1
            assert sum("Idempotent-Replayed" not in one.headers for one in answers) == 1
            assert (count_rows(e2e_url, customers), count_rows(e2e_url, events)) == (
                before[0] + 1,
                before[1] + 1,
            )


class Writer:
    """A partner's application that records its requests and their answers by idempotency key."""

    def __init__(self, name: int) -> None:
        self.name = name
        self.requests: dict[str, dict[str, Any]] = {}
        self.answers: dict[str, bytes] = {}

    def work(self, client: httpx.Client, token: str, acknowledged: threading.Semaphore) -> None:
        try:
            while True:
                key = f"writer {self.name}, request {len(self.requests)}"
                self.requests[key] = new_customer()
                answer = create(client, token, key, self.requests[key])
                assert answer.status_code == 201, answer.text
                self.answers[key] = answer.content
                acknowledged.release()
        except httpx.TransportError:
            return


def test_kill_leaves_effect_and_answer_or_neither(e2e_url: str, key: str, tmp_path: Path) -> None:
    before = count_rows(e2e_url, customers), count_rows(e2e_url, events)
    writers = [Writer(number) for number in range(WRITERS)]
    _write_until_killed(e2e_url, key, tmp_path, writers)
    with serving(e2e_url, tmp_path) as server:
        token = token_of(server, key)
        for writer in writers:
            for name, body in writer.requests.items():
                again = create(server.client, token, name, body)
                # If the effect were stored without its answer, the customer would be found: 200.
                assert again.status_code == 201, again.text
                if name in writer.answers:
                    assert (again.content, again.headers["Idempotent-Replayed"]) == (
                        writer.answers[name],
                        "true",
                    )
    requests = sum(len(writer.requests) for writer in writers)
    assert requests > sum(len(writer.answers) for writer in writers), "no request was interrupted"
    assert count_rows(e2e_url, customers) - before[0] == count_rows(e2e_url, events) - before[1] == requests
    assert count_rows(e2e_url, idempotent_replies) >= requests


def _write_until_killed(url: str, key: str, folder: Path, writers: list[Writer]) -> None:
    acknowledged = threading.Semaphore(0)
    with serving(url, folder) as server:
        token = token_of(server, key)
        client = httpx.Client(base_url=server.client.base_url, timeout=PATIENCE, trust_env=False)
        threads = [threading.Thread(target=one.work, args=(client, token, acknowledged)) for one in writers]
        for thread in threads:
            thread.start()
        for _ in range(ACKNOWLEDGED):
            assert acknowledged.acquire(timeout=PATIENCE), server.log.read_text()
        for process in [server.process.pid, *server.workers]:
            os.kill(process, signal.SIGKILL)
    # The listener is closed, so waiting clients get an error.
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    client.close()
