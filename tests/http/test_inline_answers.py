"""Answers of a server's main loop: the same as a thread's, counted once, and nothing that waits is begun."""

import re
import time
from datetime import datetime, timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.people import ASK, Keys, Person, bearer, person
from tests.http.test_fast_lane import REQUESTS, TOKENS
from tests.http.watched import serve_core
from werkzeug.test import TestResponse, run_wsgi_app

from repaircore.adapters.sql.engine.codec import moment_or_none
from repaircore.core import Core
from repaircore.kernel.blocking import WouldBlock, blocking_forbidden
from repaircore.testing.clock import FrozenClock
from repaircore_http import service
from repaircore_http.observations import ObservedApp

PATH = "/api/v1/predict"


def ask(client: FlaskClient, key: str, **changes: Any) -> TestResponse:
    headers = {"X-Request-Id": "same", **bearer(key)}
    return client.post(PATH, json={**ASK, **changes}, headers=headers)


def ask_inline(client: FlaskClient, key: str, **changes: Any) -> TestResponse:
    with blocking_forbidden():
        return ask(client, key, **changes)


@pytest.fixture
def keys(ada: Person) -> Keys:
    return ada.keys("live")


def test_cached_answer_is_the_same(api: FlaskClient, keys: Keys) -> None:
    ask(api, keys.secret_key)
    usual, inline = ask(api, keys.secret_key), ask_inline(api, keys.secret_key)
    assert (inline.status, inline.data, list(inline.headers)) == (
        usual.status,
        usual.data,
        list(usual.headers),
    )


def test_management_session_is_answered(api: FlaskClient, ada: Person) -> None:
    ask(api, ada.token)
    assert ask_inline(api, ada.token).status_code == 200


def test_answer_is_counted_once(open_core: OpenCore) -> None:
    client = serve_core(open_core(requests_per_minute=3)).test_client()
    key = person(client, "Bob").keys().secret_key
    assert [ask(client, key).status_code, ask_inline(client, key).status_code] == [200, 200]
    assert [ask(client, key).status_code for _ in range(2)] == [200, 429]
    with pytest.raises(WouldBlock):
        ask_inline(client, key)


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("case", sorted(REQUESTS.keys() - {"good", "no such host"}))
def test_failure_is_left_to_a_thread_uncounted(open_core: OpenCore, case: str, token: str) -> None:
    client = serve_core(open_core(requests_per_minute=2)).test_client()
    key = person(client, "Bob").keys().secret_key
    assert ask(client, key).status_code == 200
    credentials = {"key": key, "none": "", "wrong": "sk_live_" + "0" * 39, "malformed": "a b"}
    headers = bearer(credentials[token]) if credentials[token] else {}
    request = {
        "path": PATH,
        "method": "POST",
        "content_type": "application/json",
        "headers": headers,
        **REQUESTS[case],
    }
    with pytest.raises(WouldBlock), blocking_forbidden():
        client.open(**request)
    assert [ask(client, key).status_code for _ in range(2)] == [200, 429]


def test_new_question_is_left_to_a_thread(core: Core, api: FlaskClient, keys: Keys) -> None:
    ask(api, keys.secret_key)
    stored = _stored(core)
    for changes in ({"zip_code": "10001"}, {"mileage": 90_000}, {"parts_tier": "oem"}):
        with pytest.raises(WouldBlock):
            ask_inline(api, keys.secret_key, **changes)
    assert _stored(core) == stored


def _stored(core: Core) -> int:
    with core.storage.database.transaction(write=False) as connection:
        count: int = connection.exec_driver_sql("SELECT count(*) FROM predictions").scalar_one()
        return count


def test_first_session_of_another_user_is_left_to_a_thread(api: FlaskClient, keys: Keys) -> None:
    ask(api, keys.secret_key)
    other = person(api, "Bob").keys().secret_key
    with pytest.raises(WouldBlock):
        ask_inline(api, other)
    assert ask(api, other).get_json()["memory_source"] == "cached"


def test_publishable_key_is_left_to_a_thread(api: FlaskClient, keys: Keys) -> None:
    ask(api, keys.public_key)
    with pytest.raises(WouldBlock):
        ask_inline(api, keys.public_key)


def test_use_of_a_key_is_recorded_in_a_thread_while_it_is_answered(
    core: Core, api: FlaskClient, keys: Keys, clock: FrozenClock
) -> None:
    ask(api, keys.secret_key)
    clock.advance(timedelta(minutes=5))
    assert [ask_inline(api, keys.secret_key).status_code for _ in range(3)] == [200] * 3
    for _ in range(100):
        if (recorded := _last_use(core)) == clock():
            break
        time.sleep(0.05)
    assert recorded == clock()


def _last_use(core: Core) -> datetime | None:
    with core.storage.database.transaction(write=False) as connection:
        micros = connection.exec_driver_sql("SELECT max(last_used_at) FROM api_keys").scalar_one()
        return moment_or_none(micros)


@pytest.mark.parametrize("path", ["/api/v1/predict/by-specs", "/healthz", "/api/v1/auth/login"])
def test_other_requests_are_left_to_a_thread(api: FlaskClient, path: str) -> None:
    with pytest.raises(WouldBlock), blocking_forbidden():
        api.post(path, json={})


def test_observers_see_only_what_is_answered() -> None:
    statuses = []

    def wait(_environ: Any, _start: Any) -> Any:
        raise WouldBlock

    observed = ObservedApp(wait, [lambda _environ, status, _seconds: statuses.append(status)])
    with pytest.raises(WouldBlock):
        run_wsgi_app(observed, {"REQUEST_METHOD": "GET"})
    assert statuses == []


def test_answer_is_observed(core: Core, keys: Keys) -> None:
    statuses: list[str] = []
    app = serve_core(core)
    app.wsgi_app = ObservedApp(app.wsgi_app, [lambda _environ, status, _seconds: statuses.append(status)])  # type: ignore[method-assign]
    client = app.test_client()
    ask(client, keys.secret_key)
    ask_inline(client, keys.secret_key)
    assert statuses == ["200", "200"]


def test_predictions_are_counted_as_often_as_they_are_answered(open_core: OpenCore) -> None:
    core = open_core(requests_per_minute=3, metrics=True)
    client = serve_core(core).test_client()
    key = person(client, "Bob").keys().secret_key
    statuses = [ask(client, key).status_code]
    for _ in range(4):  # as a worker does
        try:
            statuses.append(ask_inline(client, key).status_code)
        except WouldBlock:
            statuses.append(ask(client, key).status_code)
    assert statuses == [200, 200, 200, 429, 429]
    counted = re.findall(
        r"^repaircore_predictions_total\{.*\} ([0-9.]+)$", client.get("/metrics").text, re.MULTILINE
    )
    assert sum(map(float, counted)) == 3


def test_application_names_what_a_main_loop_may_try(open_core: OpenCore) -> None:
    assert service.serve_core(open_core()).inline_paths == (PATH,)
    assert service.serve_core(open_core(rate_windows="database")).inline_paths == ()
    assert service.serve_core(open_core(), has_fast_lane=False).inline_paths == ()
    assert service.serve_core(open_core(cors_origins=("https://example.org",))).inline_paths == ()


def test_hooks_leave_everything_to_threads(core: Core, keys: Keys) -> None:
    app = serve_core(core)

    @app.after_request
    def keep(response: Any) -> Any:
        return response

    assert isinstance(app, Flask)
    assert app.inline_paths == ()
    ask(app.test_client(), keys.secret_key)
    with pytest.raises(WouldBlock):
        ask_inline(app.test_client(), keys.secret_key)
