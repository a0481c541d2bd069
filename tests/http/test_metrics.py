"""Metrics for Prometheus: what is counted, and who may see it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families
from tests.conftest import OpenCore
from tests.http.partners import partner_app
from tests.http.people import ASK, bearer, person

from repaircore.core import Core, build
from repaircore.settings import Settings
from repaircore_http.service import serve_core

TOKEN = "m" * 32
VIN = "1HGCM82633A004352"


@pytest.fixture
def with_metrics(open_core: OpenCore) -> Core:
    return open_core(metrics=True)


@pytest.fixture
def client(with_metrics: Core) -> FlaskClient:
    return serve_core(with_metrics).test_client()


def figures(client: FlaskClient, **headers: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    answer = client.get("/metrics", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def figure(client: FlaskClient, name: str, **labels: str) -> float | None:
    return figures(client).get((f"repaircore_{name}", frozenset(labels.items())))


def test_metrics_are_not_found_unless_enabled(api: FlaskClient) -> None:
    nowhere = api.get("/nowhere")
    answer = api.get("/metrics")
    assert (answer.status_code, answer.json) == (404, nowhere.json)


def test_requests_are_counted_by_route_method_and_status_not_by_path(client: FlaskClient) -> None:
    ada = person(client, "Ada")
    for path in (
        f"/api/v1/fleet/vehicles/{VIN}/health",
        f"/api/v1/fleet/vehicles/{VIN[:16]}3/health",
        f"/{VIN}",
        "/nowhere/2",
    ):
        client.get(path, headers=bearer(ada.token))
    client.open("/healthz", method="BREW")
    result = figures(client)
    assert not any(VIN[:16] in str(labels) or "/2" in str(labels) for _, labels in result)

    def count(**labels: str) -> float | None:
        return result.get(("repaircore_requests_total", frozenset(labels.items())))

    assert count(method="GET", route="unknown", status="404") == 2
    assert count(method="other", route="unknown", status="405") == 1
    timed = {"method": "GET", "route": "/api/v1/fleet/vehicles/<vin>/health"}
    assert result["repaircore_request_seconds_count", frozenset(timed.items())] == 2


def test_fast_lane_and_console_requests_are_counted(client: FlaskClient) -> None:
    key = person(client, "Ada").keys("live").secret_key
    for _ in range(3):
        assert client.post("/api/v1/predict", json=ASK, headers=bearer(key)).status_code == 200
    client.post("/api/v1/predict", json={}, headers=bearer(key))
    client.get("/console/login")
    fields = {"method": "POST", "route": "/api/v1/predict"}
    assert figure(client, "requests_total", **fields, status="200") == 3
    assert figure(client, "requests_total", **fields, status="422") == 1
    assert figure(client, "requests_total", method="GET", route="/console/login", status="200") == 1
    assert figure(client, "predictions_total", source="fresh", environment="live") == 1
    assert figure(client, "predictions_total", source="cached", environment="live") == 2


def test_limited_requests_and_failed_logins_are_counted_by_status(open_core: OpenCore) -> None:
    client = serve_core(open_core(metrics=True, requests_per_minute=1)).test_client()
    ada = person(client, "Ada")
    for _ in range(2):
        client.get("/api/user", headers=bearer(ada.token))
    wrong = {"email": "ada@example.org", "password": "wrong horse"}
    client.post("/api/v1/auth/login", json=wrong)
    result = figures(client)
    labels = {"method": "GET", "route": "/api/user", "status": "429"}
    assert result["repaircore_requests_total", frozenset(labels.items())] >= 1
    labels = {"method": "POST", "route": "/api/v1/auth/login", "status": "401"}
    assert result["repaircore_requests_total", frozenset(labels.items())] == 1


def test_idempotent_replay_is_counted(with_metrics: Core, client: FlaskClient) -> None:
    partner = partner_app(client, with_metrics)
    customer = {
        "first_name": "Bo",
        "last_name": "Lee",
        "email": "bo@example.org",
        "phone": "+1 310 555 0199",
        "country_code": "US",
    }
    assert partner.post("/customers", customer, key="one").status_code == 201
    assert partner.post("/customers", customer, key="one").headers["Idempotent-Replayed"] == "true"
    assert figure(client, "idempotent_replays_total", route="/api/v1/partner/customers") == 1


def test_queues_are_reported_as_they_are(client: FlaskClient) -> None:
    for name in (
        "webhook_deliveries_pending",
        "webhook_deliveries_due",
        "webhook_lag_seconds",
        "payments_under_way",
    ):
        assert figure(client, name) == 0
    for channel in ("email", "sms", "webhook"):
        assert figure(client, "messages_pending", channel=channel) == 0
    assert figure(client, "database_up") == 1


def test_unavailable_database_is_a_figure_not_an_error(tmp_path: Path) -> None:
    nowhere = "postgresql+psycopg://nobody@127.0.0.1:1/nothing"
    core = build(Settings(database_url=nowhere, state_folder=tmp_path, secret_key="s" * 32, metrics=True))
    assert figure(serve_core(core).test_client(), "database_up") == 0
    core.close()


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-Ip", "Via"])
def test_metrics_without_a_token_are_only_for_this_machine(client: FlaskClient, header: str) -> None:
    assert client.get("/metrics").status_code == 200
    others = client.get("/metrics", environ_overrides={"REMOTE_ADDR": "203.0.113.9"})
    nowhere = client.get("/nowhere")
    assert (others.status_code, others.json) == (404, nowhere.json)
    assert client.get("/metrics", headers={header: "127.0.0.1"}).status_code == 404
    assert client.get("/metrics", environ_overrides={"REMOTE_ADDR": "::1"}).status_code == 200
    assert client.get("/metrics", environ_overrides={"REMOTE_ADDR": ""}).status_code == 404


@pytest.fixture
def with_token(open_core: OpenCore) -> Iterator[FlaskClient]:
    with serve_core(open_core(metrics=True, metrics_token=TOKEN)).test_client() as client:
        yield client


@pytest.mark.parametrize("authorization", ["", "Bearer", "Bearer " + "n" * 32, f"Basic {TOKEN}", "Bearer é"])
def test_metrics_with_a_token_require_it(with_token: FlaskClient, authorization: str) -> None:
    answer = with_token.get("/metrics", headers={"Authorization": authorization} if authorization else {})
    assert (answer.status_code, answer.json) == (401, {"message": "Unauthenticated."})


def test_metrics_with_a_token_are_served_to_any_address(with_token: FlaskClient) -> None:
    far = {"REMOTE_ADDR": "203.0.113.9"}
    assert with_token.get("/metrics", headers=bearer(TOKEN), environ_overrides=far).status_code == 200
