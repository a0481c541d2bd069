"""A server that is told to end, and what two workers tell of themselves together."""

import json
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.e2e.server import Server, gunicorn, of_our_worker

pytestmark = pytest.mark.long

_DRAIN = 3


@pytest.fixture
def watched_server(tmp_path: Path) -> Iterator[Server]:
    with gunicorn(
        tmp_path / "log",
        drain=_DRAIN,
        DATABASE_URL=f"sqlite:///{tmp_path / 'repaircore.db'}",
        DRAIN_SECONDS=_DRAIN,
        METRICS="on",
        ACCESS_LOG="on",
        REQUESTS_PER_MINUTE=1_000_000,
    ) as server:
        yield server


def asking(server: Server, key: str, over: Event) -> list[int]:
    """Ask until the server says that it is about to end, as a balancer would have it; give every status."""
    results = []
    while not over.is_set():
        results.append(server.predict(key).status_code)
        if server.client.get("/readyz").status_code == 503:
            over.set()
    return results


@of_our_worker
def test_server_that_is_told_to_end_says_so_first_and_loses_no_request(watched_server: Server) -> None:
    key = watched_server.visitor().secret_key
    over = Event()
    with ThreadPoolExecutor(8) as pool:
        clients = [pool.submit(asking, watched_server, key, over) for _ in range(8)]
        assert watched_server.predict(key).status_code == 200
        watched_server.process.send_signal(signal.SIGTERM)
        statuses = [status for client in clients for status in client.result(60)]
    assert len(statuses) >= 8
    assert set(statuses) == {200}
    answer = watched_server.client.get("/readyz")
    assert (answer.status_code, answer.json()) == (
        503,
        {"status": "unavailable", "problems": ["This server is about to stop."]},
    )
    assert watched_server.process.wait(30) == 0


def test_figures_of_all_workers_are_told_by_any_and_every_request_is_in_the_log(
    watched_server: Server,
) -> None:
    key = watched_server.visitor().secret_key
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(watched_server.predict, key) for _ in range(60)]
        assert {one.result().status_code for one in asked} == {200}
    fields = {counted(watched_server) for _ in range(5)}
    assert fields == {60}
    lines = [json.loads(line) for line in watched_server.log.read_text().splitlines()]
    predictions = [line for line in lines if line.get("route") == "/api/v1/predict"]
    assert len(predictions) == 60
    assert {(one["method"], one["status"], one["caller"], one["environment"]) for one in predictions} == {
        ("POST", 200, "secret", "live")
    }


def counted(server: Server) -> float:
    answer = server.client.get("/metrics")
    return sum(
        sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
        if sample.name == "repaircore_requests_total" and sample.labels["route"] == "/api/v1/predict"
    )


def test_what_gunicorn_tells_of_odd_requests_is_json_too(watched_server: Server) -> None:
    for worker in watched_server.workers:
        assert worker > 0
    watched_server.process.send_signal(signal.SIGTTOU)  # one worker less, which gunicorn may tell of
    watched_server.client.get("/nowhere/1HGCM82633A004352?email=ada@example.org")
    log = watched_server.log.read_text()
    assert all(json.loads(line) for line in log.splitlines())
    assert "1HGCM82633A004352" not in log
    assert "ada@example.org" not in log
