"""Accounts: register, log in, log out, and who am I, over both databases."""

from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.people import Person, bearer, person
from tests.http.shape import moment, shaped
from tests.http.visitors import Visitor
from tests.http.watched import serve_core

from repaircore.kernel.callers import Role
from repaircore.testing.clock import FrozenClock
from repaircore_http import service

REGISTRATION = {"name": "Ada", "email": "ada@example.org", "password": "correct horse"}
LOGIN = {"email": "ada@example.org", "password": "correct horse"}
SIGNED_IN = {
    "status": "success",
    "message": str,
    "data": {"user": {"id": int, "name": "Ada"}, "session_token": lambda token: token.startswith("mst_")},
}
WRONG = {"message": "These credentials do not match our records."}


def test_registration_signs_in(api: FlaskClient) -> None:
    answer = api.post("/api/v1/auth/register", json=REGISTRATION)
    assert answer.status_code == 201
    assert shaped(SIGNED_IN, answer.json)
    token = answer.get_json()["data"]["session_token"]
    assert api.get("/api/user", headers=bearer(token)).status_code == 200


@pytest.mark.usefixtures("ada")
def test_email_registers_once_in_any_case(api: FlaskClient) -> None:
    answer = api.post("/api/v1/auth/register", json={**REGISTRATION, "email": "ADA@Example.ORG"})
    assert answer.status_code == 422
    assert shaped({"message": str, "errors": {"email": [str]}}, answer.json)


def test_registration_reports_every_bad_field(api: FlaskClient) -> None:
    answer = api.post("/api/v1/auth/register", json={"name": 5, "email": "ada", "password": "short"})
    assert answer.status_code == 422
    assert shaped({"message": str, "errors": {"name": [str], "email": [str], "password": [str]}}, answer.json)
    assert answer.get_json()["message"].endswith(" (and 2 more errors)")


@pytest.mark.parametrize(("password", "status"), [("fog ket", 422), ("fog kett", 201)])
def test_password_has_at_least_8_characters(api: FlaskClient, password: str, status: int) -> None:
    answer = api.post("/api/v1/auth/register", json={**REGISTRATION, "password": password})
    assert answer.status_code == status


@pytest.mark.parametrize("password", ["password", "P@ssw0rd2024", "1q2w3e4r", "ada@example.org", "Ada.12345"])
def test_guessable_password_is_rejected(api: FlaskClient, password: str) -> None:
    answer = api.post("/api/v1/auth/register", json={**REGISTRATION, "password": password})

    assert answer.status_code == 422
    assert answer.get_json()["errors"].keys() == {"password"}


def test_password_matches_in_any_unicode_form(api: FlaskClient) -> None:
    decomposed, composed = "cafe\u0301 au lait", "caf\u00e9 au lait"
    assert api.post("/api/v1/auth/register", json={**REGISTRATION, "password": decomposed}).status_code == 201

    assert api.post("/api/v1/auth/login", json={**LOGIN, "password": composed}).status_code == 200


def test_login_creates_a_separate_session(api: FlaskClient, ada: Person) -> None:
    answer = api.post("/api/v1/auth/login", json=LOGIN)
    assert answer.status_code == 200
    assert shaped(SIGNED_IN, answer.json)
    token = answer.get_json()["data"]["session_token"]
    assert token != ada.token
    assert {ada.get("/api/user").status_code, api.get("/api/user", headers=bearer(token)).status_code} == {
        200
    }


@pytest.mark.usefixtures("ada")
def test_unknown_email_and_wrong_password_get_the_same_answer(api: FlaskClient) -> None:
    wrong = api.post("/api/v1/auth/login", json={**LOGIN, "password": "battery staple"})
    unknown = api.post("/api/v1/auth/login", json={**LOGIN, "email": "eve@example.org"})
    assert (wrong.status_code, unknown.status_code) == (401, 401)
    assert wrong.json == unknown.json == WRONG


def test_login_reports_missing_fields(api: FlaskClient) -> None:
    answer = api.post("/api/v1/auth/login", json={})
    assert answer.status_code == 422
    assert shaped({"message": str, "errors": {"email": [str], "password": [str]}}, answer.json)


@pytest.mark.usefixtures("ada")
def test_sixth_login_after_five_failures_is_a_429(api: FlaskClient) -> None:
    wrong = {**LOGIN, "password": "battery staple"}
    assert [api.post("/api/v1/auth/login", json=wrong).status_code for _ in range(5)] == [401] * 5
    refused = api.post("/api/v1/auth/login", json=LOGIN)
    assert refused.status_code == 429
    assert refused.json == {"message": "Too Many Attempts."}
    assert 1 <= int(refused.headers["Retry-After"]) <= 60


@pytest.mark.usefixtures("ada")
def test_throttling_spares_other_people_and_addresses(api: FlaskClient) -> None:
    eve = person(api, "Eve")
    for _ in range(5):
        api.post("/api/v1/auth/login", json={**LOGIN, "password": "battery staple"})
    elsewhere = api.post("/api/v1/auth/login", json=LOGIN, environ_base={"REMOTE_ADDR": "192.0.2.7"})
    other = api.post("/api/v1/auth/login", json={"email": eve.email, "password": "correct horse"})
    assert (elsewhere.status_code, other.status_code) == (200, 200)


def test_unknown_emails_are_throttled_too(api: FlaskClient) -> None:
    results = [api.post("/api/v1/auth/login", json=LOGIN) for _ in range(6)]
    assert [one.status_code for one in results] == [401] * 5 + [429]


def test_registrations_per_address_are_limited_over_api_and_console(open_core: OpenCore) -> None:
    core = open_core(registrations_per_hour=3)
    client, console = serve_core(core).test_client(), service.serve_core(core)
    person(client, "Ada")
    Visitor(console.test_client()).register("Bo")
    bad = client.post(
        "/api/v1/auth/register", json={"name": "Cy", "email": "cy", "password": "correct horse"}
    )
    assert bad.status_code == 422
    person(client, "Cy")
    registration = {"name": "Di", "email": "di@example.org", "password": "correct horse"}
    refused = client.post("/api/v1/auth/register", json=registration)
    assert (refused.status_code, refused.json) == (429, {"message": "Too Many Attempts."})
    assert 3000 < int(refused.headers["Retry-After"]) <= 3600
    browser = Visitor(console.test_client())
    browser.get("/console/register")
    assert browser.post("/console/register", registration).status_code == 429
    elsewhere = {"REMOTE_ADDR": "192.0.2.7"}
    assert client.post("/api/v1/auth/register", json=registration, environ_base=elsewhere).status_code == 201


def test_failed_logins_per_address_are_limited_for_any_emails(open_core: OpenCore) -> None:
    client = serve_core(open_core(login_failures_per_minute=1)).test_client()
    ada = person(client, "Ada")
    guesses = [{"email": f"guess{number}@example.org", "password": "12345678"} for number in range(11)]
    results = [client.post("/api/v1/auth/login", json=guess).status_code for guess in guesses]
    assert results == [401] * 10 + [429]
    right = {"email": ada.email, "password": "correct horse"}
    assert client.post("/api/v1/auth/login", json=right).status_code == 429
    elsewhere = {"REMOTE_ADDR": "192.0.2.7"}
    assert client.post("/api/v1/auth/login", json=right, environ_base=elsewhere).status_code == 200


def test_logout_ends_only_this_session(api: FlaskClient, ada: Person) -> None:
    token = api.post("/api/v1/auth/login", json=LOGIN).get_json()["data"]["session_token"]
    answer = api.post("/api/v1/auth/user/logout", headers=bearer(token))
    assert answer.status_code == 200
    assert shaped({"status": "success", "message": str}, answer.json)
    assert api.get("/api/user", headers=bearer(token)).status_code == 401
    assert ada.get("/api/user").status_code == 200


def test_session_use_extends_it_by_30_days(ada: Person, clock: FrozenClock) -> None:
    for _ in range(3):
        clock.advance(timedelta(days=29))
        assert ada.get("/api/user").status_code == 200
    clock.advance(timedelta(days=30))
    assert ada.get("/api/user").status_code == 401


def test_user_sees_their_own_account(ada: Person) -> None:
    answer = ada.get("/api/user")
    assert answer.status_code == 200
    shape = {"id": ada.id, "name": "Ada", "email": "ada@example.org", "role": "user", "created_at": moment}
    assert shaped(shape, answer.json)


def test_user_requires_a_session(api: FlaskClient) -> None:
    answer = api.get("/api/user")
    assert answer.status_code == 401
    assert answer.json == {"message": "Unauthenticated."}
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_role_applies_to_other_workers_at_once(ada: Person, open_core: OpenCore) -> None:
    open_core().accounts.set_role(ada.email, Role.ADMIN)
    assert ada.get("/api/user").get_json()["role"] == "admin"


def test_new_password_ends_every_session(api: FlaskClient, ada: Person, open_core: OpenCore) -> None:
    open_core().accounts.reset_password(ada.email, "battery staple")
    assert ada.get("/api/user").status_code == 401
    assert api.post("/api/v1/auth/login", json=LOGIN).status_code == 401
    assert api.post("/api/v1/auth/login", json={**LOGIN, "password": "battery staple"}).status_code == 200


def test_trusted_proxy_names_the_client_address(open_core: OpenCore) -> None:
    api = serve_core(open_core(trusted_proxies=1)).test_client()
    wrong = {**LOGIN, "password": "battery staple"}
    here, there = {"X-Forwarded-For": "192.0.2.1"}, {"X-Forwarded-For": "192.0.2.2"}
    results = [api.post("/api/v1/auth/login", json=wrong, headers=here).status_code for _ in range(6)]
    assert results == [401] * 5 + [429]
    assert api.post("/api/v1/auth/login", json=wrong, headers=there).status_code == 401


def test_forwarded_address_is_ignored_without_a_trusted_proxy(api: FlaskClient) -> None:
    wrong = {**LOGIN, "password": "battery staple"}
    results = [
        api.post("/api/v1/auth/login", json=wrong, headers={"X-Forwarded-For": f"192.0.2.{i}"}).status_code
        for i in range(6)
    ]
    assert results == [401] * 5 + [429]
