"""The fast lane: the same answers as Flask's, failures reported by Flask, and hooks that always run."""

import json
from typing import Any

import pytest
from flask import Response
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.partners import PREFIX, PartnerApp
from tests.http.people import ASK, Keys, Person, bearer, person
from tests.http.rides import Maker, mobile, tow
from tests.http.watched import serve_core
from werkzeug.test import TestResponse, create_environ

from repaircore.core import Core
from repaircore.kernel.callers import PartnerCaller
from repaircore_http import service
from repaircore_http.app import create_app
from repaircore_http.fast_path.lane import fast_get
from repaircore_http.guards import Auth
from repaircore_http.partner import dialect
from repaircore_http.partner_auth import PartnerAuth
from repaircore_http.routes import Routes

PATH = "/api/v1/predict"
HUGE = json.dumps({**ASK, "padding": "x" * 1_100_000}).encode()
GOOD = json.dumps(ASK).encode()

REQUESTS: dict[str, dict[str, Any]] = {
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


def flask_client(core: Core) -> FlaskClient:
    app = serve_core(core)

    @app.after_request
    def keep_response(response: Response) -> Response:
        return response

    return app.test_client()


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("case", REQUESTS)
def test_fast_lane_answers_like_flask(
    core: Core, api: FlaskClient, keys: Keys, case: str, token: str
) -> None:
    credentials = {"key": keys.secret_key, "none": "", "wrong": "sk_live_" + "0" * 39, "malformed": "a b"}
    request = {
        "path": PATH,
        "method": "POST",
        "content_type": "application/json",
        "headers": {
            "X-Request-Id": "same",
            **(bearer(credentials[token]) if credentials[token] else {}),
        },
        **REQUESTS[case],
    }
    flask_client(core).open(PATH, method="POST", json=ASK, headers=bearer(keys.secret_key))
    fast, by_flask = api.open(**request), flask_client(core).open(**request)
    assert (fast.status, fast.data) == (by_flask.status, by_flask.data)
    assert sorted(fast.headers) == sorted(by_flask.headers)


def test_hooks_always_run(core: Core, keys: Keys) -> None:
    app, calls = serve_core(core), []
    client = app.test_client()
    assert client.post(PATH, json=ASK, headers=bearer(keys.secret_key)).status_code == 200

    @app.before_request
    def record_call() -> None:
        calls.append("before")

    assert client.post(PATH, json=ASK, headers=bearer(keys.secret_key)).status_code == 200
    assert calls == ["before"]


def test_failure_in_the_fast_lane_is_counted_once(open_core: OpenCore) -> None:
    client = serve_core(open_core(requests_per_minute=3)).test_client()
    key = person(client, "Bob").keys().secret_key
    statuses = [client.post(PATH, json=body, headers=bearer(key)).status_code for body in ({}, ASK, {}, ASK)]
    assert statuses == [422, 200, 422, 429]


def test_deleted_key_is_rejected_at_once(api: FlaskClient, ada: Person, keys: Keys) -> None:
    assert api.post(PATH, json=ASK, headers=bearer(keys.secret_key)).status_code == 200
    assert ada.delete(f"/api/v1/dashboard/keys/{keys.id}").status_code == 200
    assert api.post(PATH, json=ASK, headers=bearer(keys.secret_key)).status_code == 401


def test_price_adjustment_applies_at_once(core: Core, api: FlaskClient, keys: Keys) -> None:
    def price() -> float:
        answer = api.post(PATH, json=ASK, headers=bearer(keys.secret_key))
        payload: float = answer.get_json()["repair_breakdown"]["labor_rate"]
        return payload

    before = price()
    assert price() == before
    core.predictions.adjust_prices(100.0)
    assert price() == 2 * before


RIDE_PATHS = {
    "ride": "{ref}",
    "status": "{ref}/status",
    "unknown": "ride_01m8fgzr69ejgacknq7rr34th3",
    "a fixed address": "estimate-price",
    "upper case": "{REF}",
    "a query": "{ref}?page=1",
    "a slash behind": "{ref}/",
    "a NUL": "{ref}%00",
    "another part": "{ref}/nothing",
}
RIDE_TOKENS = ("session", "secret key", "another partner's", "none", "wrong", "malformed")


RIDE_REQUESTS = [*(("GET", path) for path in RIDE_PATHS.values()), ("HEAD", "{ref}")]


@pytest.mark.parametrize("token", RIDE_TOKENS)
def test_ride_in_the_fast_lane_is_like_flasks(
    core: Core, partner: PartnerApp, other_partner: PartnerApp, token: str
) -> None:
    credentials = {
        "session": partner.token,
        "secret key": partner.secret_key,
        "another partner's": other_partner.token,
        "none": "",
        "wrong": partner.token[:-4] + "AAAA",
        "malformed": "a b",
    }
    headers = bearer(credentials[token]) if credentials[token] else {}
    ref, flask = mobile.accepted(partner)["ref"], flask_client(core)
    for method, path in RIDE_REQUESTS:
        request: dict[str, Any] = {
            "path": f"{PREFIX}/mobile-rides/" + path.format(ref=ref, REF=ref.upper()),
            "method": method,
            "headers": {"X-Request-Id": "same", **headers},
        }
        fast, by_flask = partner.client.open(**request), flask.open(**request)

        assert (path, fast.status, fast.data) == (path, by_flask.status, by_flask.data)
        assert (method, path, _headers_without_window(fast)) == (
            method,
            path,
            _headers_without_window(by_flask),
        )
        if "X-RateLimit-Remaining" in fast.headers:  # each is counted once
            remaining = [int(each.headers["X-RateLimit-Remaining"]) for each in (fast, by_flask)]
            assert remaining[0] - remaining[1] == 1, path


def _headers_without_window(response: TestResponse) -> list[tuple[str, str]]:
    changing = {"X-RateLimit-Remaining", "X-RateLimit-Reset"}
    return sorted((name, "" if name in changing else value) for name, value in response.headers)


@pytest.mark.parametrize("rides", [mobile, tow], ids=["mobile", "tow"])
@pytest.mark.parametrize("part", ["", "/status"], ids=["ride", "status"])
def test_plain_ride_path_is_answered_without_flask(
    core: Core, partner: PartnerApp, rides: Maker, part: str
) -> None:
    lane = service.serve_core(core).fast_lane
    path = f"{rides.path}/{rides.pending(partner)['ref']}{part}"
    environ = create_environ(PREFIX + path, headers=bearer(partner.token))
    assert lane is not None

    assert lane.answer(environ, None) == partner.get(path).data


@pytest.mark.parametrize(("auth", "body"), [(Auth.PARTNER, b"thing_1"), (Auth.NONE, None), (Auth.KEY, None)])
def test_only_partner_reads_are_answered_without_flask(
    core: Core, partner: PartnerApp, auth: Auth, body: bytes | None
) -> None:
    things = Routes("things", auth=auth, url_prefix=f"{PREFIX if auth is Auth.PARTNER else '/api/v1'}/things")

    @fast_get(things, "/<thing>")
    def show(_served: Core, _partner: PartnerCaller, ref: str) -> bytes:
        return ref.encode()

    partner_auth = PartnerAuth(
        prefix=PREFIX,
        dialect=dialect.partner,
        authenticate=core.partner_sessions.authenticate,
        limits=core.limits,
    )
    app = create_app(
        core, authenticate=core.accounts.authenticate, blueprints=[things], partner_auth=partner_auth
    )
    assert app.fast_lane is not None
    environ = create_environ(f"{things.url_prefix}/thing_1", headers=bearer(partner.token))

    assert app.fast_lane.answer(environ, None) == body


def test_suspension_applies_in_the_fast_lane_at_once(core: Core, partner: PartnerApp) -> None:
    path = f"/mobile-rides/{mobile.pending(partner)['ref']}"
    assert partner.get(path).status_code == 200
    core.partners.suspend(partner.name)
    assert partner.get(path).status_code == 401
    core.partners.resume(partner.name)
    assert partner.get(path).status_code == 200


def test_rate_limit_applies_in_the_fast_lane(partner: PartnerApp) -> None:
    path = f"/mobile-rides/{mobile.pending(partner)['ref']}/status"
    remaining = int(partner.get(path).headers["X-RateLimit-Remaining"])
    statuses = [partner.get(path).status_code for _ in range(remaining + 2)]

    assert statuses == [200] * remaining + [429, 429]
    assert partner.get(path).get_json()["error"]["code"] == "RATE_LIMIT_EXCEEDED"
