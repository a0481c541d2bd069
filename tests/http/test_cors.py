"""A browser may call the API from the origins that the operator names, and from no others."""

from pathlib import Path

import pytest
from flask.testing import FlaskClient
from tests.http.watched import serve_core

from repaircore.bootstrap import build
from repaircore.settings import Settings


@pytest.fixture
def client(sqlite_url: str, tmp_path: Path) -> FlaskClient:
    settings = Settings(
        database_url=sqlite_url, state_folder=tmp_path, cors_origins=("https://shop.example",)
    )
    return serve_core(build(settings)).test_client()


def test_a_named_origin_may_ask(client: FlaskClient) -> None:
    asked = {
        "Origin": "https://shop.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type",
    }
    answer = client.options("/api/v1/predict", headers=asked)
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "https://shop.example"
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]
    assert "authorization" in answer.headers["Access-Control-Allow-Headers"]


def test_errors_are_readable_for_a_named_origin(client: FlaskClient) -> None:
    answer = client.post("/api/v1/predict", headers={"Origin": "https://shop.example"})
    assert answer.status_code == 401
    assert answer.headers["Access-Control-Allow-Origin"] == "https://shop.example"


def test_another_origin_may_not(client: FlaskClient) -> None:
    answer = client.get("/healthz", headers={"Origin": "https://other.example"})
    assert "Access-Control-Allow-Origin" not in answer.headers
