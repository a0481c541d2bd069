import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from repaircore.adapters.lookups.vpic_remote import VpicRemoteDecoder
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.traits import Body, Drive, Powertrain

from .conftest import LoopbackServer, Script, answer, clock, reply

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


@pytest.fixture
def ask(server: LoopbackServer) -> Iterator[Callable[..., VpicRemoteDecoder]]:
    made: list[VpicRemoteDecoder] = []

    def build(*scripts: Script, seconds: float = 20) -> VpicRemoteDecoder:
        made.append(VpicRemoteDecoder(clock=clock, base_url=server.plays(*scripts), seconds=seconds))
        return made[-1]

    yield build
    for decoder in made:
        decoder.close()


def test_an_answer_is_read_into_our_words(ask: Callable[..., VpicRemoteDecoder]) -> None:
    read = ask(ACCORD).decode(VIN)
    assert read is not None
    assert read.display_name == "2003 Honda Accord EX-V6"
    assert read.engine == "3.0L 6-cyl"
    assert (read.powertrain, read.drive, read.body) == (Powertrain.GAS, Drive.FWD, Body.CAR)


@pytest.mark.parametrize(
    ("vin", "asked"),
    [(VIN, "1HGCM82633A"), (VIN[:11], "1HGCM82633A"), ("YT9NN1U14KA007175", "YT9NN1U14KA007")],
)
def test_the_service_does_not_learn_the_serial_number(
    ask: Callable[..., VpicRemoteDecoder], server: LoopbackServer, vin: str, asked: str
) -> None:
    ask(ACCORD).decode(vin)
    assert server.paths == [f"/api/vehicles/DecodeVinValues/{asked}?format=json"]


def test_an_electric_car_has_no_cylinders(ask: Callable[..., VpicRemoteDecoder]) -> None:
    electric = answer(Make="TESLA", Model="Model 3", ModelYear="2019", FuelTypePrimary="Electric")
    read = ask(electric).decode(VIN)
    assert read is not None
    assert (read.engine, read.powertrain) == ("Electric", Powertrain.ELECTRIC)


@pytest.mark.parametrize("figure", ["nan", "inf", "-1", "1e999", "999", "many"])
def test_impossible_figures_are_not_told(ask: Callable[..., VpicRemoteDecoder], figure: str) -> None:
    odd = answer(Make="HONDA", Model="Accord", ModelYear="2003", DisplacementL=figure, EngineCylinders=figure)
    read = ask(odd).decode(VIN)
    assert read is not None
    assert read.engine is None


def test_a_server_that_fails_once_is_asked_again(
    ask: Callable[..., VpicRemoteDecoder], server: LoopbackServer
) -> None:
    assert ask(reply(b"", status="503 Busy"), ACCORD).decode(VIN) is not None
    assert len(server.paths) == 2


def test_a_server_that_fails_twice_is_left_alone(
    ask: Callable[..., VpicRemoteDecoder], server: LoopbackServer
) -> None:
    with pytest.raises(Unavailable, match="status 500"):
        ask(reply(b"oh", status="500 Oh")).decode(VIN)
    assert len(server.paths) == 2


def reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def test_a_connection_that_is_reset_is_tried_again(ask: Callable[..., VpicRemoteDecoder]) -> None:
    assert ask(reset, ACCORD).decode(VIN) is not None


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (reset, "cannot be reached"),
        (reply(b"<html>Maintenance</html>"), "not JSON"),
        (reply(b"[" * 100_000), "not JSON"),
        (reply(b""), "not JSON"),
        (reply(b"[]"), "unknown shape"),
        (reply(b'{"Results": {}}'), "unknown shape"),
        (reply(b'{"Results": []}'), "unknown shape"),
        (reply(b'{"Results": ["x"]}'), "unknown shape"),
        (answer(Make=5, Model="Accord", ModelYear="2003"), "unknown shape"),
        (answer(Make="HONDA", Model="Accord", ModelYear="1903"), "impossible year"),
        (answer(Make="HONDA", Model="Accord", ModelYear="2099"), "impossible year"),
        (answer(Make="HONDA", Model="Accord", ModelYear="two"), "impossible year"),
        (answer(Make="HONDA", Model="A" * 500, ModelYear="2003"), "impossible name"),
        (answer(Make="HONDA", Model="A\x00b", ModelYear="2003"), "impossible name"),
        (reply(b" " * 300_000), "too much"),
        (reply(b"", status="404 None"), "status 404"),
        (reply(b"", status="302 Found", headers="Location: http://127.0.0.1:1/\r\n"), "status 302"),
        (reply(b"xx", headers="Content-Encoding: gzip\r\n"), "encoding"),
        (lambda connection: connection.sendall(b"SSH-2.0-what\r\n"), "cannot be reached"),
    ],
)
def test_nonsense_is_an_unavailable_service(
    ask: Callable[..., VpicRemoteDecoder], script: Script, reason: str
) -> None:
    with pytest.raises(Unavailable, match=reason):
        ask(script).decode(VIN)


def test_nobody_listening_is_an_unavailable_service() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    decoder = VpicRemoteDecoder(clock=clock, base_url=f"http://127.0.0.1:{port}", seconds=10)
    with pytest.raises(Unavailable, match="cannot be reached"):
        decoder.decode(VIN)
    decoder.close()


def hang(done: threading.Event) -> Script:
    def play(_: socket.socket) -> None:
        done.wait(30)

    return play


def drip(done: threading.Event, head: bytes) -> Script:
    def play(connection: socket.socket) -> None:
        connection.sendall(head)
        while not done.wait(0.05):
            connection.sendall(b"x")

    return play


@pytest.mark.parametrize(
    "head",
    [None, b"HTTP/1.1 200 OK\r\nX-Long: ", b"HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n"],
    ids=["hang", "drip-header", "drip-body"],
)
def test_a_slow_server_is_left_in_time(
    ask: Callable[..., VpicRemoteDecoder], server: LoopbackServer, head: bytes | None
) -> None:
    script = hang(server.done) if head is None else drip(server.done, head)
    decoder = ask(script, seconds=0.3)
    started = time.monotonic()
    with pytest.raises(Unavailable, match="timed out"):
        decoder.decode(VIN)
    assert time.monotonic() - started < 0.3 + GRACE


def test_a_late_server_does_not_hold_the_next_question(
    ask: Callable[..., VpicRemoteDecoder], server: LoopbackServer
) -> None:
    decoder = ask(hang(server.done), ACCORD, seconds=0.5)
    with pytest.raises(Unavailable):
        decoder.decode(VIN)
    assert decoder.decode(VIN) is not None
