"""The quick lane: the same answers as Flask gives, failures told by Flask, hooks never left out."""

import json
from typing import Any

import pytest
from flask import Response
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.people import ASK, Keys, Person, bearer, person
from tests.http.watched import serve_core

from repaircore.core import Core

PATH = "/api/v1/predict"
HUGE = json.dumps({**ASK, "padding": "x" * 1_100_000}).encode()
GOOD = json.dumps(ASK).encode()

ODD_REQUESTS: dict[str, dict[str, Any]] = {
    "good": {"data": GOOD},
    "no body": {},
    "not JSON": {"data": b"{"},
    "no object": {"data": b"[]"},
    "a key twice": {"data": b'{"vin": "a", "vin": "b"}'},
    "every field bad": {"data": b'{"vin": 5, "zip_code": "00000", "problem_identifier": "none"}'},
    "too large": {"data": HUGE},
    "another type": {"data": GOOD, "content_type": "text/plain"},
    "no such host": {"data": GOOD, "base_url": "http://a b/"},
    "unknown VIN": {"data": json.dumps({**ASK, "vin": "ZZZZZZZZZZZ"}).encode()},
    "GET": {"method": "GET"},
    "HEAD": {"method": "HEAD"},
    "OPTIONS": {"method": "OPTIONS"},
    "two slashes": {"path": "//api/v1/predict", "data": GOOD},
    "a slash behind": {"path": PATH + "/", "data": GOOD},
}
TOKENS = ("key", "none", "wrong", "malformed")


@pytest.fixture
def keys(ada: Person) -> Keys:
    return ada.keys("live")


def through_flask(core: Core) -> FlaskClient:
    app = serve_core(core)

    @app.after_request
    def unchanged(response: Response) -> Response:
        return response

    return app.test_client()


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("request_named", ODD_REQUESTS)
def test_quick_lane_answers_as_flask_does(
    core: Core, api: FlaskClient, keys: Keys, request_named: str, token: str
) -> None:
    credentials = {"key": keys.secret_key, "none": "", "wrong": "sk_live_" + "0" * 39, "malformed": "a b"}
    asked = {
        "path": PATH,
        "method": "POST",
        "content_type": "application/json",
        "headers": {
            "X-Request-Id": "same",
            **(bearer(credentials[token]) if credentials[token] else {}),
        },
        **ODD_REQUESTS[request_named],
    }
    through_flask(core).open(PATH, method="POST", json=ASK, headers=bearer(keys.secret_key))
    quick, plain = api.open(**asked), through_flask(core).open(**asked)
    assert (quick.status, quick.data) == (plain.status, plain.data)
    assert sorted(quick.headers) == sorted(plain.headers)


def test_hooks_are_never_left_out(core: Core, keys: Keys) -> None:
    app, seen = serve_core(core), []
    client = app.test_client()
    assert client.post(PATH, json=ASK, headers=bearer(keys.secret_key)).status_code == 200

    @app.before_request
    def note() -> None:
        seen.append("before")

    assert client.post(PATH, json=ASK, headers=bearer(keys.secret_key)).status_code == 200
    assert seen == ["before"]


def test_failure_in_the_quick_lane_is_counted_once(open_core: OpenCore) -> None:
    client = serve_core(open_core(requests_per_minute=3)).test_client()
    key = person(client, "Bob").keys().secret_key
    statuses = [client.post(PATH, json=body, headers=bearer(key)).status_code for body in ({}, ASK, {}, ASK)]
    assert statuses == [422, 200, 422, 429]


def test_removed_key_is_refused_at_once(api: FlaskClient, ada: Person, keys: Keys) -> None:
    assert api.post(PATH, json=ASK, headers=bearer(keys.secret_key)).status_code == 200
    assert ada.delete(f"/api/v1/dashboard/keys/{keys.id}").status_code == 200
    assert api.post(PATH, json=ASK, headers=bearer(keys.secret_key)).status_code == 401


def test_changed_price_adjustment_is_felt_at_once(core: Core, api: FlaskClient, keys: Keys) -> None:
    def price() -> float:
        answer = api.post(PATH, json=ASK, headers=bearer(keys.secret_key))
        payload: float = answer.get_json()["repair_breakdown"]["labor_rate"]
        return payload

    before = price()
    assert price() == before
    core.predictions.adjust_prices(100.0)
    assert price() == 2 * before
