"""The quick lane: the same answers as Flask gives, failures told by Flask, hooks never left out."""

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
def test_ride_in_the_quick_lane_is_as_by_flask(
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
    ref, by_flask = mobile.accepted(partner)["ref"], through_flask(core)
    for method, path in RIDE_REQUESTS:
        asked: dict[str, Any] = {
            "path": f"{PREFIX}/mobile-rides/" + path.format(ref=ref, REF=ref.upper()),
            "method": method,
            "headers": {"X-Request-Id": "same", **headers},
        }
        quick, plain = partner.client.open(**asked), by_flask.open(**asked)

        assert (path, quick.status, quick.data) == (path, plain.status, plain.data)
        assert (method, path, _but_window(quick)) == (method, path, _but_window(plain))
        if "X-RateLimit-Remaining" in quick.headers:  # each is counted once
            left = [int(each.headers["X-RateLimit-Remaining"]) for each in (quick, plain)]
            assert left[0] - left[1] == 1, path


def _but_window(response: TestResponse) -> list[tuple[str, str]]:
    changing = {"X-RateLimit-Remaining", "X-RateLimit-Reset"}
    return sorted((name, "" if name in changing else value) for name, value in response.headers)


@pytest.mark.parametrize("rides", [mobile, tow], ids=["mobile", "tow"])
@pytest.mark.parametrize("part", ["", "/status"], ids=["ride", "status"])
def test_plain_address_of_a_ride_is_answered_without_flask(
    core: Core, partner: PartnerApp, rides: Maker, part: str
) -> None:
    lane = service.serve_core(core).fast_lane
    path = f"{rides.path}/{rides.pending(partner)['ref']}{part}"
    asked = create_environ(PREFIX + path, headers=bearer(partner.token))
    assert lane is not None

    assert lane.answer(asked, None) == partner.get(path).data


@pytest.mark.parametrize(("auth", "body"), [(Auth.PARTNER, b"thing_1"), (Auth.NONE, None), (Auth.KEY, None)])
def test_only_reads_with_a_partners_credential_are_answered_without_flask(
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
    asked = create_environ(f"{things.url_prefix}/thing_1", headers=bearer(partner.token))

    assert app.fast_lane.answer(asked, None) == body


def test_suspension_ends_the_quick_lane_at_once(core: Core, partner: PartnerApp) -> None:
    path = f"/mobile-rides/{mobile.pending(partner)['ref']}"
    assert partner.get(path).status_code == 200
    core.partners.suspend(partner.name)
    assert partner.get(path).status_code == 401
    core.partners.resume(partner.name)
    assert partner.get(path).status_code == 200


def test_last_request_of_a_minute_is_the_last_in_the_quick_lane(partner: PartnerApp) -> None:
    path = f"/mobile-rides/{mobile.pending(partner)['ref']}/status"
    left = int(partner.get(path).headers["X-RateLimit-Remaining"])
    statuses = [partner.get(path).status_code for _ in range(left + 2)]

    assert statuses == [200] * left + [429, 429]
    assert partner.get(path).get_json()["error"]["code"] == "RATE_LIMIT_EXCEEDED"
