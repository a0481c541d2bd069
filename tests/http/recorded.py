"""Examples for the document, recorded from real calls: ``python -m tests.http.recorded`` writes them.

Each operation is called once on a new installation, at a fixed time, with the calls of the credential tests.
Long lists are cut to their first items, and secrets are masked. Random parts are kept from the previous examples,
so that a diff shows only the change.
"""

import json
import re
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from attrs import evolve
from tests import photos
from tests.contracts.dispatching import Town
from tests.http.partners import PREFIX, partner_app
from tests.http.people import Person, bearer, person, promoted
from tests.http.providers import with_cars, with_provider
from tests.http.test_endpoints import FORMS, call_for, main_endpoints
from tests.http.test_partner_endpoints import PARTNERS, path_and_body
from tests.http.test_provider_requests import LIST
from werkzeug.test import TestResponse

from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Environment, ProviderCaller
from repaircore.rides.model import RideKind, Vehicle
from repaircore.settings import Settings
from repaircore.testing.clock import FrozenClock
from repaircore.testing.core import a_core
from repaircore_http.app import Api
from repaircore_http.routes import GuardedRule
from repaircore_http.service import serve_core

_MAX_ITEMS = 2
_SECRETS = re.compile(
    r"\b(eyJ|mst_|prl_|psk_|ppk_|whsec_|est_|[a-z]*[sp]k_test_|[a-z]*[sp]k_live_)[A-Za-z0-9_.+/=-]{8,}"
)
_PICTURE = photos.png(photos.code("QR", "1HGCM82633A004352"))
_EXAMPLES = Path(__file__).parents[2] / "src" / "repaircore_http" / "document" / "examples.json"
_RANDOM = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{12,64}\b|…\w{4}\b|(?<=-)[0-9A-Z]{6}\b"
    r"|\b(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}\b"
)
"""Ids, the ends of keys, codes in references, tokens."""
_OLDEST_TIMESTAMP = 1_000_000_000
"""Greater integers are timestamps (seconds since 1970)."""
_NOT_RECORDED = ("/api/openapi.json", "/docs", "/docs/{}/{}")


def recorded(core: Core) -> dict[str, Any]:
    """Return the example of each operation, by the name of its route."""
    core = core.replacing(passwords=evolve(core.passwords, sends_mails=True))
    core = with_cars(with_provider(core, core.lookups.sandbox), core.connected_cars.sandbox)
    app = serve_core(core)
    client = app.test_client()
    root = promoted(core, person(client, "Ada"))
    fields: dict[str, Any] = {}
    for endpoint in main_endpoints():
        if endpoint.path in _NOT_RECORDED:
            continue
        root = evolve(root, token=_token(root))  # some operations end sessions
        path, body = call_for(endpoint, root, "live")
        if endpoint.path.endswith("/register"):
            body = {**(body or {}), "email": "bo@example.com"}
        headers = {} if endpoint.auth == "none" else bearer(root.token)
        form = FORMS[path]() if path in FORMS else None
        answer = client.open(path, method=endpoint.method, json=body, data=form, headers=headers)
        assert answer.status_code == endpoint.success, (endpoint, answer.text)
        fields |= _example(app, endpoint.method, path, body, answer)
    return fields | _partner_examples(core, app) | _provider_examples(core, app)


def _partner_examples(core: Core, app: Api) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    app_of_partner = partner_app(app.test_client(), core)
    session = {"public_key": app_of_partner.public_key, "sdk_version": "1.0.0"}
    answer = app_of_partner.post("/sdk/sessions", session)
    fields |= _example(app, "POST", PREFIX + "/sdk/sessions", session, answer)
    for number, endpoint in enumerate(PARTNERS, 1):
        # The clock is frozen, so one partner would run into its rate limit.
        app_of_partner = partner_app(app.test_client(), core, f"Roadside {number}")
        path, body = path_and_body(endpoint, app_of_partner)
        answer = app_of_partner.request(endpoint.method, path, body)
        assert answer.status_code in endpoint.successes, (endpoint, answer.text)
        fields |= _example(app, endpoint.method, PREFIX + path, body, answer)
    return fields


def _provider_examples(core: Core, app: Api) -> dict[str, Any]:
    app_of_partner = partner_app(app.test_client(), core, "Towify")
    town = Town.of(core, app_of_partner.caller, RideKind.TOW)
    (ref,) = town.add_providers(1, environment=Environment.TEST)
    key = core.provider_keys.create(ref, evolve(LOCAL, environment=Environment.TEST)).text
    fields: dict[str, Any] = {}

    def call(method: str, path: str, body: Any = None) -> None:
        answer = app.test_client().open(LIST + path, method=method, json=body, headers=bearer(key))
        assert answer.status_code == 200, (path, answer.text)
        fields.update(_example(app, method, LIST + path, body, answer))

    def send(path: str, texts: dict[str, str], field: str, file: BytesIO) -> None:
        form = {**texts, field: (file, f"{field}.png", "image/png")}
        answer = app.test_client().post(LIST + path, data=form, headers=bearer(key))
        assert answer.status_code == 201, (path, answer.text)
        fields.update(_example(app, "POST", LIST + path, texts, answer))

    def request_and_offer() -> str:
        tow = town.create(
            vehicle=Vehicle(make="Honda", model="Civic", year="2015", color="blue", plate="8ABC123"),
            pickup_address="412 W 5th St, Los Angeles, CA 90013",
            dropoff_address="90 N Fair Oaks Ave, Pasadena, CA 91103",
        )
        core.dispatch.run()
        (request,) = town.requests(tow.ref)
        call("GET", "")
        call("GET", f"/{request.ref}")
        call("POST", f"/{request.ref}/offer", {"eta_minutes": 25})
        return request.ref

    def accept(request: str) -> None:
        ride = core.provider_requests.get(
            request, ProviderCaller(provider_ref=ref, environment=Environment.TEST)
        ).ride
        town.rides.accept_offer(ride.ref, ref, town.partner)

    call("POST", f"/{request_and_offer()}/decline", {"reason": "Too far away"})
    dropped = request_and_offer()
    accept(dropped)
    call("POST", f"/{dropped}/drop-out", {"reason": "Engine trouble"})
    done = request_and_offer()
    accept(done)
    call("POST", f"/{done}/en-route", {"latitude": 34.06, "longitude": -118.2, "eta_minutes": 18})
    call("POST", f"/{done}/arrived")
    call("POST", f"/{done}/start")
    send(f"/{done}/photos", {"stage": "pickup"}, "photo", BytesIO(_PICTURE))
    send(f"/{done}/signature", {"stage": "dropoff", "signed_by": "Ada Byron"}, "signature", BytesIO(_PICTURE))
    call("GET", f"/{done}/proofs")
    call("GET", f"/{done}")
    call("POST", f"/{done}/complete", {"outcome": "completed"})
    return fields


def _example(app: Api, method: str, path: str, body: Any, answer: TestResponse) -> dict[str, Any]:
    """Return the request and the response, by the name of the route."""
    rule, arguments = _route(app, method, path)
    queried = body if rule.spec.query is not None else None
    example = {
        "path": {name: value if isinstance(value, int) else str(value) for name, value in arguments.items()},
        "query": {**dict(parse_qsl(urlsplit(path).query)), **(queried or {})},
        "body": _mask(body),
        "response": _shorten(_mask(answer.get_json())) if answer.is_json else None,
    }
    return {rule.endpoint: {name: value for name, value in example.items() if value}}


def _mask(value: Any) -> Any:
    return json.loads(_SECRETS.sub(r"\1…", json.dumps(value)))


def _token(root: Person) -> str:
    answer = root.client.post("/api/v1/auth/login", json={"email": root.email, "password": "correct horse"})
    token: str = answer.get_json()["data"]["session_token"]
    return token


def _route(app: Api, method: str, path: str) -> tuple[GuardedRule, dict[str, Any]]:
    rule, arguments = app.url_map.bind("localhost").match(urlsplit(path).path, method, return_rule=True)
    assert isinstance(rule, GuardedRule)
    return rule, dict(arguments)


def _shorten(value: Any) -> Any:
    if isinstance(value, list):
        return [_shorten(one) for one in value[:_MAX_ITEMS]]
    return {name: _shorten(one) for name, one in value.items()} if isinstance(value, dict) else value


def steady(old: Any, new: Any) -> Any:
    """Return new examples with the random parts of the old ones, wherever nothing else differs."""
    if isinstance(old, dict) and isinstance(new, dict):
        return {name: steady(old.get(name), value) for name, value in new.items()}
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [steady(before, after) for before, after in zip(old, new, strict=True)]
    return old if type(old) is type(new) and _without_random(old) == _without_random(new) else new


def _without_random(value: Any) -> Any:
    if isinstance(value, str):
        return _RANDOM.sub("", value)
    return min(value, _OLDEST_TIMESTAMP) if isinstance(value, int) else value


def _write() -> None:
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'repaircore.db'}"
        settings = Settings(
            database_url=url, state_folder=Path(folder), secret_key="a-secret-of-nobody-at-all"
        )
        core = a_core(settings, clock=FrozenClock())
        core.prepare()
        examples = steady(json.loads(_EXAMPLES.read_text("utf-8")), recorded(core))
        core.close()
    _EXAMPLES.write_text(json.dumps(examples, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    _write()
