import time
from collections.abc import Callable
from typing import TypeAlias

import pytest
from tests.adapters.lookups.conftest import answer, clock

from repaircore.adapters.lookups.vpic_remote import VpicRemoteDecoder
from repaircore.adapters.outbound.circuit import OPENS_AFTER
from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.traits import Body as Shape
from repaircore.kernel.traits import Drive, Powertrain
from repaircore.testing.upstream import (
    DRIP,
    DRIPPING_HEADERS,
    HANG,
    RESET,
    Behavior,
    Body,
    MisbehavingUpstream,
    Raw,
    Status,
)

VIN = "1HGCM82633A004352"
ACCORD = answer(
    Make="HONDA",
    Model="Accord",
    ModelYear="2003",
    Trim="EX-V6",
    DisplacementL="2.998832712",
    EngineCylinders="6",
    FuelTypePrimary="Gasoline",
    DriveType="FWD/Front-Wheel Drive",
    BodyClass="Coupe",
    VehicleType="PASSENGER CAR",
    ErrorCode="0",
)
GRACE = 3.0


PATH = f"/DecodeVinValues/{VIN[:11]}"

Ask: TypeAlias = Callable[..., VpicRemoteDecoder]


@pytest.fixture
def ask(service: MisbehavingUpstream) -> Ask:
    def build(*behaviors: Behavior, seconds: float = 20) -> VpicRemoteDecoder:
        service.behave(PATH, *behaviors)
        return VpicRemoteDecoder.at(service.url, clock=clock, mechanics=shipped_mechanics, seconds=seconds)

    return build


def test_answer_is_mapped_to_our_vocabulary(ask: Ask) -> None:
    read = ask(ACCORD).decode(VIN)

    assert read is not None
    assert read.display_name == "2003 Honda Accord EX-V6"
    assert read.engine == "3.0L 6-cyl"
    assert (read.powertrain, read.drive, read.body) == (Powertrain.GAS, Drive.FWD, Shape.CAR)


@pytest.mark.parametrize(
    ("vin", "requested"),
    [(VIN, "1HGCM82633A"), (VIN[:11], "1HGCM82633A"), ("YT9NN1U14KA007175", "YT9NN1U14KA007")],
)
def test_serial_number_is_not_sent_to_the_service(
    service: MisbehavingUpstream, vin: str, requested: str
) -> None:
    VpicRemoteDecoder.at(f"{service.url}/api/vehicles/", clock=clock, mechanics=shipped_mechanics).decode(vin)
    (sent,) = service.received()

    assert (sent.method, sent.path) == ("GET", f"/api/vehicles/DecodeVinValues/{requested}")
    assert sent.query == "format=json"


def test_electric_car_has_no_cylinders(ask: Ask) -> None:
    electric = answer(Make="TESLA", Model="Model 3", ModelYear="2019", FuelTypePrimary="Electric")
    read = ask(electric).decode(VIN)

    assert read is not None
    assert (read.engine, read.powertrain) == ("Electric", Powertrain.ELECTRIC)


@pytest.mark.parametrize("figure", ["nan", "inf", "-1", "1e999", "999", "many"])
def test_impossible_figures_are_left_out(ask: Ask, figure: str) -> None:
    odd = answer(Make="HONDA", Model="Accord", ModelYear="2003", DisplacementL=figure, EngineCylinders=figure)
    read = ask(odd).decode(VIN)

    assert read is not None
    assert read.engine is None


def test_server_that_fails_once_is_retried(ask: Ask, service: MisbehavingUpstream) -> None:
    assert ask(Status(503), ACCORD).decode(VIN) is not None
    assert service.requests() == 2


def test_server_that_fails_twice_is_unavailable(ask: Ask, service: MisbehavingUpstream) -> None:
    with pytest.raises(Unavailable, match="status 500"):
        ask(Status(500)).decode(VIN)

    assert service.requests() == 2


def test_reset_connection_is_retried(ask: Ask) -> None:
    assert ask(RESET, ACCORD).decode(VIN) is not None


@pytest.mark.parametrize(
    ("behavior", "reason"),
    [
        (RESET, "the connection broke"),
        (Body(b"<html>Maintenance</html>"), "not JSON"),
        (Body(b"[" * 100_000), "not JSON"),
        (Body(b""), "not JSON"),
        (Body(b"[]"), "unknown format"),
        (Body(b'{"Results": {}}'), "unknown format"),
        (Body(b'{"Results": []}'), "unknown format"),
        (Body(b'{"Results": ["x"]}'), "unknown format"),
        (answer(Make=5, Model="Accord", ModelYear="2003"), "unknown format"),
        (answer(Make="HONDA", Model="Accord", ModelYear="1903"), "invalid model year"),
        (answer(Make="HONDA", Model="Accord", ModelYear="2099"), "invalid model year"),
        (answer(Make="HONDA", Model="Accord", ModelYear="two"), "invalid model year"),
        (answer(Make="HONDA", Model="A" * 500, ModelYear="2003"), "too long or has unprintable characters"),
        (answer(Make="HONDA", Model="A\x00b", ModelYear="2003"), "too long or has unprintable characters"),
        (Body(b" " * 300_000), "too long"),
        (Status(404), "status 404"),
        (Status(302, {"location": "http://127.0.0.1:1/"}), "redirect"),
        (Body(b"xx", {"content-encoding": "gzip"}), "compressed"),
        (Raw(b"SSH-2.0-what\r\n"), "the connection broke"),
    ],
)
def test_invalid_answer_is_unavailable(ask: Ask, behavior: Behavior, reason: str) -> None:
    with pytest.raises(Unavailable, match=reason):
        ask(behavior).decode(VIN)


def test_refused_connection_is_unavailable() -> None:
    with MisbehavingUpstream() as service:
        gone = service.url
    with pytest.raises(Unavailable, match=r"^The VIN service failed: no connection\.$"):
        VpicRemoteDecoder.at(gone, clock=clock, mechanics=shipped_mechanics, seconds=10).decode(VIN)


@pytest.mark.parametrize("behavior", [HANG, DRIPPING_HEADERS, DRIP], ids=["hang", "drip-header", "drip-body"])
def test_slow_server_times_out(ask: Ask, behavior: Behavior) -> None:
    decoder = ask(behavior, seconds=0.3)
    started = time.monotonic()
    with pytest.raises(Unavailable, match=r"no response within 0\.3 s"):
        decoder.decode(VIN)

    assert time.monotonic() - started < 0.3 + GRACE


def test_slow_server_does_not_delay_the_next_call(ask: Ask) -> None:
    decoder = ask(HANG, ACCORD, seconds=0.5)
    with pytest.raises(Unavailable):
        decoder.decode(VIN)

    assert decoder.decode(VIN) is not None


def test_service_that_keeps_failing_is_not_called_for_a_while(ask: Ask, service: MisbehavingUpstream) -> None:
    decoder = ask(Status(404))
    for _ in range(OPENS_AFTER):
        with pytest.raises(Unavailable, match="404"):
            decoder.decode(VIN)
    with pytest.raises(Unavailable, match="paused"):
        decoder.decode(VIN)

    assert service.requests() == OPENS_AFTER


def test_invalid_answers_about_one_vehicle_do_not_block_others(ask: Ask) -> None:
    odd = answer(Make="HONDA", Model="Accord", ModelYear="1903")
    decoder = ask(*[odd] * (OPENS_AFTER + 1), ACCORD)
    for _ in range(OPENS_AFTER + 1):
        with pytest.raises(Unavailable, match="invalid model year"):
            decoder.decode(VIN)

    assert decoder.decode(VIN) is not None
