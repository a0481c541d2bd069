"""Examples for the document, recorded from real calls: ``python -m tests.http.recorded > src/repaircore_http/document/examples.json``.

Each operation is called once on an installation of its own, at a fixed time, by the calls that every credential is tried with.
Long lists are cut to their first items; what is secret is made unlike any real secret.
"""

import json
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from attrs import evolve
from tests.http.partners import PREFIX, partner_app
from tests.http.people import Person, bearer, person, promoted
from tests.http.providers import with_cars, with_provider
from tests.http.test_endpoints import FORMS, made, mains
from tests.http.test_partner_endpoints import PARTNERS, called
from werkzeug.test import TestResponse

from repaircore.core import Core
from repaircore.settings import Settings
from repaircore.testing.clock import FrozenClock
from repaircore.testing.core import a_core
from repaircore_http.app import Api
from repaircore_http.routes import GuardedRule
from repaircore_http.service import serve_core

_MOST = 2
_SECRETS = re.compile(
    r"\b(eyJ|mst_|prl_|psk_|ppk_|whsec_|est_|[a-z]*[sp]k_test_|[a-z]*[sp]k_live_)[A-Za-z0-9_.+/=-]{8,}"
)
_UNSHOWN = ("/api/openapi.json", "/docs", "/docs/{}/{}")


def recorded(core: Core) -> dict[str, Any]:
    """Give the example of each operation, by the name of its route."""
    core = core.replacing(passwords=evolve(core.passwords, sends_mails=True))
    core = with_cars(with_provider(core, core.lookups.sandbox), core.connected_cars.sandbox)
    app = serve_core(core)
    client = app.test_client()
    root = promoted(core, person(client, "Ada"))
    fields: dict[str, Any] = {}
    for endpoint in mains():
        if endpoint.path in _UNSHOWN:
            continue
        root = evolve(root, token=_token(root))  # some operations end sessions
        path, body = made(endpoint, root, "live")
        if endpoint.path.endswith("/register"):
            body = {**(body or {}), "email": "bo@example.com"}
        headers = {} if endpoint.auth == "none" else bearer(root.token)
        form = FORMS[path]() if path in FORMS else None
        answer = client.open(path, method=endpoint.method, json=body, data=form, headers=headers)
        assert answer.status_code == endpoint.success, (endpoint, answer.text)
        fields |= _shown(app, endpoint.method, path, body, answer)
    return fields | _of_partners(core, app)


def _of_partners(core: Core, app: Api) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    asking = partner_app(app.test_client(), core)
    session = {"public_key": asking.public_key, "sdk_version": "1.0.0"}
    answer = asking.post("/sdk/sessions", session)
    fields |= _shown(app, "POST", PREFIX + "/sdk/sessions", session, answer)
    for number, endpoint in enumerate(PARTNERS, 1):
        # Time stands still: of one partner's requests a minute would not be over.
        asking = partner_app(app.test_client(), core, f"Roadside {number}")
        path, body = called(endpoint, asking)
        answer = asking.request(endpoint.method, path, body)
        assert answer.status_code in endpoint.successes, (endpoint, answer.text)
        fields |= _shown(app, endpoint.method, PREFIX + path, body, answer)
    return fields


def _shown(app: Api, method: str, path: str, body: Any, answer: TestResponse) -> dict[str, Any]:
    """Give what was asked and answered, by the name of the route."""
    rule, arguments = _route(app, method, path)
    queried = body if rule.spec.query is not None else None
    asked = {
        "path": {name: value if isinstance(value, int) else str(value) for name, value in arguments.items()},
        "query": {**dict(parse_qsl(urlsplit(path).query)), **(queried or {})},
        "body": _masked(body),
        "response": _cut(_masked(answer.get_json())),
    }
    return {rule.endpoint: {name: value for name, value in asked.items() if value}}


def _masked(value: Any) -> Any:
    return json.loads(_SECRETS.sub(r"\1…", json.dumps(value)))


def _token(root: Person) -> str:
    answer = root.client.post("/api/v1/auth/login", json={"email": root.email, "password": "correct horse"})
    token: str = answer.get_json()["data"]["session_token"]
    return token


def _route(app: Api, method: str, path: str) -> tuple[GuardedRule, dict[str, Any]]:
    rule, arguments = app.url_map.bind("localhost").match(urlsplit(path).path, method, return_rule=True)
    assert isinstance(rule, GuardedRule)
    return rule, dict(arguments)


def _cut(value: Any) -> Any:
    if isinstance(value, list):
        return [_cut(one) for one in value[:_MOST]]
    return {name: _cut(one) for name, one in value.items()} if isinstance(value, dict) else value


def _write() -> None:
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'repaircore.db'}"
        settings = Settings(
            database_url=url, state_folder=Path(folder), secret_key="a-secret-of-nobody-at-all"
        )
        core = a_core(settings, clock=FrozenClock())
        core.prepare()
        json.dump(recorded(core), sys.stdout, indent=1, ensure_ascii=False)
        sys.stdout.write("\n")
        core.close()


if __name__ == "__main__":
    _write()
