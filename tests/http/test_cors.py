"""A browser may call the API only from the configured origins."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from tests.http.watched import serve_core

from repaircore.core import Core, build
from repaircore.settings import Settings
from repaircore_http import service


@pytest.fixture
def core(sqlite_url: str, tmp_path: Path) -> Iterator[Core]:
    built = build(
        Settings(database_url=sqlite_url, state_folder=tmp_path, cors_origins=("https://shop.example",))
    )
    yield built
    built.close()


@pytest.fixture
def client(core: Core) -> FlaskClient:
    return serve_core(core).test_client()


def test_configured_origin_is_allowed(client: FlaskClient) -> None:
    headers = {
        "Origin": "https://shop.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type",
    }
    answer = client.options("/api/v1/predict", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "https://shop.example"
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]
    assert "authorization" in answer.headers["Access-Control-Allow-Headers"]


PREFLIGHT = {
    "Origin": "https://shop.example",
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization, idempotency-key",
}


@pytest.mark.parametrize("path", ["/api/v1/partner/customers", "/api/v1/partner/sdk/sessions"])
def test_configured_origin_is_allowed_on_the_partner_platform(client: FlaskClient, path: str) -> None:
    answer = client.options(path, headers=PREFLIGHT)
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "https://shop.example"
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]
    assert "idempotency-key" in answer.headers["Access-Control-Allow-Headers"]


def test_only_a_preflight_of_a_known_address_is_not_counted(client: FlaskClient) -> None:
    remaining = [
        client.options(path, headers=headers).headers.get("X-RateLimit-Remaining")
        for path, headers in (
            ("/api/v1/partner/customers", PREFLIGHT),
            ("/api/v1/partner/nowhere", PREFLIGHT),
            ("/api/v1/partner/nowhere", {}),
        )
    ]
    assert remaining == [None, "99", "98"]


def test_options_without_a_preflight_is_anonymous(core: Core) -> None:
    # Not validated: the document has no OPTIONS operations.
    client = service.serve_core(core).test_client()
    answer = client.options("/api/v1/partner/customers")
    assert (answer.status_code, answer.headers["X-RateLimit-Remaining"]) == (401, "99")


def test_errors_are_readable_for_a_configured_origin(client: FlaskClient) -> None:
    answer = client.post("/api/v1/predict", headers={"Origin": "https://shop.example"})
    assert answer.status_code == 401
    assert answer.headers["Access-Control-Allow-Origin"] == "https://shop.example"


def test_another_origin_is_not_allowed(client: FlaskClient) -> None:
    answer = client.get("/healthz", headers={"Origin": "https://other.example"})
    assert "Access-Control-Allow-Origin" not in answer.headers
