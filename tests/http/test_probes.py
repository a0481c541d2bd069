"""Liveness and readiness."""

from datetime import UTC, datetime
from pathlib import Path

from flask.testing import FlaskClient
from tests.http.shape import shaped
from tests.http.watched import serve_core

from repaircore.core import Core, build
from repaircore.settings import Settings
from repaircore.testing.clock import FrozenClock


def test_installation_on_a_migrated_database_is_ready(api: FlaskClient, clock: FrozenClock) -> None:
    clock.now = datetime.now(UTC)  # readiness compares the clock with PostgreSQL's
    for path in ("/healthz", "/readyz"):
        answer = api.get(path)
        assert (answer.status_code, answer.json) == (200, {"status": "ok"})
        assert answer.headers["Cache-Control"] == "no-store"


def test_process_is_up_but_not_ready_without_a_database(tmp_path: Path) -> None:
    nowhere = "postgresql+psycopg://nobody@127.0.0.1:1/nothing"
    core = build(Settings(database_url=nowhere, state_folder=tmp_path, secret_key="s" * 32))
    api = serve_core(core).test_client()
    assert api.get("/healthz").status_code == 200
    answer = api.get("/readyz")
    assert answer.status_code == 503
    assert shaped({"status": "unavailable", "problems": [str]}, answer.json)
    assert "127.0.0.1" not in answer.text
    core.close()


def test_older_schema_is_not_ready(core: Core, api: FlaskClient) -> None:
    core.storage.downgrade("base")
    try:
        answer = api.get("/readyz")
        assert answer.status_code == 503
        assert "repaircore db upgrade" in answer.get_json()["problems"][0]
    finally:
        core.upgrade()
    assert api.get("/readyz").status_code == 200


def test_older_edition_of_the_repair_book_is_not_ready(core: Core, api: FlaskClient) -> None:
    with core.storage.transaction() as unit:
        unit.settings.set("book_edition", "older")
    answer = api.get("/readyz")
    assert answer.status_code == 503
    assert "repair book is at edition older" in answer.get_json()["problems"][0]
    core.upgrade()
    assert api.get("/readyz").status_code == 200


def test_answer_has_the_callers_request_id(api: FlaskClient) -> None:
    assert api.get("/healthz", headers={"X-Request-Id": "mine-1"}).headers["X-Request-Id"] == "mine-1"
    ids = [api.get("/healthz", headers={"X-Request-Id": "a b"}).headers["X-Request-Id"] for _ in range(2)]
    assert "a b" not in ids
    assert len(set(ids)) == 2
