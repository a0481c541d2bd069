"""What lies in deploy/ speaks of settings, commands and files that exist."""

import configparser
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import typer
import yaml
from bench.scaling import connections
from tests.docs.examples import ROOT
from typing_extensions import override

from repaircore.settings import Settings
from repaircore_cli.main import app
from repaircore_http.console.admin.imports import MOST_FILE_BYTES
from repaircore_http.uploads import FORM_OVERHEAD

DEPLOY = ROOT / "deploy"
FILES = sorted(path for path in DEPLOY.iterdir() if path.is_file())
UNITS = sorted(DEPLOY.glob("*.service"))
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
OURS = ("migrate", "server", "jobs")
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
NGINX = (DEPLOY / "nginx.conf").read_text()
CADDY = (DEPLOY / "Caddyfile").read_text()
_PROGRAM: Any = typer.main.get_command(app)
_INSTALLED = "/opt/repaircore/current/bin/repaircore"


_RESERVED = 3 + 10
"""Connections that PostgreSQL keeps for superusers, and those of somebody who looks after it: doctor, backup, psql."""
_MIB = 2**20


def unit(path: Path) -> configparser.ConfigParser:
    read = configparser.ConfigParser(strict=True, interpolation=None)
    read.optionxform = str  # type: ignore[assignment,method-assign] # names keep their capitals
    read.read_string(path.read_text())
    return read


def commands() -> dict[str, list[str]]:
    """Give every command that is run, by where it stands."""
    fields = {
        f"{path.name} {name}": shlex.split(unit(path)["Service"][name])[1:]
        for path in UNITS
        for name in ("ExecStartPre", "ExecStart")
    }
    fields |= {name: COMPOSE["services"][name]["command"] for name in OURS}
    (line,) = re.findall(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    return fields | {"Dockerfile": yaml.safe_load(line)}


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_every_setting_exists(file: Path) -> None:
    named = set(re.findall(r"REPAIRCORE_[A-Z_]+", file.read_text()))
    assert named <= set(Settings().shown())


@pytest.mark.parametrize(("where", "command"), commands().items())
def test_every_command_exists_with_its_options(where: str, command: list[str]) -> None:
    found, context = _PROGRAM, typer.Context(_PROGRAM)
    words = iter(command)
    while hasattr(found, "get_command"):
        found = found.get_command(context, next(words))
        assert found is not None, where
    # Parsed as it would be run; nothing is.
    assert found.make_context(where, [*words]).params


def test_example_of_the_environment_can_be_read() -> None:
    lines = (DEPLOY / "environment.example").read_text().splitlines()
    result = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    assert Settings.from_env({**result, "REPAIRCORE_SECRET_KEY": "s" * 32}).metrics


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_unit_runs_without_privileges_and_may_write_its_state_alone(path: Path) -> None:
    service = unit(path)["Service"]
    for name in ("ExecStartPre", "ExecStart"):
        assert service[name].startswith(_INSTALLED + " ")
    assert service["User"] == "repaircore"
    for name in ("NoNewPrivileges", "PrivateTmp", "PrivateDevices", "ProtectHome"):
        assert service[name] == "yes"
    assert service["ProtectSystem"] == "strict"
    assert service["CapabilityBoundingSet"] == ""


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_unit_tries_again_for_ever_when_the_database_comes_late(path: Path) -> None:
    result = unit(path)
    # A start that fails for what it requires is not tried again, whatever Restart= says: so nothing is required.
    assert {"Requires", "Requisite", "BindsTo"}.isdisjoint(result["Unit"])
    assert "db upgrade --wait" in result["Service"]["ExecStartPre"]
    assert result["Service"]["Restart"] in {"always", "on-failure"}
    assert result["Unit"]["StartLimitIntervalSec"] == "0"


def test_nobody_is_at_work_while_another_unit_changes_the_database() -> None:
    """An order of two units, whichever it is, has one end before the other begins."""
    after = unit(DEPLOY / "repaircore-jobs.service")["Unit"]["After"].split()
    assert "repaircore.service" in after


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_journal_drops_no_line_of_a_unit(path: Path) -> None:
    assert unit(path)["Service"]["LogRateLimitIntervalSec"] == "0"


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_log_of_a_container_has_an_end(name: str) -> None:
    options = COMPOSE["services"][name]["logging"]["options"]
    assert options.keys() >= {"max-size", "max-file"}


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    for path in UNITS:
        text = path.read_text().replace(_INSTALLED, sys.executable)
        (tmp_path / path.name).write_text(text)
    result = subprocess.run(  # noqa: S603 - our own files
        ["systemd-analyze", "verify", *map(str, sorted(tmp_path.iterdir()))],  # noqa: S607 - wherever it is
        capture_output=True,
        text=True,
        check=False,
    )
    assert [line for line in (result.stdout + result.stderr).splitlines() if "repaircore" in line] == []


def test_one_service_migrates_before_the_others_start() -> None:
    services = COMPOSE["services"]
    for name in ("server", "jobs"):
        assert services[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
    assert services["migrate"]["restart"] == "no"


def test_what_a_service_names_is_declared() -> None:
    services = COMPOSE["services"]
    for service in services.values():
        assert service.get("depends_on", {}).keys() <= services.keys()
        assert {mount.split(":")[0] for mount in service.get("volumes", [])} <= COMPOSE["volumes"].keys()
        for name, wanted in service.get("depends_on", {}).items():
            if wanted["condition"] == "service_healthy":
                assert "test" in services[name]["healthcheck"]


def test_postgresql_takes_every_connection_that_the_others_may_open() -> None:
    services = COMPOSE["services"]
    (taken,) = re.findall(r"max_connections=(\d+)", " ".join(services["database"]["command"]))
    words = services["server"]["command"]
    workers = int(words[words.index("--workers") + 1])
    assert int(taken) - _RESERVED > connections(machines=1, workers=workers)


def test_nothing_but_the_server_is_reached_from_outside_and_it_from_this_machine_alone() -> None:
    ports = {name: service.get("ports", []) for name, service in COMPOSE["services"].items()}
    assert ports.pop("server") == ["127.0.0.1:8000:8000"]
    assert not any(ports.values())


def test_no_secret_has_a_value_that_somebody_could_forget_to_change() -> None:
    environment = COMPOSE["x-repaircore"]["environment"]
    for name in ("REPAIRCORE_SECRET_KEY", "REPAIRCORE_METRICS_TOKEN"):
        assert environment[name].startswith("${" + name + ":?")
    asked = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text()))
    given = set(re.findall(r"^(\w+)=", (DEPLOY / "compose.env.example").read_text(), re.MULTILINE))
    assert asked == given


def test_settings_of_the_containers_can_be_read() -> None:
    environment = {
        name: re.sub(
            r"\$\{\w+:\?[^}]*\}", "https://repairs.example" if name.endswith("_URL") else "s" * 32, value
        )
        for name, value in COMPOSE["x-repaircore"]["environment"].items()
    }
    environment["REPAIRCORE_DATABASE_URL"] = "postgresql+psycopg://repaircore:s@database/repaircore"

    assert Settings.from_env(environment).trusted_proxies == 1


def test_who_ends_is_given_the_time_that_it_takes() -> None:
    drain = float(COMPOSE["x-repaircore"]["environment"]["REPAIRCORE_DRAIN_SECONDS"])
    assert float(COMPOSE["services"]["server"]["stop_grace_period"].rstrip("s")) > drain + 30


def test_image_runs_as_nobody_in_particular_from_files_that_exist() -> None:
    final = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.search(r"^USER [1-9]\d*:[1-9]\d*$", final, re.MULTILINE)
    assert "HEALTHCHECK" in final
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    shown = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    for name in " ".join(copied).split():
        assert (ROOT / name).exists()
        assert f"!{name}" in shown


def test_image_installs_extras_that_exist_and_begins_with_the_program() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (extras,) = re.findall(r"^ARG EXTRAS=(.+)$", DOCKERFILE, re.MULTILINE)
    assert set(extras.split(",")) <= project["optional-dependencies"].keys()
    (begins,) = re.findall(r"^ENTRYPOINT (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert set(yaml.safe_load(begins)) <= project["scripts"].keys()


class _Well(BaseHTTPRequestHandler):
    """Answers as a server does that lives, at one address."""

    @override
    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/healthz" else 404)
        self.end_headers()


def test_image_is_healthy_as_long_as_its_server_answers() -> None:
    (line,) = re.findall(r"^    CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    _, *asks = yaml.safe_load(line)

    def asked(port: int) -> int:
        words = [word.replace("127.0.0.1:8000", f"127.0.0.1:{port}") for word in asks]
        return subprocess.run([sys.executable, *words], stderr=subprocess.DEVNULL, check=False).returncode  # noqa: S603 - our own file

    with ThreadingHTTPServer(("127.0.0.1", 0), _Well) as server:
        Thread(target=server.serve_forever).start()
        assert asked(server.server_port) == 0
        server.shutdown()
    assert asked(server.server_port) != 0


def test_proxies_let_through_what_the_server_takes() -> None:
    (nginx,) = re.findall(r"client_max_body_size (\d+)m;", NGINX)
    (caddy,) = re.findall(r"max_size (\d+)MiB", CADDY)
    assert int(nginx) == int(caddy)
    assert int(nginx) * _MIB >= MOST_FILE_BYTES + FORM_OVERHEAD


def test_proxies_tell_browsers_to_come_by_tls_only() -> None:
    assert re.search(r'add_header Strict-Transport-Security "max-age=\d+" always;', NGINX)
    assert re.search(r'header Strict-Transport-Security "max-age=\d+"', CADDY)
