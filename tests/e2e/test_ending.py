"""A server that is stopped, and the shared metrics and logs of two workers."""

import json
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.e2e.server import Server, gunicorn, our_worker_only

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


def predict_until_stopping(server: Server, key: str, stopping: Event) -> list[int]:
    """Request predictions until the server is about to stop, as a load balancer would; return the statuses."""
    results = []
    while not stopping.is_set():
        results.append(server.predict(key).status_code)
        if server.client.get("/readyz").status_code == 503:
            stopping.set()
    return results


@our_worker_only
def test_stopping_server_logs_it_first_and_loses_no_request(watched_server: Server) -> None:
    key = watched_server.visitor().secret_key
    stopping = Event()
    with ThreadPoolExecutor(8) as pool:
        clients = [pool.submit(predict_until_stopping, watched_server, key, stopping) for _ in range(8)]
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


def test_any_worker_reports_the_figures_of_all_and_every_request_is_in_the_log(
    watched_server: Server,
) -> None:
    key = watched_server.visitor().secret_key
    with ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(watched_server.predict, key) for _ in range(60)]
        assert {one.result().status_code for one in futures} == {200}
    fields = {count_predictions(watched_server) for _ in range(5)}
    assert fields == {60}
    lines = [json.loads(line) for line in watched_server.log.read_text().splitlines()]
    predictions = [line for line in lines if line.get("route") == "/api/v1/predict"]
    assert len(predictions) == 60
    assert {(one["method"], one["status"], one["caller"], one["environment"]) for one in predictions} == {
        ("POST", 200, "secret", "live")
    }


def count_predictions(server: Server) -> float:
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
    watched_server.process.send_signal(signal.SIGTTOU)  # one worker less, which gunicorn may log
    watched_server.client.get("/nowhere/1HGCM82633A004352?email=ada@example.org")
    log = watched_server.log.read_text()
    assert all(json.loads(line) for line in log.splitlines())
    assert "1HGCM82633A004352" not in log
    assert "ada@example.org" not in log
