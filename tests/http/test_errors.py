import logging
import re

import pytest
from flask.testing import FlaskClient


@pytest.mark.parametrize("area", ["/flat", "/flags"])
@pytest.mark.parametrize(
    ("kind", "status", "body"),
    [
        ("unauthenticated", 401, {"message": "These credentials do not match our records."}),
        ("conflict", 409, {"message": "Others refer to it."}),
        (
            "invalid",
            422,
            {
                "message": "First. (and 2 more errors)",
                "errors": {"a.0.b": ["First.", "Second."], "c": ["Third."]},
            },
        ),
        ("unresolvable", 422, {"success": False, "message": "No VIN in that image."}),
        ("many", 429, {"message": "Too Many Attempts."}),
        (
            "silent",
            503,
            {
                "success": False,
                "message": "The source is not responding.",
                "error_code": "RECALL_SOURCE_UNAVAILABLE",
            },
        ),
        ("down", 503, {"success": False, "message": "Nothing answers.", "error_code": "SERVICE_UNAVAILABLE"}),
    ],
)
def test_each_kind_of_failure_has_its_body(
    client: FlaskClient, area: str, kind: str, status: int, body: dict[str, object]
) -> None:
    answer = client.post(f"{area}/fail/{kind}")
    assert (answer.status_code, answer.json) == (status, body)


def test_not_found_uses_the_dialect_of_its_blueprint(client: FlaskClient) -> None:
    assert client.post("/flat/fail/vehicle").json == {"message": "No such vehicle."}
    assert client.post("/flags/fail/record").json == {"success": False, "message": "No such record."}
    assert client.post("/flags/fail/vehicle").json == {
        "success": False,
        "message": "No such vehicle.",
        "error_code": "VEHICLE_NOT_FOUND",
    }


def test_area_may_have_its_own_bodies_and_statuses(client: FlaskClient) -> None:
    answer = client.post("/flags/partner/fail/invalid")
    assert answer.status_code == 400
    assert answer.json == {
        "error": {
            "message": "First. (and 2 more errors)",
            "code": "E400",
            "details": {"a.0.b": ["First.", "Second."], "c": ["Third."]},
        }
    }


def test_unknown_addresses_use_the_dialect_of_their_path(client: FlaskClient) -> None:
    for path, body in (
        ("/nowhere", {"message": "Not Found."}),
        ("/flat/nowhere", {"message": "Not Found."}),
        ("/flags/nowhere", {"success": False, "message": "Not Found."}),
        ("/flagship", {"message": "Not Found."}),
        ("/flags/partner", {"error": {"message": "Not Found.", "code": "E404", "details": {}}}),
        ("/flat//ask", {"message": "Not Found."}),
        ("/flat/ask/", {"message": "Not Found."}),
    ):
        answer = client.post(path)
        assert (answer.status_code, answer.json) == (404, body)


def test_wrong_method_lists_the_allowed_ones(client: FlaskClient) -> None:
    answer = client.put("/flat/ask")
    assert answer.status_code == 405
    assert answer.json == {"message": "This URL does not support that method."}
    assert {method.strip() for method in answer.headers["Allow"].split(",")} == {"OPTIONS", "POST"}
    result = client.delete("/flags/partner/ask")
    assert result.status_code == 405
    assert result.json is not None
    assert result.json["error"]["code"] == "E405"
    assert "Allow" in result.headers


def test_rate_limit_says_when_to_retry(client: FlaskClient) -> None:
    assert client.post("/flat/fail/many").headers["Retry-After"] == "17"
    assert client.post("/flags/partner/fail/many").headers["Retry-After"] == "17"


@pytest.mark.parametrize("kind", ["bug", "odd"])
def test_unexpected_error_is_logged_and_shows_only_the_request_id(
    client: FlaskClient, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    with caplog.at_level(logging.ERROR):
        answer = client.post(f"/flat/fail/{kind}", headers={"X-Request-Id": "mine-1"})
    assert answer.status_code == 500
    assert answer.json == {
        "success": False,
        "message": "Something went wrong on our side.",
        "error_details": "mine-1",
    }
    [record] = [record for record in caplog.records if record.name == "repaircore.http"]
    assert "mine-1" in record.getMessage()
    assert record.exc_info is not None


def test_failing_hook_is_reported_like_any_failure(client: FlaskClient) -> None:
    def fail(_: object) -> None:
        msg = "a trace that nobody should see"
        raise RuntimeError(msg)

    client.application.after_request(fail)
    answer = client.get("/plain/values")
    assert answer.status_code == 500
    assert "trace" not in answer.text


def test_every_response_has_the_id_of_its_request(client: FlaskClient) -> None:
    for path in ("/plain/values", "/nowhere", "/healthz"):
        assert re.fullmatch(r"[0-9a-f]{16}", client.get(path).headers["X-Request-Id"])
        assert client.get(path, headers={"X-Request-Id": "a.B_c-9"}).headers["X-Request-Id"] == "a.B_c-9"


@pytest.mark.parametrize("request_id", ["", "a b", "x" * 129, "<script>", "é"])
def test_invalid_request_id_is_replaced(client: FlaskClient, request_id: str) -> None:
    replaced = client.get("/healthz", headers={"X-Request-Id": request_id}).headers["X-Request-Id"]
    assert re.fullmatch(r"[0-9a-f]{16}", replaced)


def test_every_response_has_the_security_headers(client: FlaskClient) -> None:
    for path in ("/plain/values", "/nowhere"):
        headers = client.get(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-store"
    assert client.get("/plain/kept").headers.getlist("Cache-Control") == ["max-age=60"]
