"""What lies in deploy/ speaks of settings, commands and files that exist."""

import configparser
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from tests.docs.examples import ROOT

from repaircore.settings import Settings
from repaircore_cli.main import app

DEPLOY = ROOT / "deploy"
FILES = sorted(path for path in DEPLOY.iterdir() if path.is_file())
UNITS = sorted(DEPLOY.glob("*.service"))
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
OURS = ("migrate", "server", "jobs")
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
_PROGRAM: Any = typer.main.get_command(app)
_INSTALLED = "/opt/repaircore/bin/repaircore"


def unit(path: Path) -> configparser.ConfigParser:
    read = configparser.ConfigParser(strict=True, interpolation=None)
    read.optionxform = str  # type: ignore[assignment,method-assign] # names keep their capitals
    read.read_string(path.read_text())
    return read


def commands() -> dict[str, list[str]]:
    """Give every command that is run, by where it stands."""
    told = {path.name: shlex.split(unit(path)["Service"]["ExecStart"])[1:] for path in UNITS}
    told |= {name: COMPOSE["services"][name]["command"] for name in OURS}
    (line,) = re.findall(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    return told | {"Dockerfile": yaml.safe_load(line)}


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


def test_the_example_of_the_environment_can_be_read() -> None:
    lines = (DEPLOY / "environment.example").read_text().splitlines()
    told = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    assert Settings.from_env({**told, "REPAIRCORE_SECRET_KEY": "s" * 32}).metrics


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_runs_without_privileges_and_may_write_its_state_alone(path: Path) -> None:
    service = unit(path)["Service"]
    assert service["ExecStart"].startswith(_INSTALLED + " ")
    assert service["User"] == "repaircore"
    for name in ("NoNewPrivileges", "PrivateTmp", "PrivateDevices", "ProtectHome"):
        assert service[name] == "yes"
    assert service["ProtectSystem"] == "strict"
    assert service["CapabilityBoundingSet"] == ""


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    for path in UNITS:
        text = path.read_text().replace(_INSTALLED, sys.executable)
        (tmp_path / path.name).write_text(text)
    told = subprocess.run(  # noqa: S603 - our own files
        ["systemd-analyze", "verify", *map(str, sorted(tmp_path.iterdir()))],  # noqa: S607 - wherever it is
        capture_output=True,
        text=True,
        check=False,
    )
    assert [line for line in (told.stdout + told.stderr).splitlines() if "repaircore" in line] == []


def test_one_service_migrates_before_the_others_start() -> None:
    services = COMPOSE["services"]
    for name in ("server", "jobs"):
        assert services[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
    assert services["migrate"]["restart"] == "no"


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


def test_who_ends_is_given_the_time_that_it_takes() -> None:
    drain = float(COMPOSE["x-repaircore"]["environment"]["REPAIRCORE_DRAIN_SECONDS"])
    assert float(COMPOSE["services"]["server"]["stop_grace_period"].rstrip("s")) > drain + 30


def test_the_image_runs_as_nobody_in_particular_from_files_that_exist() -> None:
    final = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.search(r"^USER [1-9]\d*:[1-9]\d*$", final, re.MULTILINE)
    assert "HEALTHCHECK" in final
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    shown = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    for name in " ".join(copied).split():
        assert (ROOT / name).exists()
        assert f"!{name}" in shown
