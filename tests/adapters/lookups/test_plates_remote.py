"""The client of a plate provider against a misbehaving one."""

import json
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pytest
from tests.adapters.lookups.conftest import clock
from typing_extensions import override

from repaircore.adapters.lookups.plates_remote import RemotePlates
from repaircore.adapters.outbound.circuit import OPENS_AFTER
from repaircore.testing.plate_provider import PlateServer
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
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.errors import PlateSourceUnavailable
from repaircore.vehicles.model import MotorType, Plate, Registration

VIN = "1HGCM82633A004352"
PLATE = Plate(state="CA", number="7ABC123")
PATH = "/v1/plates/CA/7ABC123"
GRACE = 3.0

Ask: TypeAlias = Callable[..., RemotePlates]


def response(**changes: Any) -> Body:
    """Answer with the registration and some changed members; ``...`` leaves one out."""
    whole = {"plate": "7ABC123", "state": "CA", "vin": VIN, **changes}
    return Body(json.dumps({name: value for name, value in whole.items() if value is not ...}).encode())


class NotFound(Behavior):
    """Answer 404 with a document."""

    def __init__(self, document: bytes) -> None:
        self._document = document

    @override
    def act(self, exchange: Exchange) -> None:
        exchange.send(404, self._document, {"content-type": "application/json"})


@pytest.fixture
def upstream() -> Iterator[MisbehavingUpstream]:
    with MisbehavingUpstream() as server:
        yield server


@pytest.fixture
def ask(upstream: MisbehavingUpstream) -> Ask:
    def build(*behaviors: Behavior, seconds: float = 20) -> RemotePlates:
        upstream.behave(PATH, *behaviors)
        return RemotePlates.at(upstream.url, api_key="sesame", clock=clock, seconds=seconds)

    return build


def test_key_goes_into_a_header_and_the_plate_into_the_path(upstream: MisbehavingUpstream, ask: Ask) -> None:
    assert ask(response()).find(PLATE) == Registration(vin=VIN)
    (sent,) = upstream.received()

    assert (sent.method, sent.path, sent.query) == ("GET", PATH, "")
    assert sent.headers["authorization"] == "Bearer sesame"


def test_no_key_sends_no_header(upstream: MisbehavingUpstream) -> None:
    upstream.behave("/base" + PATH, response())
    provider = RemotePlates.at(f"{upstream.url}/base/", api_key=None, clock=clock)
    assert provider.find(PLATE) == Registration(vin=VIN)
    (sent,) = upstream.received()

    assert "authorization" not in sent.headers


def test_answer_is_mapped_to_our_vocabulary(ask: Ask) -> None:
    whole = response(
        plate="7abc-123",
        state="ca",
        vin="1hgcm82633a004352",
        vehicle_type=" Sedan ",
        vehicle_type_group="Passenger",
        make="HONDA",
        model="Accord",
        year=2003,
        trim="EX",
        color="red",
    )

    assert ask(whole).find(PLATE) == Registration(
        vin=VIN,
        motor_type=MotorType(name="Sedan", group="Passenger"),
        specs=VehicleSpecs(make="Honda", model="Accord", year=2003, trim="EX", source="plates"),
    )


@pytest.mark.parametrize("left_out", ["make", "model", "year"])
@pytest.mark.parametrize("nothing", [..., None], ids=["missing", "null"])
def test_incomplete_description_is_none(ask: Ask, left_out: str, nothing: Any) -> None:
    described = {"make": "HONDA", "model": "Accord", "year": 2003, left_out: nothing}

    assert ask(response(**described)).find(PLATE) == Registration(vin=VIN)


def test_unknown_plate_is_none(ask: Ask) -> None:
    assert ask(NotFound(b'{"error": "unknown_plate"}')).find(PLATE) is None


@pytest.mark.parametrize(
    ("behavior", "reason"),
    [
        (response(vin=VIN[:8] + "4" + VIN[9:]), "an invalid VIN"),
        (response(vin=VIN[:11]), "an invalid VIN"),
        (response(vin="IHGCM82633A004352"), "an invalid VIN"),
        (response(vin=...), "an invalid VIN"),
        (response(vin=None), "an invalid VIN"),
        (response(vin=""), "an invalid VIN"),
        (response(vin=5), "an unknown format"),
        (response(vin=[VIN]), "an unknown format"),
        (response(vin="1" * 5000), "too long or has unprintable characters"),
        (response(plate="7ABC124"), "a different plate"),
        (response(plate=...), "a different plate"),
        (response(state="NV"), "a different plate"),
        (response(state="California"), "a different plate"),
        (response(plate={"number": "7ABC123"}), "an unknown format"),
        (response(vehicle_type="x" * 81), "too long or has unprintable characters"),
        (response(vehicle_type="Sed\u202ean"), "too long or has unprintable characters"),
        (response(vehicle_type=7), "an unknown format"),
        (response(vehicle_type="Sedan", vehicle_type_group=True), "an unknown format"),
        (response(make="Honda", model="A\x00b", year=2003), "too long or has unprintable characters"),
        (response(make="Honda", model="Accord", year=1903), "an invalid model year"),
        (response(make="Honda", model="Accord", year=2028), "an invalid model year"),
        (response(make="Honda", model="Accord", year="2003"), "an invalid model year"),
        (response(make="Honda", model="Accord", year=True), "an invalid model year"),
        (response(make="Honda", model="Accord", year=2003.0), "an invalid model year"),
        (Body(b"[]"), "an unknown format"),
        (Body(b'"1HGCM82633A004352"'), "an unknown format"),
        (Body(b""), "not JSON"),
        (HTML, "not JSON"),
        (INVALID_UTF8, "not JSON"),
        (DEEP, "too long"),
        (NotFound(b"<h1>Not Found</h1>"), "not JSON"),
        (NotFound(b'{"error": "unknown_address"}'), "status 404"),
        (NotFound(b"{}"), "status 404"),
        (NotFound(b"[]"), "an unknown format"),
        (BIG_BODY, "too long"),
        (Body(b"xx", {"content-encoding": "gzip"}), "compressed"),
        (REDIRECT, "redirect"),
        (RESET, "the connection broke"),
        (Raw(b"SSH-2.0-what\r\n"), "the connection broke"),
        (Status(401), "the credentials were rejected"),
        (Status(403), "the credentials were rejected"),
        (Status(402), "status 402"),
        (Status(429), "rate limit exceeded"),
        (Status(500), "status 500"),
        (Status(204), "status 204"),
    ],
)
def test_invalid_answer_is_unavailable(ask: Ask, behavior: Behavior, reason: str) -> None:
    with pytest.raises(PlateSourceUnavailable, match=reason) as failed:
        ask(behavior).find(PLATE)
    told_of_it = failed.value.message

    assert not [secret for secret in ("sesame", PLATE.number, VIN, "127.0.0.1") if secret in told_of_it]


def test_wrong_key_differs_from_an_unknown_plate() -> None:
    with PlateServer({}, key="right") as server:
        wrong = RemotePlates.at(server.url, api_key="wrong", clock=clock)
        with pytest.raises(PlateSourceUnavailable, match="the credentials were rejected"):
            wrong.find(PLATE)
        assert server.lookups == []


@pytest.mark.parametrize("behavior", [HANG, DRIPPING_HEADERS, DRIP], ids=["hang", "drip-header", "drip-body"])
def test_slow_provider_times_out(ask: Ask, behavior: Behavior) -> None:
    provider = ask(behavior, seconds=0.3)
    started = time.monotonic()
    with pytest.raises(PlateSourceUnavailable, match=r"no response within 0\.3 s"):
        provider.find(PLATE)

    assert time.monotonic() - started < 0.3 + GRACE


def test_provider_that_fails_once_is_retried(ask: Ask, upstream: MisbehavingUpstream) -> None:
    assert ask(Status(503), response()).find(PLATE) is not None
    assert upstream.requests() == 2


def test_provider_that_keeps_failing_is_not_called_for_a_while(
    ask: Ask, upstream: MisbehavingUpstream
) -> None:
    provider = ask(Status(402))
    for _ in range(OPENS_AFTER):
        with pytest.raises(PlateSourceUnavailable, match="402"):
            provider.find(PLATE)
    with pytest.raises(PlateSourceUnavailable, match="paused"):
        provider.find(PLATE)

    assert upstream.requests() == OPENS_AFTER


def test_neither_plate_nor_vin_nor_key_is_logged(ask: Ask, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    ask(response()).find(PLATE)
    with pytest.raises(PlateSourceUnavailable):
        ask(Status(500)).find(PLATE)

    assert not [secret for secret in ("sesame", PLATE.number, VIN) if secret in caplog.text]
