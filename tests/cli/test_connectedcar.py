"""Disconnecting cars, rotating keys, and the sandbox provider as a program."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from tests.cli.conftest import Cli

from repaircore.core import Core, build
from repaircore.kernel.callers import LOCAL
from repaircore.settings import Settings
from repaircore.testing.car_provider import ACCORD, MODEL_3, CarServer, Mishap

EMAIL = "driver@example.com"


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[CarServer]:
    with CarServer() as server:
        for name, value in server.environ.items():
            monkeypatch.setenv(name, value)
        yield server


@pytest.fixture
def core(sqlite_url: str, provider: CarServer) -> Iterator[Core]:
    made = build(Settings(database_url=sqlite_url, car_provider=provider.settings))
    yield made
    made.close()


@pytest.fixture
def connected(core: Core) -> Core:
    url = core.connected_cars.connect(EMAIL).authorization_url
    back = urlsplit(httpx.get(url, trust_env=False).headers["location"])
    result = {name: values[0] for name, values in parse_qs(back.query).items()}
    core.connected_cars.complete(state=result["state"], code=result["code"])
    return core


def test_disconnect_a_driver_by_e_mail(cli: Cli, connected: Core, provider: CarServer) -> None:
    outcome = cli("connectedcar", "disconnect", EMAIL, "--yes")
    assert (outcome.status, outcome.out, outcome.err) == (0, f"Disconnected {ACCORD}, {MODEL_3}.\n", "")
    assert connected.connected_cars.list_vins(EMAIL, LOCAL) == ()
    assert provider.agreements == 0
    again = cli("connectedcar", "disconnect", EMAIL, "--yes")

    assert (again.status, again.err) == (1, "Error: No connected car belongs to a driver with this e-mail.\n")


def test_disconnect_a_car_by_its_vin(cli: Cli, connected: Core) -> None:
    result = cli("connectedcar", "disconnect", ACCORD.lower(), "--yes", "--json").json

    assert result == {"vins": [ACCORD], "connections_ended": 0, "ended_at_provider": 0}
    assert connected.connected_cars.list_vins(EMAIL, LOCAL) == (MODEL_3,)


def test_disconnect_warns_when_the_provider_was_not_reached(
    cli: Cli, connected: Core, provider: CarServer
) -> None:
    provider.behave("revoke", Mishap.FAIL)
    outcome = cli("connectedcar", "disconnect", EMAIL, "--yes")

    assert outcome.status == 0
    assert "the driver can revoke it there" in outcome.err
    assert connected.connected_cars.list_vins(EMAIL, LOCAL) == ()


def test_disconnect_requires_confirmation(cli: Cli, connected: Core) -> None:
    assert cli("connectedcar", "disconnect", EMAIL).status == 2
    assert connected.connected_cars.list_vins(EMAIL, LOCAL) == (ACCORD, MODEL_3)


@pytest.mark.parametrize(
    ("args", "status"),
    [
        (("disconnect", "neither", "--yes"), 1),
        (("disconnect", EMAIL, "--yes", "--environment", "moon"), 2),
        (("disconnect", EMAIL, "--yes", "--environment", "test"), 1),
        (("disconnect",), 2),
        (("sandbox", "--port", "70000"), 2),
    ],
)
def test_disconnect_of_nothing_fails(cli: Cli, connected: Core, args: tuple[str, ...], status: int) -> None:
    outcome = cli("connectedcar", *args)

    assert outcome.status == status
    assert outcome.err
    assert connected.connected_cars.list_vins(EMAIL, LOCAL) == (ACCORD, MODEL_3)


@pytest.mark.usefixtures("connected")
def test_rotate_keys_reports_connections(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    new = "n" * 32
    monkeypatch.setenv("REPAIRCORE_CONNECTEDCAR_KEYS", new)
    assert cli("connectedcar", "rotate-keys", "--json").json == {"renewed": 1, "unreadable": 0}
    assert cli("connectedcar", "rotate-keys").out == "Encrypted 1 connection with the newest key.\n"
    monkeypatch.setenv("REPAIRCORE_CONNECTEDCAR_KEYS", "x" * 32)
    lost = cli("connectedcar", "rotate-keys", "--json")
    assert (lost.status, lost.json) == (1, {"renewed": 0, "unreadable": 1})
    assert new not in cli("doctor").out
    entries = cli("audit", "--json").json

    assert {entry["action"] for entry in entries} == {"connected_car.rotate_keys"}


@pytest.mark.usefixtures("connected")
def test_doctor_shows_only_the_location_of_the_secret(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, sqlite_url: str
) -> None:
    file = Path(f"{sqlite_url.removeprefix('sqlite:///')}.key")
    shown = cli("doctor", "--json")
    assert shown.json["settings"]["REPAIRCORE_SECRET_KEY"] == f"stored in {file}"
    assert file.read_text(encoding="ascii").strip() not in shown.out
    monkeypatch.setenv("REPAIRCORE_SECRET_KEY", "s" * 32)

    assert cli("doctor", "--json").json["settings"]["REPAIRCORE_SECRET_KEY"] == "********"


@pytest.mark.usefixtures("connected")
def test_doctor_reports_a_secret_that_others_can_read(cli: Cli, sqlite_url: str) -> None:
    file = Path(f"{sqlite_url.removeprefix('sqlite:///')}.key")
    file.chmod(0o644)
    outcome = cli("doctor")

    assert outcome.status == 1
    assert "chmod 600" in outcome.out


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_sandbox_runs_as_a_program_and_prints_its_settings(
    ending: signal.Signals,
) -> None:
    command = [sys.executable, "-m", "repaircore_cli", "connectedcar", "sandbox", "--json"]
    source = str(Path(__file__).parents[2] / "src")
    with subprocess.Popen(  # noqa: S603 - our own command
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": source}
    ) as running:
        assert running.stdout is not None
        lines = iter(running.stdout.readline, "}\n")
        environ = json.loads("".join(lines) + "}")
        try:
            assert Settings.from_env(environ).car_provider.is_on
            url = environ["REPAIRCORE_CONNECTEDCAR_API_URL"]
            assert httpx.get(f"{url}/v1/vehicles", trust_env=False).status_code == 401
        finally:
            running.send_signal(ending)
            try:
                status = running.wait(30)
            finally:
                running.kill()
        assert status == 130


def test_sandbox_on_a_taken_port_fails(cli: Cli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        outcome = cli("connectedcar", "sandbox", "--port", str(listener.getsockname()[1]))

    assert outcome.status == 1
    assert "Cannot listen" in outcome.err
