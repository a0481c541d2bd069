"""Files in deploy/ use only settings, commands and files that exist."""

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
"""Connections reserved for superusers, plus those of an operator: doctor, backup, psql."""
_MIB = 2**20


def unit(path: Path) -> configparser.ConfigParser:
    read = configparser.ConfigParser(strict=True, interpolation=None)
    read.optionxform = str  # type: ignore[assignment,method-assign] # names keep their capitals
    read.read_string(path.read_text())
    return read


def commands() -> dict[str, list[str]]:
    """Return every command that is run, by its location."""
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
    # Only parsed, not run.
    assert found.make_context(where, [*words]).params


def test_example_environment_is_valid() -> None:
    lines = (DEPLOY / "environment.example").read_text().splitlines()
    result = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    assert Settings.from_env({**result, "REPAIRCORE_SECRET_KEY": "s" * 32}).metrics


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_unit_runs_without_privileges_and_writes_only_its_state(path: Path) -> None:
    service = unit(path)["Service"]
    for name in ("ExecStartPre", "ExecStart"):
        assert service[name].startswith(_INSTALLED + " ")
    assert service["User"] == "repaircore"
    for name in ("NoNewPrivileges", "PrivateTmp", "PrivateDevices", "ProtectHome"):
        assert service[name] == "yes"
    assert service["ProtectSystem"] == "strict"
    assert service["CapabilityBoundingSet"] == ""


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_unit_restarts_until_the_database_is_up(path: Path) -> None:
    result = unit(path)
    # systemd does not retry a start that failed because of a requirement, even with Restart=, so nothing is required.
    assert {"Requires", "Requisite", "BindsTo"}.isdisjoint(result["Unit"])
    assert "db upgrade --wait" in result["Service"]["ExecStartPre"]
    assert result["Service"]["Restart"] in {"always", "on-failure"}
    assert result["Unit"]["StartLimitIntervalSec"] == "0"


def test_jobs_unit_is_ordered_after_the_server_unit() -> None:
    """Any ordering between two units makes one stop before the other starts."""
    after = unit(DEPLOY / "repaircore-jobs.service")["Unit"]["After"].split()
    assert "repaircore.service" in after


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_journal_has_no_rate_limit_for_a_unit(path: Path) -> None:
    assert unit(path)["Service"]["LogRateLimitIntervalSec"] == "0"


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_container_logs_are_rotated(name: str) -> None:
    options = COMPOSE["services"][name]["logging"]["options"]
    assert options.keys() >= {"max-size", "max-file"}


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
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


def test_services_reference_declared_services_and_volumes() -> None:
    services = COMPOSE["services"]
    for service in services.values():
        assert service.get("depends_on", {}).keys() <= services.keys()
        assert {mount.split(":")[0] for mount in service.get("volumes", [])} <= COMPOSE["volumes"].keys()
        for name, wanted in service.get("depends_on", {}).items():
            if wanted["condition"] == "service_healthy":
                assert "test" in services[name]["healthcheck"]


def test_postgresql_allows_every_connection_of_the_services() -> None:
    services = COMPOSE["services"]
    (limit,) = re.findall(r"max_connections=(\d+)", " ".join(services["database"]["command"]))
    words = services["server"]["command"]
    workers = int(words[words.index("--workers") + 1])
    assert int(limit) - _RESERVED > connections(machines=1, workers=workers)


def test_only_the_server_is_published_and_only_on_the_loopback() -> None:
    ports = {name: service.get("ports", []) for name, service in COMPOSE["services"].items()}
    assert ports.pop("server") == ["127.0.0.1:8000:8000"]
    assert not any(ports.values())


def test_secrets_have_no_default_values() -> None:
    environment = COMPOSE["x-repaircore"]["environment"]
    for name in ("REPAIRCORE_SECRET_KEY", "REPAIRCORE_METRICS_TOKEN"):
        assert environment[name].startswith("${" + name + ":?")
    check_health = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text()))
    defined = set(re.findall(r"^(\w+)=", (DEPLOY / "compose.env.example").read_text(), re.MULTILINE))
    assert check_health == defined


def test_settings_of_the_containers_are_valid() -> None:
    environment = {
        name: re.sub(
            r"\$\{\w+:\?[^}]*\}", "https://repairs.example" if name.endswith("_URL") else "s" * 32, value
        )
        for name, value in COMPOSE["x-repaircore"]["environment"].items()
    }
    environment["REPAIRCORE_DATABASE_URL"] = "postgresql+psycopg://repaircore:s@database/repaircore"

    assert Settings.from_env(environment).trusted_proxies == 1


def test_grace_period_is_longer_than_the_drain() -> None:
    drain = float(COMPOSE["x-repaircore"]["environment"]["REPAIRCORE_DRAIN_SECONDS"])
    assert float(COMPOSE["services"]["server"]["stop_grace_period"].rstrip("s")) > drain + 30


def test_image_runs_as_an_unprivileged_user_from_existing_files() -> None:
    final = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.search(r"^USER [1-9]\d*:[1-9]\d*$", final, re.MULTILINE)
    assert "HEALTHCHECK" in final
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    rules = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    for name in " ".join(copied).split():
        assert (ROOT / name).exists()
        assert f"!{name}" in rules


def test_image_installs_existing_extras_and_starts_the_program() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (extras,) = re.findall(r"^ARG EXTRAS=(.+)$", DOCKERFILE, re.MULTILINE)
    assert set(extras.split(",")) <= project["optional-dependencies"].keys()
    (begins,) = re.findall(r"^ENTRYPOINT (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert set(yaml.safe_load(begins)) <= project["scripts"].keys()


class _HealthyServer(BaseHTTPRequestHandler):
    """Answer like a healthy server, at one address."""

    @override
    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/healthz" else 404)
        self.end_headers()


def test_image_is_healthy_while_its_server_answers() -> None:
    (line,) = re.findall(r"^    CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    _, *arguments = yaml.safe_load(line)

    def check_health(port: int) -> int:
        words = [word.replace("127.0.0.1:8000", f"127.0.0.1:{port}") for word in arguments]
        return subprocess.run([sys.executable, *words], stderr=subprocess.DEVNULL, check=False).returncode  # noqa: S603 - our own file

    with ThreadingHTTPServer(("127.0.0.1", 0), _HealthyServer) as server:
        Thread(target=server.serve_forever).start()
        assert check_health(server.server_port) == 0
        server.shutdown()
    assert check_health(server.server_port) != 0


def test_proxies_accept_the_largest_upload_of_the_server() -> None:
    (nginx,) = re.findall(r"client_max_body_size (\d+)m;", NGINX)
    (caddy,) = re.findall(r"max_size (\d+)MiB", CADDY)
    assert int(nginx) == int(caddy)
    assert int(nginx) * _MIB >= MOST_FILE_BYTES + FORM_OVERHEAD


def test_proxies_send_hsts() -> None:
    assert re.search(r'add_header Strict-Transport-Security "max-age=\d+" always;', NGINX)
    assert re.search(r'header Strict-Transport-Security "max-age=\d+"', CADDY)
