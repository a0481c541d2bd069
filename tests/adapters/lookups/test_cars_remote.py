"""The client of a connected-car provider, against a strict and a misbehaving one."""

import json
import logging
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from attrs import evolve
from tests.adapters.lookups.conftest import clock
from typing_extensions import override

from repaircore.adapters.lookups.cars_remote import RemoteCars
from repaircore.adapters.outbound.circuit import OPENS_AFTER
from repaircore.connected_cars.errors import AccessRefused, CarGone, CarSourceUnavailable, CodeRefused
from repaircore.connected_cars.model import Authorization, GrantedCars, Tokens
from repaircore.connected_cars.oauth import pkce_challenge
from repaircore.external_settings import CarProviderSettings
from repaircore.testing.car_provider import ACCORD, MODEL_3, CarServer, Mishap
from repaircore.testing.upstream import (
    BIG_BODY,
    DEEP,
    DRIP,
    DRIPPING_HEADERS,
    HANG,
    HTML,
    INVALID_UTF8,
    REDIRECT,
    RESET,
    Behavior,
    Body,
    Exchange,
    MisbehavingUpstream,
    Raw,
    Status,
)

GRACE = 3.0
REDIRECT_URI = "https://repairs.example/api/v1/connectedcar/callback"
VERIFIER = "v" * 43
STATUS = f"/v1/vehicles/{ACCORD}/status"
TOKENS = Tokens(access="hush-access", refresh="hush-refresh")


@pytest.fixture
def provider() -> Iterator[CarServer]:
    with CarServer(clock=clock) as server:
        yield server


@pytest.fixture
def cars(provider: CarServer) -> RemoteCars:
    return RemoteCars.at(provider.settings, redirect=REDIRECT_URI, clock=clock)


def agree(cars: RemoteCars, *, verifier: str = VERIFIER, email: str | None = None) -> str:
    """Follow the driver's authorization redirect and return the code."""
    authorization = Authorization(state="st-1", challenge=pkce_challenge(verifier), email=email)
    answer = httpx.get(cars.authorization_url(authorization), trust_env=False)
    assert answer.status_code == 302, answer.text
    back = urlsplit(answer.headers["location"])
    result = parse_qs(back.query)
    assert back._replace(query="").geturl() == REDIRECT_URI
    assert result["state"] == ["st-1"]
    return result["code"][0]


def test_authorization_url_requests_a_code_with_a_proof_key(cars: RemoteCars) -> None:
    settings = evolve(cars.settings, authorize_url="https://cars.example/agree?market=us")
    authorization = Authorization(state="a.b", challenge="ch", email="driver+1@example.com")
    url = urlsplit(evolve(cars, settings=settings).authorization_url(authorization))

    assert url._replace(query="").geturl() == "https://cars.example/agree"
    assert parse_qs(url.query) == {
        "market": ["us"],
        "response_type": ["code"],
        "client_id": ["repaircore-sandbox"],
        "redirect_uri": [REDIRECT_URI],
        "scope": ["read_vehicles"],
        "state": ["a.b"],
        "code_challenge": ["ch"],
        "code_challenge_method": ["S256"],
        "login_hint": ["driver+1@example.com"],
    }


def test_exchange_grants_access_to_the_drivers_cars(cars: RemoteCars) -> None:
    tokens = cars.exchange(agree(cars, email="driver@example.com"), VERIFIER)
    assert tokens.expires_at == clock() + timedelta(hours=1)
    assert cars.list_cars(tokens.access) == GrantedCars(vins=(ACCORD, MODEL_3), email="driver@example.com")
    accord, tesla = (cars.read(tokens.access, vin) for vin in (ACCORD, MODEL_3))

    assert (accord.odometer, accord.oil_life_percent, accord.dtc_codes) == (128_412, 38.0, ("P0420",))
    assert accord.tire_pressures["front_right"] == 32.0
    assert (tesla.battery_percent, tesla.oil_life_percent, tesla.dtc_codes) == (81.0, None, ())
    assert tesla.measured_at == clock()


def test_exchange_accepts_a_code_once_and_only_with_its_verifier(cars: RemoteCars) -> None:
    code = agree(cars)
    with pytest.raises(CodeRefused):
        cars.exchange(code, "w" * 43)
    with pytest.raises(CodeRefused):
        cars.exchange(code, VERIFIER)
    with pytest.raises(CodeRefused):
        cars.exchange("made-up", VERIFIER)


def test_refresh_rotates_tokens(cars: RemoteCars, provider: CarServer) -> None:
    old = cars.exchange(agree(cars), VERIFIER)
    provider.expire()
    with pytest.raises(AccessRefused):
        cars.read(old.access, ACCORD)
    new = cars.refresh(old.refresh or "")
    assert cars.read(new.access, ACCORD).vin == ACCORD
    with pytest.raises(AccessRefused):
        cars.refresh(old.refresh or "")


def test_refresh_distinguishes_withdrawn_consent_from_a_failing_provider(
    cars: RemoteCars, provider: CarServer
) -> None:
    tokens = cars.exchange(agree(cars), VERIFIER)
    assert cars.revoke(tokens)
    assert provider.agreements == 0
    with pytest.raises(AccessRefused):
        cars.refresh(tokens.refresh or "")
    provider.behave("token", Mishap.FAIL)
    with pytest.raises(CarSourceUnavailable):
        cars.refresh(tokens.refresh or "")


def test_revoke_without_an_address_returns_false(provider: CarServer) -> None:
    quiet = RemoteCars.at(evolve(provider.settings, revoke_url=None), redirect=REDIRECT_URI, clock=clock)

    assert not quiet.revoke(TOKENS)
    assert provider.requests("revoke") == 0


def test_read_of_a_car_that_is_gone(cars: RemoteCars, provider: CarServer) -> None:
    tokens = cars.exchange(agree(cars), VERIFIER)
    del provider.cars[ACCORD]
    with pytest.raises(CarGone):
        cars.read(tokens.access, ACCORD)


def test_exchange_with_an_unknown_client_is_unavailable(cars: RemoteCars, provider: CarServer) -> None:
    wrong = RemoteCars.at(
        evolve(provider.settings, client_secret="hush-wrong"), redirect=REDIRECT_URI, clock=clock
    )
    code = agree(cars)
    with pytest.raises(CarSourceUnavailable, match="client ID or secret") as result:
        wrong.exchange(code, VERIFIER)
    assert "hush" not in result.value.message
    with pytest.raises(CarSourceUnavailable, match="client ID or secret"):
        wrong.refresh("hush-refresh")


# A misbehaving provider


@pytest.fixture
def upstream() -> Iterator[MisbehavingUpstream]:
    with MisbehavingUpstream(Status(500)) as server:
        yield server


@pytest.fixture
def ask(upstream: MisbehavingUpstream) -> RemoteCars:
    settings = CarProviderSettings(
        authorize_url=f"{upstream.url}/authorize",
        token_url=f"{upstream.url}/token",
        api_url=upstream.url,
        revoke_url=f"{upstream.url}/revoke",
        client_id="us",
    )
    return RemoteCars.at(settings, redirect=REDIRECT_URI, clock=clock, seconds=0.4)


ASKS: dict[str, tuple[str, Callable[[RemoteCars], object]]] = {
    "exchange": ("/token", lambda cars: cars.exchange("hush-code", VERIFIER)),
    "refresh": ("/token", lambda cars: cars.refresh("hush-refresh")),
    "revoke": ("/revoke", lambda cars: cars.revoke(TOKENS)),
    "list_cars": ("/v1/vehicles", lambda cars: cars.list_cars("hush-access")),
    "read": (STATUS, lambda cars: cars.read("hush-access", ACCORD)),
}
BAD = {
    "hang": HANG,
    "drip": DRIP,
    "dripping headers": DRIPPING_HEADERS,
    "reset": RESET,
    "flood": BIG_BODY,
    "redirect": REDIRECT,
    "500": Status(500),
    "403": Status(403),
    "429": Status(429),
    "no http": Raw(b"SSH-2.0-OpenSSH_9.6\r\n"),
}
UNREADABLE = {
    "html": HTML,
    "deep": DEEP,
    "invalid utf-8": INVALID_UTF8,
    "a list": Body(b"[]"),
    "empty": Body(b""),
    "another shape": Body(b'{"ok": true, "vin": 7, "vehicles": {}}'),
    "nan": Body(b'{"vin": NaN}'),
}


@pytest.mark.parametrize("step", ASKS)
@pytest.mark.parametrize("behavior", BAD.values(), ids=BAD)
def test_every_call_maps_a_bad_answer_to_unavailable_without_secrets(
    upstream: MisbehavingUpstream,
    ask: RemoteCars,
    step: str,
    behavior: Behavior,
    caplog: pytest.LogCaptureFixture,
) -> None:
    path, call = ASKS[step]
    upstream.behave(path, behavior)
    began = time.monotonic()
    with caplog.at_level(logging.DEBUG), pytest.raises(CarSourceUnavailable) as result:
        call(ask)

    assert time.monotonic() - began < GRACE
    assert result.value.code == "CONNECTED_CAR_UNAVAILABLE"
    assert "hush" not in f"{result.value.message}{caplog.text}"
    assert ACCORD not in f"{result.value.message}{caplog.text}"


@pytest.mark.parametrize("step", [step for step in ASKS if step != "revoke"])
@pytest.mark.parametrize("behavior", UNREADABLE.values(), ids=UNREADABLE)
def test_every_call_maps_an_unknown_answer_to_unavailable(
    upstream: MisbehavingUpstream, ask: RemoteCars, step: str, behavior: Behavior
) -> None:
    path, call = ASKS[step]
    upstream.behave(path, behavior)
    with pytest.raises(CarSourceUnavailable):
        call(ask)


def test_exchange_and_refresh_are_never_retried(upstream: MisbehavingUpstream, ask: RemoteCars) -> None:
    for step in ("exchange", "refresh"):
        before = upstream.requests("/token")
        with pytest.raises(CarSourceUnavailable):
            ASKS[step][1](ask)
        assert upstream.requests("/token") == before + 1


def test_failing_provider_is_not_called_for_a_while(upstream: MisbehavingUpstream, ask: RemoteCars) -> None:
    for _ in range(OPENS_AFTER + 2):
        with pytest.raises(CarSourceUnavailable) as result:
            ask.refresh("hush-refresh")

    assert "paused" in result.value.message
    assert upstream.requests("/token") == OPENS_AFTER


@pytest.mark.parametrize(
    "changes",
    [
        {"token_type": "mac"},
        {"token_type": None},
        {"access_token": None},
        {"access_token": ""},
        {"access_token": "two words"},
        {"access_token": "a" * 10_000},
        {"access_token": "line\nbreak"},
        {"refresh_token": 7},
        {"expires_in": -1},
        {"expires_in": 0},
        {"expires_in": "3600"},
        {"expires_in": 10**12},
        {"expires_in": True},
    ],
)
def test_exchange_rejects_impossible_tokens(
    upstream: MisbehavingUpstream, ask: RemoteCars, changes: dict[str, Any]
) -> None:
    result = {"access_token": "a", "refresh_token": "r", "token_type": "bearer", "expires_in": 60, **changes}
    upstream.behave("/token", Body(json.dumps(result).encode()))
    with pytest.raises(CarSourceUnavailable):
        ask.refresh("hush-refresh")


def test_exchange_accepts_tokens_without_expiry_and_refresh_token(
    upstream: MisbehavingUpstream, ask: RemoteCars
) -> None:
    upstream.behave("/token", Body(b'{"access_token": "a", "token_type": "bearer"}'))

    assert ask.refresh("hush-refresh") == Tokens(access="a")
    assert b"client_id=us" in upstream.received("/token")[0].body


@pytest.mark.parametrize(
    "changes",
    [
        {"vin": MODEL_3},
        {"odometer_miles": -1},
        {"odometer_miles": "12"},
        {"odometer_miles": True},
        {"odometer_miles": 10**9},
        {"battery_voltage": 1e6},
        {"battery_percent": 101},
        {"oil_life_percent": -0.5},
        {"tire_pressures_psi": [31]},
        {"tire_pressures_psi": {"front left": 31}},
        {"tire_pressures_psi": {"front_left": 900}},
        {"tire_pressures_psi": {f"wheel_{n}": 30 for n in range(50)}},
        {"dtc_codes": "P0420"},
        {"dtc_codes": ["<script>"]},
        {"dtc_codes": [["P0420"]]},
        {"dtc_codes": ["P0420"] * 1000},
        {"measured_at": "yesterday"},
        {"measured_at": 7},
        {"measured_at": "2026-03-02T00:00:00Z"},
        {"measured_at": "0001-01-01T00:00:00+23:59"},
    ],
    ids=str,
)
def test_read_rejects_an_impossible_reading(
    upstream: MisbehavingUpstream, ask: RemoteCars, changes: dict[str, Any]
) -> None:
    upstream.behave(STATUS, Body(json.dumps({"vin": ACCORD, **changes}).encode()))
    with pytest.raises(CarSourceUnavailable):
        ask.read("hush-access", ACCORD)


def test_read_of_a_car_without_data(upstream: MisbehavingUpstream, ask: RemoteCars) -> None:
    upstream.behave(STATUS, Body(json.dumps({"vin": ACCORD, "odometer_miles": None}).encode()))
    reading = ask.read("hush-access", ACCORD)

    assert (reading.odometer, reading.tire_pressures, reading.dtc_codes) == (None, {}, None)
    assert reading.measured_at == clock()


def test_read_accepts_a_clock_that_is_slightly_fast(upstream: MisbehavingUpstream, ask: RemoteCars) -> None:
    result = {"vin": ACCORD, "measured_at": "2026-03-01T00:04:00Z"}
    upstream.behave(STATUS, Body(json.dumps(result).encode()))

    assert ask.read("hush-access", ACCORD).measured_at == clock()


@pytest.mark.parametrize(
    "listed", [[{"vin": "SHORT"}], [{"vin": None}], ["x"], [{}] * 1000, "x", [{"vin": ACCORD[:11]}]]
)
def test_list_cars_rejects_impossible_cars(
    upstream: MisbehavingUpstream, ask: RemoteCars, listed: Any
) -> None:
    upstream.behave("/v1/vehicles", Body(json.dumps({"vehicles": listed}).encode()))
    with pytest.raises(CarSourceUnavailable):
        ask.list_cars("hush-access")


@pytest.mark.parametrize(
    "driver", [None, "x", {}, {"email": 7}, {"email": "no address"}, {"email": "a" * 300 + "@b.c"}]
)
def test_list_cars_without_a_driver_has_no_e_mail(
    upstream: MisbehavingUpstream, ask: RemoteCars, driver: Any
) -> None:
    result = {"vehicles": [{"vin": ACCORD}, {"vin": ACCORD.lower()}], "driver": driver}
    upstream.behave("/v1/vehicles", Body(json.dumps(result).encode()))

    assert ask.list_cars("hush-access") == GrantedCars(vins=(ACCORD,))


class NotFound(Behavior):
    """Answer 404 with a document."""

    @override
    def act(self, exchange: Exchange) -> None:
        exchange.send(404, b'{"error": "no such page"}', {"content-type": "application/json"})


def test_read_at_a_wrong_address_is_not_a_missing_car(upstream: MisbehavingUpstream, ask: RemoteCars) -> None:
    upstream.behave(STATUS, NotFound())
    with pytest.raises(CarSourceUnavailable, match="404"):
        ask.read("hush-access", ACCORD)
