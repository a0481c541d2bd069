"""Connected cars, from the driver's consent to the car's health, over both databases."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from attrs import evolve
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.people import ACCORD, Person, bearer
from tests.http.providers import with_cars
from tests.http.shape import moment, nullable, number, shaped
from tests.http.watched import serve_core
from tests.threads import at_once
from tests.writes import rows
from werkzeug.test import TestResponse

from repaircore.adapters.crypto.vault import FernetVault
from repaircore.adapters.lookups.cars_remote import RemoteCars
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.connected_cars.errors import NoConnectedCar, Reconnect
from repaircore.connected_cars.oauth import parse_state, sign_state
from repaircore.core import Core
from repaircore.kernel.callers import Role
from repaircore.kernel.errors import Conflict, Failure, Unavailable
from repaircore.testing.car_provider import CARS, MODEL_3, CarServer, Mishap
from repaircore.testing.cars import ScriptedSink
from repaircore.testing.clock import FrozenClock
from repaircore.wiring.vehicles import CALLBACK

CONNECT, LOOKUP = "/api/v1/connectedcar/connect", "/api/v1/connectedcar/vin-lookup"
EMAIL = "driver@example.com"
GRACE = 5.0

SYNC: dict[str, Any] = {
    "success": True,
    "data": {
        "vin": str,
        "measured_at": moment,
        "synced_at": moment,
        "signals": {
            "odometer": nullable(int),
            "battery_voltage": nullable(number),
            "battery_percent": nullable(number),
            "oil_life_percent": nullable(number),
            "tire_pressures": dict,
            "dtc_codes": nullable([str]),
        },
        "health": {
            "score": nullable(number),
            "grade": nullable(str),
            "coverage": number,
            "basis": str,
            "components": [{"name": str, "value": number, "weight": number, "effect": number}],
            "as_of": moment,
        },
    },
}
INVALID = {"message": str, "errors": dict}


@pytest.fixture
def provider(clock: FrozenClock) -> Iterator[CarServer]:
    with CarServer(clock=clock) as server:
        yield server


@pytest.fixture
def sink() -> ScriptedSink:
    return ScriptedSink()


@pytest.fixture
def core(core: Core, provider: CarServer, sink: ScriptedSink, clock: FrozenClock) -> Core:
    """Return a core whose live keys use the provider, with two seconds for each request."""
    redirect = core.settings.public_url + CALLBACK
    remote = RemoteCars.at(provider.settings, redirect=redirect, clock=clock, seconds=2)
    return with_cars(core, remote, sink)


@pytest.fixture
def live(ada: Person) -> str:
    return ada.keys("live").secret_key


@pytest.fixture
def test_key(ada: Person) -> str:
    return ada.keys("test").secret_key


def get(api: FlaskClient, path: str, token: str) -> TestResponse:
    return api.get(path, headers=bearer(token))


def start_flow(api: FlaskClient, token: str, email: str | None = EMAIL) -> str:
    """Start a flow; return the address where the driver consents."""
    answer = get(api, f"{CONNECT}?email={email}" if email else CONNECT, token)
    assert answer.status_code == 200, answer.text
    assert shaped({"success": True, "data": {"authorization_url": str, "expires_at": moment}}, answer.json)
    url: str = answer.get_json()["data"]["authorization_url"]
    return url


def consent(url: str) -> str:
    """Consent as the driver; return the path of the callback."""
    answer = httpx.get(url, trust_env=False)
    assert answer.status_code == 302, answer.text
    back = urlsplit(answer.headers["location"])
    assert back.path == CALLBACK
    return f"{back.path}?{back.query}"


def complete_flow(api: FlaskClient, token: str, email: str | None = EMAIL) -> TestResponse:
    return api.get(consent(start_flow(api, token, email)))


def connect(api: FlaskClient, token: str, email: str | None = EMAIL) -> None:
    answer = complete_flow(api, token, email)
    assert answer.status_code == 200, answer.text
    assert shaped({"success": True, "message": str, "data": {"vins": [str]}}, answer.json)


def compliance_path(vin: str = ACCORD) -> str:
    return f"/api/v1/fleet/vehicles/{vin}/connectedcar-compliance"


def list_vins(api: FlaskClient, token: str, email: str = EMAIL) -> list[str]:
    answer = get(api, f"{LOOKUP}?email={email}", token)
    assert answer.status_code == 200, answer.text
    assert shaped({"success": True, "data": {"email": str, "vins": [str]}}, answer.json)
    vins: list[str] = answer.get_json()["data"]["vins"]
    return vins


def sync_car(api: FlaskClient, token: str, vin: str = ACCORD) -> Any:
    answer = get(api, compliance_path(vin), token)
    assert answer.status_code == 200, answer.text
    assert shaped(SYNC, answer.json)
    return answer.get_json()["data"]


def error_fields(answer: TestResponse) -> set[str]:
    assert answer.status_code == 422, answer.text
    assert shaped(INVALID, answer.json)
    return set(answer.get_json()["errors"])


def unavailable_message(answer: TestResponse) -> str:
    assert answer.status_code == 503, answer.text
    assert shaped({"success": False, "message": str, "error_code": str}, answer.json)
    assert answer.get_json()["error_code"] == "CONNECTED_CAR_UNAVAILABLE"
    message: str = answer.get_json()["message"]
    return message


def assert_withdrawn(answer: TestResponse) -> None:
    assert answer.status_code == 409, answer.text
    assert shaped({"message": str}, answer.json)
    assert CONNECT in answer.get_json()["message"]


# From start to finish


def test_driver_connects_and_the_car_is_synced(
    api: FlaskClient, live: str, sink: ScriptedSink, ada: Person
) -> None:
    connect(api, live)
    assert list_vins(api, live) == [ACCORD, MODEL_3]
    data = sync_car(api, live)
    assert data["signals"] == {
        "odometer": 128_412,
        "battery_voltage": 12.4,
        "battery_percent": None,
        "oil_life_percent": 38.0,
        "tire_pressures": {"front_left": 31.0, "front_right": 32.0, "rear_left": 30.0, "rear_right": 31.0},
        "dtc_codes": ["P0420"],
    }
    assert (data["health"]["score"], data["health"]["grade"]) == (83.5, "B")
    ((reading, caller),) = sink.recorded

    assert (reading.vin, reading.odometer, caller.user_id) == (ACCORD, 128_412, ada.id)


def test_vin_and_e_mail_are_normalized(api: FlaskClient, live: str) -> None:
    connect(api, live, "Driver@Example.COM")

    assert list_vins(api, live, "DRIVER@example.com") == [ACCORD, MODEL_3]
    assert sync_car(api, live, f"{ACCORD[:3].lower()}-{ACCORD[3:]}")["vin"] == ACCORD


def test_callback_uses_the_providers_e_mail(api: FlaskClient, live: str, provider: CarServer) -> None:
    provider.email = "Known@Example.com"
    connect(api, live, None)

    assert list_vins(api, live, "known@example.com") == [ACCORD, MODEL_3]


def test_second_callback_replaces_the_first_consent(api: FlaskClient, live: str, database_url: str) -> None:
    for _ in range(2):
        connect(api, live)
    assert rows(database_url)["car_connections"] == 1
    assert list_vins(api, live) == [ACCORD, MODEL_3]
    sync_car(api, live)


def test_session_and_key_of_a_user_share_their_cars(api: FlaskClient, live: str, ada: Person) -> None:
    connect(api, live)

    assert list_vins(api, ada.token) == [ACCORD, MODEL_3]


# The state


@pytest.mark.parametrize(
    "forge",
    [
        lambda _: "",
        lambda _: "forged",
        lambda state: state[:-1] + ("A" if state[-1] != "A" else "B"),
        lambda state: state.replace(".live.", ".test."),
        lambda state: state + ".x",
        lambda _: "v1." + "0" * 32 + ".live.1.99999999999." + "A" * 43,
    ],
)
def test_callback_rejects_a_forged_state(
    api: FlaskClient, live: str, provider: CarServer, database_url: str, forge: Callable[[str], str]
) -> None:
    back = urlsplit(consent(start_flow(api, live)))
    data = {name: values[0] for name, values in parse_qs(back.query).items()}
    answer = api.get(CALLBACK, query_string={**data, "state": forge(data["state"])})

    assert error_fields(answer) == {"state"}
    assert rows(database_url)["car_connections"] == 0
    assert provider.requests("token") == 0
    assert api.get(CALLBACK, query_string=data).status_code == 200


def test_callback_accepts_a_state_once(
    api: FlaskClient, live: str, provider: CarServer, database_url: str
) -> None:
    back = consent(start_flow(api, live))

    assert api.get(back).status_code == 200
    assert error_fields(api.get(back)) == {"state"}
    assert provider.requests("token") == 1
    assert rows(database_url)["car_connections"] == 1


def test_callback_accepts_one_of_concurrent_callers(
    api: FlaskClient, core: Core, live: str, provider: CarServer
) -> None:
    back = consent(start_flow(api, live))
    app = serve_core(core)
    statuses = sorted(at_once(6, lambda: app.test_client().get(back).status_code))

    assert statuses == [200, *[422] * 5]
    assert provider.requests("token") == 1


def test_callback_rejects_an_expired_state(api: FlaskClient, live: str, clock: FrozenClock) -> None:
    in_time, late = (consent(start_flow(api, live)) for _ in range(2))
    clock.advance(timedelta(minutes=9, seconds=58))
    assert api.get(in_time).status_code == 200
    clock.advance(timedelta(seconds=2))

    assert error_fields(api.get(late)) == {"state"}


def test_callback_rejects_a_state_of_another_installation(
    api: FlaskClient, live: str, core: Core, provider: CarServer, open_core: OpenCore
) -> None:
    other = open_core(secret_key="another-secret-of-thirty-two-letters")
    remote = core.connected_cars.provider
    theirs = serve_core(with_cars(other, remote)).test_client()

    assert error_fields(theirs.get(consent(start_flow(api, live)))) == {"state"}
    assert provider.requests("token") == 0


def test_callback_rejects_a_state_of_another_owner(
    api: FlaskClient, core: Core, live: str, eve: Person, database_url: str
) -> None:
    """Sign Ada's flow as Eve's, which takes the key: the stored flow decides."""
    back = consent(start_flow(api, live))
    data = {name: values[0] for name, values in parse_qs(urlsplit(back).query).items()}
    key = core.connected_cars.keys.state
    state = parse_state(data["state"], key)
    assert state is not None
    with closing(Database(database_url)) as database, work.open_work(database, write=True) as unit:
        flow = unit.car_flows.take(state.flow_id, environment=state.environment, owner_id=state.owner_id)
        assert flow is not None
        unit.car_flows.add(flow)
    foreign = sign_state(evolve(flow, owner_id=eve.id), key)

    assert error_fields(api.get(CALLBACK, query_string={**data, "state": foreign})) == {"state"}
    assert rows(database_url)["car_connections"] == 0
    assert api.get(back).status_code == 200
    assert get(api, compliance_path(), eve.token).status_code == 404


def test_callback_rejects_a_state_that_the_provider_changed(
    api: FlaskClient, live: str, provider: CarServer, database_url: str
) -> None:
    provider.behave("authorize", Mishap.WRONG_STATE)

    assert error_fields(complete_flow(api, live)) == {"state"}
    assert rows(database_url)["car_connections"] == 0


def test_callback_rejects_a_code_of_another_flow(api: FlaskClient, live: str, database_url: str) -> None:
    mine, others = (
        {name: values[0] for name, values in parse_qs(urlsplit(consent(start_flow(api, live))).query).items()}
        for _ in range(2)
    )
    answer = api.get(CALLBACK, query_string={"state": mine["state"], "code": others["code"]})

    assert error_fields(answer) == {"code"}
    assert rows(database_url)["car_connections"] == 0


# Errors from the provider


def test_callback_reports_a_driver_who_declined(
    api: FlaskClient, live: str, provider: CarServer, database_url: str
) -> None:
    provider.behave("authorize", Mishap.DECLINE)
    answer = complete_flow(api, live)

    assert error_fields(answer) == {"error"}
    assert "the driver declined (access_denied)" in answer.get_json()["message"]
    assert rows(database_url)["car_connections"] == 0
    assert provider.requests("token") == 0


@pytest.mark.parametrize(
    ("error", "expected"),
    [("server_error", "server_error"), ("<script>alert(1)</script>", "scriptalert1script"), ("%00", None)],
)
def test_callback_reports_any_error_without_markup(
    api: FlaskClient, live: str, error: str, expected: str | None
) -> None:
    back = consent(start_flow(api, live))
    state = parse_qs(urlsplit(back).query)["state"][0]
    answer = api.get(f"{CALLBACK}?state={state}&error={error}")
    assert answer.status_code == (400 if expected is None else 422)
    assert "<" not in answer.text
    if expected is not None:
        assert f"({expected})" in answer.get_json()["message"]


@pytest.mark.parametrize("step", ["token", "vehicles"])
@pytest.mark.parametrize("mishap", [Mishap.HANG, Mishap.FAIL, Mishap.GARBAGE])
def test_callback_with_a_failing_provider_stores_nothing(  # noqa: PLR0917 - fixtures
    api: FlaskClient, live: str, provider: CarServer, database_url: str, step: str, mishap: Mishap
) -> None:
    back = consent(start_flow(api, live))
    provider.behave(step, mishap)
    began = time.monotonic()
    unavailable_message(api.get(back))
    assert time.monotonic() - began < GRACE
    assert rows(database_url)["car_connections"] == 0
    assert provider.agreements == 0
    provider.behave(step, None)
    connect(api, live)


def test_callback_of_a_driver_without_cars_revokes_the_consent(
    api: FlaskClient, live: str, provider: CarServer, database_url: str
) -> None:
    provider.cars = {}

    assert error_fields(complete_flow(api, live)) == {"code"}
    assert rows(database_url)["car_connections"] == 0
    assert provider.agreements == 0


def test_callback_can_be_repeated_when_the_provider_is_back(
    api: FlaskClient, live: str, provider: CarServer
) -> None:
    back = consent(start_flow(api, live))
    provider.behave("token", Mishap.FAIL)
    unavailable_message(api.get(back))
    provider.behave("token", None)

    assert api.get(back).status_code == 200
    assert error_fields(api.get(back)) == {"state"}


@pytest.mark.parametrize("mishap", [Mishap.HANG, Mishap.FAIL, Mishap.GARBAGE])
def test_sync_with_a_failing_provider_changes_nothing(
    api: FlaskClient, live: str, provider: CarServer, sink: ScriptedSink, mishap: Mishap
) -> None:
    connect(api, live)
    for step in ("status", "token"):
        provider.behave(step, mishap)
        if step == "token":
            provider.expire()
        began = time.monotonic()
        unavailable_message(get(api, compliance_path(), live))
        assert time.monotonic() - began < GRACE
        provider.behave(step, None)
    assert not sink.recorded
    assert list_vins(api, live) == [ACCORD, MODEL_3]
    sync_car(api, live)


def test_sync_fails_if_signals_cannot_be_stored(api: FlaskClient, live: str, sink: ScriptedSink) -> None:
    connect(api, live)
    sink.failure = Unavailable("The database is not responding.")
    assert get(api, compliance_path(), live).status_code == 503
    sink.failure = None
    sync_car(api, live)


# Tokens


def test_sync_refreshes_a_rejected_token(api: FlaskClient, live: str, provider: CarServer) -> None:
    connect(api, live)
    provider.expire()
    for _ in range(2):
        sync_car(api, live)

    assert provider.requests("token") == 2


def test_sync_refreshes_a_token_before_it_expires(
    api: FlaskClient, live: str, provider: CarServer, clock: FrozenClock
) -> None:
    connect(api, live)
    clock.advance(timedelta(minutes=58))
    sync_car(api, live)
    assert provider.requests("token") == 1
    clock.advance(timedelta(minutes=1, seconds=1))
    sync_car(api, live)

    assert (provider.requests("token"), provider.requests("status")) == (2, 2)


def test_sync_by_concurrent_callers_refreshes_once(
    api: FlaskClient, core: Core, live: str, provider: CarServer, clock: FrozenClock
) -> None:
    connect(api, live)
    clock.advance(timedelta(minutes=59, seconds=30))
    workers = iter([serve_core(core) for _ in range(4)])
    statuses = at_once(4, lambda: get(next(workers).test_client(), compliance_path(), live).status_code)

    assert list(statuses) == [200] * 4
    assert (provider.requests("token"), provider.agreements) == (2, 1)


def test_sync_fails_with_the_refresh_that_it_waits_for(
    api: FlaskClient, core: Core, live: str, provider: CarServer
) -> None:
    connect(api, live)
    provider.expire()
    provider.behave("token", Mishap.HANG)
    app = serve_core(core)
    began = time.monotonic()
    statuses = at_once(4, lambda: get(app.test_client(), compliance_path(), live).status_code)
    assert time.monotonic() - began < GRACE
    assert list(statuses) == [503] * 4
    provider.behave("token", None)
    sync_car(api, live)


def test_sync_with_withdrawn_consent_revokes_the_connection(
    api: FlaskClient, live: str, provider: CarServer, sink: ScriptedSink, database_url: str
) -> None:
    connect(api, live)
    provider.withdraw()
    assert_withdrawn(get(api, compliance_path(), live))
    before = provider.requests("token")
    assert_withdrawn(get(api, compliance_path(MODEL_3), live))
    assert provider.requests("token") == before
    assert list_vins(api, live) == []
    assert not sink.recorded
    with closing(Database(database_url)) as database, database.transaction(write=False) as connection:
        stored = connection.exec_driver_sql("SELECT standing, sealed FROM car_connections").all()
    assert [tuple(row) for row in stored] == [("revoked", None)]
    connect(api, live)
    sync_car(api, live)

    assert rows(database_url)["car_connections"] == 1


def test_sync_of_a_sold_car_leaves_the_others(api: FlaskClient, live: str, provider: CarServer) -> None:
    connect(api, live)
    provider.cars = {MODEL_3: CARS[MODEL_3]}
    assert_withdrawn(get(api, compliance_path(), live))
    sync_car(api, live, MODEL_3)


def test_database_has_no_token_code_or_verifier_in_the_clear(
    api: FlaskClient, live: str, provider: CarServer, database_url: str
) -> None:
    url = start_flow(api, live)
    back = consent(url)
    api.get(back)
    secrets = {parse_qs(urlsplit(back).query)["code"][0], *provider.tokens}
    assert len(secrets) == 3
    with closing(Database(database_url)) as database, database.transaction(write=False) as connection:
        stored = [
            str(tuple(row))
            for table in ("car_flows", "car_connections", "connected_cars", "audit")
            for row in connection.exec_driver_sql(f"SELECT * FROM {table}")  # noqa: S608 - names from here
        ]

    assert stored
    assert not [row for row in stored for secret in secrets if secret in row]


def test_rotate_keys_needs_no_driver(api: FlaskClient, core: Core, live: str) -> None:
    connect(api, live)
    old, new = FernetVault.of([core.secret]), FernetVault.of(["n" * 32])
    both = FernetVault.of(["n" * 32, core.secret])
    rotation = evolve(core.connected_cars, vault=both).rotate_keys()
    assert (rotation.renewed, rotation.unreadable) == (1, 0)
    rotated = core.replacing(connected_cars=evolve(core.connected_cars, vault=new))
    sync_car(serve_core(rotated).test_client(), live)
    lost = core.replacing(connected_cars=evolve(core.connected_cars, vault=old))
    assert "keys" in unavailable_message(get(serve_core(lost).test_client(), compliance_path(), live))
    assert lost.connected_cars.rotate_keys().unreadable == 1
    sync_car(serve_core(rotated).test_client(), live)  # a missing key breaks nothing


def test_rotate_keys_during_a_refresh_loses_no_token(
    api: FlaskClient, core: Core, live: str, provider: CarServer
) -> None:
    connect(api, live)
    provider.expire()
    app, both = serve_core(core), FernetVault.of(["n" * 32, core.secret])
    rotating = evolve(core.connected_cars, vault=both)
    turns = iter((True, False))

    def sync_or_rotate() -> None:
        if next(turns):
            get(app.test_client(), compliance_path(), live)
        else:
            rotating.rotate_keys()

    at_once(2, sync_or_rotate)
    assert provider.agreements == 1
    with_both = core.replacing(connected_cars=rotating)
    sync_car(serve_core(with_both).test_client(), live)


def test_rotate_keys_after_a_failed_refresh_uses_the_newest_key(
    api: FlaskClient, core: Core, live: str, database_url: str, clock: FrozenClock
) -> None:
    connect(api, live)
    until = clock() + timedelta(seconds=30)
    with closing(Database(database_url)) as database:
        with work.open_work(database, write=True) as unit:
            (stored,) = unit.car_connections.list_sealed(after=None, limit=1)
            assert unit.refresh_leases.acquire(stored, now=clock(), until=until)

        def refresh_fails(_: float) -> None:
            with work.open_work(database, write=True) as unit:
                unit.refresh_leases.release(stored.id, until=until)

        both = FernetVault.of(["n" * 32, core.secret])
        rotation = evolve(core.connected_cars, vault=both, wait=refresh_fails).rotate_keys()
    assert (rotation.renewed, rotation.unreadable) == (1, 0)
    new = evolve(core.connected_cars, vault=FernetVault.of(["n" * 32]))
    sync_car(serve_core(core.replacing(connected_cars=new)).test_client(), live)


def test_rotate_keys_fails_while_a_lease_is_held(
    api: FlaskClient, core: Core, live: str, database_url: str, clock: FrozenClock
) -> None:
    connect(api, live)
    with closing(Database(database_url)) as database, work.open_work(database, write=True) as unit:
        (stored,) = unit.car_connections.list_sealed(after=None, limit=1)
        assert unit.refresh_leases.acquire(stored, now=clock(), until=clock() + timedelta(seconds=30))
    with pytest.raises(Conflict):
        evolve(core.connected_cars, wait=lambda _: None).rotate_keys()


# Ownership


def test_cars_of_other_owners_are_not_found(api: FlaskClient, live: str, eve: Person, test_key: str) -> None:
    connect(api, live)
    nobodys = get(api, compliance_path("1HGCM82633A000000"), eve.token)
    others = get(api, compliance_path(), eve.token)

    assert (others.status_code, others.data) == (nobodys.status_code, nobodys.data)
    assert others.status_code == 404
    assert shaped({"message": str}, others.json)
    assert get(api, compliance_path(), test_key).data == nobodys.data
    assert list_vins(api, eve.token) == list_vins(api, test_key) == []


def test_two_callers_may_connect_the_same_car(api: FlaskClient, live: str, eve: Person) -> None:
    connect(api, live)
    connect(api, eve.token)
    for token in (live, eve.token):
        sync_car(api, token)


def test_admin_sees_only_their_own_cars(api: FlaskClient, core: Core, live: str, eve: Person) -> None:
    connect(api, live)
    core.accounts.set_role(eve.email, Role.ADMIN)

    assert list_vins(api, eve.token) == []
    assert get(api, compliance_path(), eve.token).status_code == 404


# Bad input


@pytest.mark.parametrize(
    ("path", "bad"),
    [
        (f"{CONNECT}?email=", {"email"}),
        (f"{CONNECT}?email=nobody", {"email"}),
        (f"{CONNECT}?email=a@b.example&email=c@d.example", {"email"}),
        (f"{CONNECT}?email={'a' * 300}@example.com", {"email"}),
        (LOOKUP, {"email"}),
        (f"{LOOKUP}?email=nobody", {"email"}),
        (CALLBACK, {"state", "code"}),
        (f"{CALLBACK}?state=x", {"state", "code"}),
        (f"{CALLBACK}?code=x", {"state"}),
        (f"{CALLBACK}?error=access_denied", {"state"}),
        (f"{CALLBACK}?state={'x' * 5000}&code=x", {"state"}),
        (f"{CALLBACK}?state=a&state=b&code=x", {"state"}),
        (compliance_path("1HGCM82633A00435"), {"vin"}),
        (compliance_path("1HGCM82633A0O4352"), {"vin"}),
        (compliance_path("%F0%9F%9A%97"), {"vin"}),
        (compliance_path("x" * 300), {"vin"}),
    ],
)
def test_every_bad_field_is_named(api: FlaskClient, live: str, path: str, bad: set[str]) -> None:
    assert error_fields(get(api, path, live)) == bad


@pytest.mark.parametrize("path", [f"{CONNECT}?email=%00", f"{LOOKUP}?email=%00", f"{CALLBACK}?state=%00"])
def test_nul_character_is_rejected(api: FlaskClient, live: str, path: str) -> None:
    assert get(api, path, live).status_code == 400


def test_head_request_starts_no_flow_and_reads_no_car(
    api: FlaskClient, live: str, provider: CarServer
) -> None:
    connect(api, live)
    before = provider.requests("status")
    for path in (CONNECT, CALLBACK, compliance_path()):
        assert api.head(path, headers=bearer(live)).status_code == 405

    assert provider.requests("status") == before
    assert api.head(f"{LOOKUP}?email={EMAIL}", headers=bearer(live)).status_code == 200


# No provider, and the sandbox


def test_live_without_a_provider_is_unavailable(core: Core, api: FlaskClient, live: str) -> None:
    back = consent(start_flow(api, live))
    without_provider = serve_core(with_cars(core, None)).test_client()
    for path in (CONNECT, f"{LOOKUP}?email={EMAIL}", compliance_path(), back):
        assert "configured" in unavailable_message(get(without_provider, path, live))


def connect_in_sandbox(api: FlaskClient, token: str, email: str | None = None) -> TestResponse:
    back = urlsplit(start_flow(api, token, email))
    return api.get(f"{back.path}?{back.query}")


def test_test_keys_use_the_sandbox_without_a_network(
    core: Core, api: FlaskClient, test_key: str, live: str, provider: CarServer
) -> None:
    without_provider = serve_core(with_cars(core, None)).test_client()

    assert connect_in_sandbox(without_provider, test_key, EMAIL).status_code == 200
    assert list_vins(without_provider, test_key) == [ACCORD, MODEL_3]
    assert sync_car(without_provider, test_key)["signals"]["odometer"] == 128_412
    assert sync_car(without_provider, test_key, MODEL_3)["signals"]["battery_percent"] == 81
    assert provider.requests("token") == 0
    assert list_vins(api, live) == []


def test_sandbox_has_a_driver_for_every_outcome(api: FlaskClient, test_key: str) -> None:
    declined = connect_in_sandbox(api, test_key, "declines@example.com")
    assert error_fields(declined) == {"error"}
    assert connect_in_sandbox(api, test_key, "revokes@example.com").status_code == 200
    assert list_vins(api, test_key, "revokes@example.com") == ["1FTFW1E53JK000001"]
    assert_withdrawn(get(api, compliance_path("1FTFW1E53JK000001"), test_key))
    assert list_vins(api, test_key, "revokes@example.com") == []
    assert connect_in_sandbox(api, test_key, "down@example.com").status_code == 200
    unavailable_message(get(api, compliance_path("2T3P1RFV5LC000001"), test_key))


def test_sandbox_rejects_an_unknown_code(api: FlaskClient, test_key: str) -> None:
    state = parse_qs(urlsplit(start_flow(api, test_key)).query)["state"][0]

    assert error_fields(api.get(f"{CALLBACK}?state={state}&code=made-up")) == {"code"}


# Disconnecting


def test_disconnect_removes_a_driver_here_and_at_the_provider(
    core: Core, api: FlaskClient, live: str, provider: CarServer, database_url: str
) -> None:
    connect(api, live)
    result = core.connected_cars.disconnect(EMAIL)
    assert (result.vins, result.connections, result.revoked) == ((ACCORD, MODEL_3), 1, 1)
    assert provider.agreements == 0
    assert rows(database_url)["car_connections"] == rows(database_url)["connected_cars"] == 0
    assert get(api, compliance_path(), live).status_code == 404
    (entry,) = (one for one in core.audit.list_newest(limit=5) if one.action == "connected_car.disconnect")

    assert EMAIL not in str(entry)
    assert ACCORD not in str(entry)


def test_disconnecting_the_last_car_revokes_the_consent(
    core: Core, api: FlaskClient, live: str, provider: CarServer
) -> None:
    connect(api, live)

    assert core.connected_cars.disconnect(ACCORD).connections == 0
    assert (list_vins(api, live), provider.agreements) == ([MODEL_3], 1)
    assert core.connected_cars.disconnect(MODEL_3).revoked == 1
    assert (list_vins(api, live), provider.agreements) == ([], 0)


@pytest.mark.parametrize("mishap", [Mishap.HANG, Mishap.FAIL])
def test_disconnect_deletes_even_without_the_provider(  # noqa: PLR0917 - fixtures
    core: Core, api: FlaskClient, live: str, provider: CarServer, database_url: str, mishap: Mishap
) -> None:
    connect(api, live)
    provider.behave("revoke", mishap)

    assert core.connected_cars.disconnect(EMAIL).revoked == 0
    assert rows(database_url)["car_connections"] == 0


def test_disconnect_affects_only_the_callers_cars(
    core: Core, api: FlaskClient, live: str, ada: Person, eve: Person
) -> None:
    connect(api, live)
    with pytest.raises(NoConnectedCar):
        core.connected_cars.disconnect(EMAIL, core.accounts.caller_for(eve.email))
    with pytest.raises(NoConnectedCar):
        core.connected_cars.disconnect(ACCORD, core.accounts.caller_for(eve.email))

    assert core.connected_cars.disconnect(ACCORD, core.accounts.caller_for(ada.email)).vins == (ACCORD,)


def test_sync_of_a_car_disconnected_meanwhile_is_not_found(
    core: Core, api: FlaskClient, live: str, provider: CarServer
) -> None:
    connect(api, live)
    provider.expire()
    data: list[Failure] = []

    def wait(_: float) -> None:
        core.connected_cars.disconnect(EMAIL)

    hasty = evolve(core.connected_cars, wait=wait)
    provider.behave("token", Mishap.HANG)

    def sync() -> None:
        try:
            hasty.sync(ACCORD, core.accounts.caller_for("ada@example.org"))
        except Failure as failure:
            data.append(failure)

    at_once(2, sync)

    assert len(data) == 2
    assert all(isinstance(one, NoConnectedCar | Unavailable | Reconnect | Conflict) for one in data)


# Fleet health


def test_sync_records_signals_and_updates_the_health(
    core: Core, open_core: OpenCore, live: str, eve: Person
) -> None:
    client = serve_core(with_cars(open_core(), core.connected_cars.provider)).test_client()
    connect(client, live)
    before = get(client, f"/api/v1/fleet/vehicles/{ACCORD}/health", live).get_json()["data"]
    data = sync_car(client, live)["health"]
    after = get(client, f"/api/v1/fleet/vehicles/{ACCORD}/health", live).get_json()["data"]
    assert (data["score"], data["grade"], data["coverage"]) == (
        after["score"],
        after["grade"],
        after["coverage"],
    )
    assert data["coverage"] > before["coverage"]
    assert {part["name"] for part in data["components"]} >= {"battery", "trouble_codes"}
    stored = get(client, f"/api/v1/fleet/vehicles/{ACCORD}/signals", live).get_json()["data"]
    assert {(one["kind"], one["source"]) for one in stored} == {
        (kind, "connected_car")
        for kind in ("odometer", "battery_voltage", "oil_life_percent", "tire_pressures", "dtc_codes")
    }
    others = get(client, f"/api/v1/fleet/vehicles/{ACCORD}/health", eve.token).get_json()["data"]

    assert others["coverage"] == before["coverage"]
