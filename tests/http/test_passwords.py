"""Passwords over HTTP: forgotten, reset and changed, over both databases."""

import re
from datetime import timedelta

import pytest
from attrs import evolve
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.people import Person, bearer
from tests.http.shape import moment, shaped
from tests.http.watched import serve_core

from repaircore.core import Core
from repaircore.messages.model import Channel
from repaircore.testing.clock import FrozenClock

FORGOT = "/api/v1/auth/forgot-password"
RESET = "/api/v1/auth/reset-password"
CHANGE = "/api/v1/auth/change-password"
SESSIONS = "/api/v1/auth/sessions"
LOGIN = {"email": "ada@example.org", "password": "correct horse"}
NEW = "battery staple"
SUCCESS = {"status": "success", "message": str}
INVALID_LINK = {
    "message": "This link is invalid or has expired. Request a new one: it works once, for 1 hour."
}


@pytest.fixture
def core(core: Core) -> Core:
    return core.replacing(passwords=evolve(core.passwords, sends_mails=True))


def mailed_token(core: Core) -> str:
    """Return the token in the last mail, after links were mailed."""
    core.passwords.mail_links()
    with core.storage.transaction() as work:
        mails = work.messages.claim(Channel.EMAIL, core.clock(), until=core.clock(), limit=100)
    return str(re.findall(r"/console/reset/(\S+)", mails[-1].content.body)[-1])


def test_forgotten_password_is_reset(api: FlaskClient, core: Core, ada: Person) -> None:
    answer = api.post(FORGOT, json={"email": ada.email})
    assert answer.status_code == 200
    assert shaped(SUCCESS, answer.json)
    token = mailed_token(core)
    reset = api.post(RESET, json={"token": token, "password": NEW})
    assert reset.status_code == 200
    assert shaped(SUCCESS, reset.json)
    assert ada.get("/api/user").status_code == 401
    assert api.post("/api/v1/auth/login", json=LOGIN).status_code == 401
    assert api.post("/api/v1/auth/login", json={**LOGIN, "password": NEW}).status_code == 200
    again = api.post(RESET, json={"token": token, "password": NEW})
    assert (again.status_code, again.json) == (404, INVALID_LINK)


@pytest.mark.usefixtures("ada")
def test_forgot_gives_the_same_answer_with_and_without_an_account(api: FlaskClient) -> None:
    known, unknown = (api.post(FORGOT, json={"email": f"{name}@example.org"}) for name in ("ada", "bo"))
    assert (known.status_code, known.json) == (unknown.status_code, unknown.json)


def test_forgot_is_limited_by_email_and_address(api: FlaskClient) -> None:
    results = [api.post(FORGOT, json={"email": "bo@example.org"}).status_code for _ in range(6)]
    elsewhere = {"REMOTE_ADDR": "192.0.2.7"}
    other = api.post(FORGOT, json={"email": "bo@example.org"}, environ_base=elsewhere)
    assert results == [200] * 5 + [429]
    assert other.status_code == 200


def test_forgot_is_limited_by_email_from_any_address(api: FlaskClient) -> None:
    results = [
        api.post(
            FORGOT, json={"email": "bo@example.org"}, environ_base={"REMOTE_ADDR": f"192.0.2.{number}"}
        ).status_code
        for number in range(21)
    ]
    assert results == [200] * 20 + [429]


def test_forgot_without_mail_names_the_command(open_core: OpenCore) -> None:
    answer = serve_core(open_core()).test_client().post(FORGOT, json={"email": "ada@example.org"})
    assert answer.status_code == 503
    assert "repaircore users reset-password" in answer.get_json()["message"]


@pytest.mark.parametrize(
    "token", ["", "x", "prl_" + "0" * 43, "😀", "x" * 20_000], ids=lambda token: repr(token[:9])
)
def test_guessed_token_is_not_found(api: FlaskClient, token: str) -> None:
    answer = api.post(RESET, json={"token": token, "password": NEW})
    assert (answer.status_code, answer.json) == (404, INVALID_LINK)


def test_reset_reports_bad_fields(api: FlaskClient) -> None:
    answer = api.post(RESET, json={"token": 5, "password": "short"})
    assert answer.status_code == 422
    assert shaped({"message": str, "errors": {"token": [str], "password": [str]}}, answer.json)


def test_changed_password_ends_the_other_sessions(api: FlaskClient, ada: Person) -> None:
    other = api.post("/api/v1/auth/login", json=LOGIN).get_json()["data"]["session_token"]
    wrong = ada.post(CHANGE, {"current_password": "x", "password": NEW})
    assert wrong.status_code == 422
    assert wrong.get_json()["errors"] == {"current_password": ["The current password is wrong."]}
    answer = ada.post(CHANGE, {"current_password": "correct horse", "password": NEW})
    assert answer.status_code == 200
    assert shaped(SUCCESS, answer.json)
    assert ada.get("/api/user").status_code == 200
    assert api.get("/api/user", headers=bearer(other)).status_code == 401
    assert api.post("/api/v1/auth/login", json={**LOGIN, "password": NEW}).status_code == 200


def test_guesses_of_the_current_password_are_limited(ada: Person) -> None:
    wrong = {"current_password": "x", "password": NEW}
    assert [ada.post(CHANGE, wrong).status_code for _ in range(6)] == [422] * 5 + [429]


def test_sessions_are_listed_last_used_first(api: FlaskClient, ada: Person, clock: FrozenClock) -> None:
    clock.advance(timedelta(hours=1))
    agent = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/133.0"}
    place = {"REMOTE_ADDR": "203.0.113.7"}
    token = api.post("/api/v1/auth/login", json=LOGIN, headers=agent, environ_base=place).get_json()["data"][
        "session_token"
    ]
    answer = api.get(SESSIONS, headers=bearer(token))
    assert answer.status_code == 200
    shape = {
        "id": str,
        "created_at": moment,
        "last_used_at": moment,
        "expires_at": moment,
        "browser": lambda value: value is None or isinstance(value, str),
        "network": str,
        "is_current": bool,
    }
    assert shaped({"status": "success", "data": [shape]}, answer.json)
    latest, first = answer.get_json()["data"]
    assert (latest["browser"], latest["network"]) == ("Firefox on Linux", "203.0.113.0/24")
    assert (latest["is_current"], first["is_current"]) == (True, False)
    assert token not in answer.text
    assert "203.0.113.7" not in answer.text
    assert api.delete(f"{SESSIONS}/{first['id']}", headers=bearer(token)).status_code == 200
    assert ada.get("/api/user").status_code == 401


def test_sessions_of_another_user_are_not_ended(ada: Person, eve: Person) -> None:
    (theirs,) = ada.get(SESSIONS).get_json()["data"]
    answer = eve.delete(f"{SESSIONS}/{theirs['id']}")
    assert (answer.status_code, answer.json) == (404, {"message": "Session not found."})
    assert ada.get("/api/user").status_code == 200


@pytest.mark.parametrize("number", ["0", "x" * 16, "%00", "é", "0" * 5000])
def test_invalid_session_id_is_not_found(ada: Person, number: str) -> None:
    assert ada.delete(f"{SESSIONS}/{number}").status_code == 404
