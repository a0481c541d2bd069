"""Sessions of partners over HTTP, and the auth and rate limits of their platform."""

from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.partners import PREFIX, PartnerApp, partner_app
from tests.http.people import Person, bearer

from repaircore.core import Core
from repaircore.testing.clock import FrozenClock
from repaircore_http.service import serve_core

SESSIONS = f"{PREFIX}/sdk/sessions"
NOWHERE = f"{PREFIX}/nowhere"


def error_body(message: str, code: str, details: dict[str, object] | None = None) -> dict[str, object]:
    return {"error": {"message": message, "code": code, "details": details or {}}}


def test_sessions_last_fifteen_minutes(api: FlaskClient, partner: PartnerApp) -> None:
    answer = api.post(SESSIONS, json={"public_key": partner.public_key})
    data = answer.get_json()["data"]

    assert answer.status_code == 201
    assert data == {
        "session_token": data["session_token"],
        "token_type": "Bearer",
        "expires_in": 900,
        "expires_at": "2026-01-02T03:19:05Z",
        "environment": "test",
    }


def test_sessions_have_the_environment_of_their_key(
    api: FlaskClient, partner: PartnerApp, live_partner: PartnerApp
) -> None:
    assert live_partner.id == partner.id
    data = api.post(SESSIONS, json={"public_key": live_partner.public_key}).get_json()["data"]

    assert data["environment"] == "live"


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, {"public_key"}),
        ({"public_key": 5, "sdk_version": "one"}, {"public_key", "sdk_version"}),
        ({"public_key": "", "sdk_version": None}, {"public_key"}),
        ({"public_key": "psk_test_anything"}, {"public_key"}),
    ],
)
def test_sessions_report_every_bad_field(api: FlaskClient, body: dict[str, object], fields: set[str]) -> None:
    answer = api.post(SESSIONS, json=body)
    error = answer.get_json()["error"]

    assert (answer.status_code, error["code"], set(error["details"])) == (400, "INVALID_REQUEST", fields)


def test_sessions_reject_an_unknown_key(api: FlaskClient, partner: PartnerApp) -> None:
    mistyped = partner.public_key[:-1] + ("0" if partner.public_key[-1] != "0" else "1")
    for key in ("ppk_test_", mistyped, "pk_test_" + "0" * 39):
        answer = api.post(SESSIONS, json={"public_key": key})
        error = error_body("The public key is unknown or was revoked.", "INVALID_TOKEN")
        assert (answer.status_code, answer.get_json()) == (401, error)


def test_sessions_reject_a_rotated_key_after_the_overlap(
    api: FlaskClient, core: Core, clock: FrozenClock, partner: PartnerApp
) -> None:
    second = core.partners.rotate_keys(partner.name, "test", overlap=timedelta(hours=1)).key.public_key

    assert [
        api.post(SESSIONS, json={"public_key": key}).status_code for key in (partner.public_key, second)
    ] == [
        201,
        201,
    ]
    clock.advance(timedelta(hours=1))
    third = core.partners.rotate_keys(partner.name, "test").key.public_key
    statuses = [
        api.post(SESSIONS, json={"public_key": key}).status_code
        for key in (partner.public_key, second, third)
    ]

    assert statuses == [401, 401, 201]


def test_rotate_keys_ends_open_sessions_on_request(
    api: FlaskClient, core: Core, clock: FrozenClock, partner: PartnerApp, live_partner: PartnerApp
) -> None:
    core.partners.rotate_keys(partner.name, "test")

    assert partner.get("/mobile-rides").status_code == 200
    new = core.partners.rotate_keys(partner.name, "test", end_sessions=True).key.public_key

    assert partner.get("/mobile-rides").status_code == 401
    assert live_partner.get("/mobile-rides").status_code == 200
    clock.advance(timedelta(seconds=1))
    token = api.post(SESSIONS, json={"public_key": new}).get_json()["data"]["session_token"]

    assert api.get(f"{PREFIX}/mobile-rides", headers=bearer(token)).status_code == 200


def test_sessions_count_known_keys_separately(api: FlaskClient, core: Core, live_partner: PartnerApp) -> None:
    limit = core.limits.anonymous.count
    for _ in range(limit):
        api.post(SESSIONS, json={"public_key": "ppk_test_unknown"})
    limited, known = (
        api.post(SESSIONS, json={"public_key": key}) for key in ("ppk_test_unknown", live_partner.public_key)
    )

    assert (limited.status_code, known.status_code) == (429, 201)
    assert limited.headers["X-RateLimit-Limit"] == str(limit)
    assert known.headers["X-RateLimit-Limit"] == "1000"
    assert live_partner.get(NOWHERE).headers["X-RateLimit-Remaining"] == "999"


def test_suspend_rejects_requests_until_resume(
    core: Core, partner: PartnerApp, live_partner: PartnerApp, other_partner: PartnerApp
) -> None:
    core.partners.suspend(partner.name)
    error = error_body("This partner account is suspended.", "FORBIDDEN")
    answer = partner.client.post(SESSIONS, json={"public_key": partner.public_key})

    assert (answer.status_code, answer.get_json()) == (403, error)
    for suspended in (partner, live_partner):
        # A rejected token is counted as anonymous.
        assert suspended.get(NOWHERE).headers["X-RateLimit-Limit"] == _anonymous_limit(core)

    assert other_partner.get(NOWHERE).headers["X-RateLimit-Limit"] == "100"
    core.partners.resume(partner.name)

    assert live_partner.get(NOWHERE).headers["X-RateLimit-Limit"] == "1000"


def _anonymous_limit(core: Core) -> str:
    return str(core.limits.anonymous.count)


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", NOWHERE, 404, "NOT_FOUND"),
        ("GET", PREFIX, 404, "NOT_FOUND"),
        ("GET", f"{PREFIX}/", 404, "NOT_FOUND"),
        ("GET", SESSIONS, 405, "METHOD_NOT_ALLOWED"),
        ("HEAD", SESSIONS, 405, "METHOD_NOT_ALLOWED"),
        ("POST", SESSIONS, 400, "INVALID_REQUEST"),
    ],
)
def test_every_response_has_rate_limit_headers(
    partner: PartnerApp, method: str, path: str, status: int, code: str
) -> None:
    answer = partner.request(method, path)

    assert answer.status_code == status
    if method != "HEAD":
        assert answer.get_json()["error"]["code"] == code

    assert (answer.headers["X-RateLimit-Limit"], answer.headers["X-RateLimit-Remaining"]) == ("100", "99")
    assert int(answer.headers["X-RateLimit-Reset"]) > 1_700_000_000


def test_rate_limits_are_separate_for_each_partner(
    open_core: OpenCore,
) -> None:
    core = open_core(partner_requests_per_minute_test=3, partner_requests_per_minute_unknown=2)
    api = serve_core(core).test_client()
    mine, theirs = partner_app(api, core), partner_app(api, core, "Another Inc")
    answers = [mine.get(NOWHERE) for _ in range(4)]

    assert [each.status_code for each in answers] == [404, 404, 404, 429]
    assert [each.headers["X-RateLimit-Remaining"] for each in answers] == ["2", "1", "0", "0"]
    last = answers[-1]

    assert 1 <= int(last.headers["Retry-After"]) <= 60
    assert last.get_json() == error_body("Too many requests. Try again later.", "RATE_LIMIT_EXCEEDED")
    assert theirs.get(NOWHERE).status_code == 404
    # Callers without a valid token are counted by address.
    anonymous = [api.post(SESSIONS, json={}).status_code, api.get(NOWHERE, headers=bearer("x")).status_code]

    assert [*anonymous, api.post(SESSIONS, json={}).status_code] == [400, 404, 429]


def test_session_tokens_are_not_accepted_outside_the_partner_api(partner: PartnerApp) -> None:
    for path in ("/api/user", "/api/v1/predict/history", "/api/v1/dashboard/keys"):
        answer = partner.client.get(path, headers=bearer(partner.token))
        assert (answer.status_code, answer.get_json()) == (401, {"message": "Unauthenticated."})


def test_other_credentials_are_counted_as_anonymous(api: FlaskClient, core: Core, ada: Person) -> None:
    keys = ada.keys()
    for credential in (ada.token, keys.public_key, keys.secret_key):
        answer = api.get(NOWHERE, headers=bearer(credential))
        assert answer.headers["X-RateLimit-Limit"] == _anonymous_limit(core)


def test_main_api_has_no_rate_limit_headers(api: FlaskClient) -> None:
    for path in ("/api/user", "/api/v1/partners", "/healthz"):
        assert "X-RateLimit-Limit" not in api.get(path).headers


def test_session_survives_a_clock_set_back_an_hour(partner: PartnerApp, clock: FrozenClock) -> None:
    clock.advance(timedelta(hours=-1))

    assert partner.get("/customers").status_code == 200


def test_ended_session_stays_ended_after_the_clock_was_set_back(
    partner: PartnerApp, core: Core, clock: FrozenClock
) -> None:
    clock.advance(timedelta(hours=-1))
    core.partners.rotate_keys(partner.name, "test", end_sessions=True)
    assert partner.get("/customers").status_code == 401
    clock.advance(timedelta(hours=1, minutes=5))

    assert partner.get("/customers").status_code == 401


def test_first_signing_key_keeps_the_open_sessions(
    open_core: OpenCore, core: Core, partner: PartnerApp
) -> None:
    keyed = open_core(partner_signing_keys=("a signing key of the operator, long enough",))
    client = serve_core(keyed).test_client()

    assert client.get(f"{PREFIX}/customers", headers=bearer(partner.token)).status_code == 200
    opened = client.post(SESSIONS, json={"public_key": partner.public_key}).get_json()["data"]
    assert core.partner_sessions.tokens.read(opened["session_token"]) is None  # signed with the new key
