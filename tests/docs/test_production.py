"""Run the page "From nothing to production in an hour" as written, below a folder instead of the root of a machine.

Programs that would change the machine are replaced (``sudo``, ``useradd``, ``systemctl``, ``runuser``, ``nginx``, ``pip``); databases, servers and the
program itself are real.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from uuid import uuid4

import pytest
import sqlalchemy as sa
from tests.docs.examples import ROOT, blocks
from tests.docs.session import CommandResult, Session, fresh_environ

PAGE: Final = ROOT / "docs" / "howto" / "from-nothing-to-production.md"
_UNTRIED: Final = "# not in the tests"
_FOLDERS: Final = (
    "/etc/repaircore",
    "/etc/systemd/system",
    "/etc/cron.d",
    "/etc/nginx",
    "/opt/repaircore",
    "/var/lib/repaircore",
)
_SUDO: Final = """#!/usr/bin/env bash
[ "$1" = -u ] && shift 2
case "$1" in
  */bin/pip)
    printf '#!{python}\\nfrom repaircore_cli.main import run\\nrun()\\n' > "${1%pip}repaircore"
    chmod 755 "${1%pip}repaircore"
    printf '%s\\n' "${@: -1}" > {root}/installed ;;
  *) exec "$@" ;;
esac
"""
_SYSTEMCTL: Final = """#!{python}
import os, shlex, subprocess, sys
from configparser import ConfigParser
names = [word for word in sys.argv[2:] if not word.startswith("-")] if sys.argv[1] == "enable" else []
for name in names:
    unit = ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str
    unit.read("{root}/etc/systemd/system/" + name + ".service")
    service = unit["Service"]
    lines = [line.strip() for line in open(service["EnvironmentFile"]) if line.strip() and not line.startswith("#")]
    environ = dict(PATH=os.environ["PATH"], PYTHONPATH=os.environ["PYTHONPATH"], **dict(line.split("=", 1) for line in lines))
    subprocess.run(shlex.split(service["ExecStartPre"]), env=environ, check=True)
    with open("{root}/" + name + ".log", "w") as log:
        subprocess.Popen(shlex.split(service["ExecStart"]), env=environ, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
"""
_QUIET: Final = "#!/bin/sh\nexit 0\n"
_RUNUSER: Final = '#!/bin/sh\nshift 3\nexec "$@"\n'
_INSTALL: Final = """#!{python}
import os, sys
words = iter(sys.argv[1:])
kept = [word for word in words if word not in ("-o", "-g") or not next(words)]
os.execv("/usr/bin/install", ["install", *kept])
"""

_REPLACED: Final = {
    "sudo": _SUDO,
    "systemctl": _SYSTEMCTL,
    "runuser": _RUNUSER,
    "install": _INSTALL,
    "nginx": _QUIET,
    "useradd": _QUIET,
}


def _server() -> sa.URL:
    address = os.environ.get("REPAIRCORE_TEST_POSTGRES_URL")
    if not address:
        pytest.skip("REPAIRCORE_TEST_POSTGRES_URL names no PostgreSQL server")
    return sa.make_url(address)


@pytest.fixture
def database() -> Iterator[str]:
    name = f"hour_{uuid4().hex[:12]}"
    yield name
    engine = sa.create_engine(_server(), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        connection.exec_driver_sql(f"DROP ROLE IF EXISTS {name}")
    engine.dispose()


def _commands() -> list[str]:
    """Return the tested commands of the page, each complete."""
    lines = "\n".join(
        block.text for block in blocks(PAGE.read_text(encoding="utf-8")) if block.language == "sh"
    )
    return [command for command in _joined(lines.splitlines()) if not command.endswith(_UNTRIED)]


def _joined(lines: list[str]) -> Iterator[str]:
    while lines:
        command = lines.pop(0)
        while not _complete(command):
            command += "\n" + lines.pop(0)
        yield command


def _complete(command: str) -> bool:
    checked = subprocess.run(["bash", "-n", "-c", command], capture_output=True, check=False)  # noqa: S603, S607
    return checked.returncode == 0 and not checked.stderr and not command.endswith("\\")


class _Machine:
    """A shell on a machine whose root is another folder."""

    def __init__(self, folder: Path, database: str) -> None:
        self._root = folder / "root"
        home, programs, scratch = folder / "home", folder / "bin", folder / "scratch"
        for made in (home, programs, scratch, *(self._root / name[1:] for name in _FOLDERS)):
            made.mkdir(parents=True)
        (self._root / "etc/nginx/conf.d").mkdir()
        for name, text in _REPLACED.items():
            (programs / name).write_text(
                text.replace("{python}", sys.executable).replace("{root}", str(self._root))
            )
            (programs / name).chmod(0o755)
        server = _server()
        self._moved = _Replacements(self._root, database, server)
        shutil.copytree(ROOT / "deploy", home / "deploy")
        for path in (home / "deploy").iterdir():
            path.write_text(self._moved.text(path.read_text(encoding="utf-8")), encoding="utf-8")
        environ = fresh_environ(home, programs, ROOT / "src") | _psql_environ(server)
        self._session = Session(home, environ, scratch)

    def run(self, command: str) -> CommandResult:
        return self._session.run(self._moved.text(command))

    def run_nightly(self) -> CommandResult:
        """Run the nightly cron jobs."""
        line = (self._root / "etc/cron.d/repaircore").read_text(encoding="utf-8").strip()
        return self._session.run(line.split(maxsplit=6)[6].replace("\\%", "%"))

    def logs(self) -> str:
        return "\n".join(path.read_text(encoding="utf-8") for path in sorted(self._root.glob("*.log")))

    def close(self) -> None:
        self._session.close()


def _psql_environ(server: sa.URL) -> dict[str, str]:
    """Return the environment variables that connect psql to a server."""
    named = {"PGHOST": server.host, "PGPORT": server.port and str(server.port), "PGUSER": server.username}
    return {name: value for name, value in {**named, "PGPASSWORD": server.password}.items() if value}


class _Replacements:
    """Replacements for the places, ports and names of a real machine."""

    def __init__(self, root: Path, database: str, server: sa.URL) -> None:
        self._root, self._database = root, database
        self._host = f"{server.host or '127.0.0.1'}:{server.port or 5432}"
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self._port = listener.getsockname()[1]

    def text(self, text: str) -> str:
        text = re.sub("|".join(map(re.escape, _FOLDERS)), lambda found: f"{self._root}{found[0]}", text)
        text = text.replace(
            "//repaircore:change-me@127.0.0.1/repaircore",
            f"//{self._database}:change-me@{self._host}/{self._database}",
        )
        text = text.replace("ROLE repaircore", f"ROLE {self._database}")
        text = text.replace(
            "createdb --owner repaircore repaircore", f"createdb --owner {self._database} {self._database}"
        )
        text = text.replace(
            "redis://127.0.0.1:6379/0",
            os.environ.get("REPAIRCORE_TEST_REDIS_URL", "redis://127.0.0.1:6379/0"),
        )
        return text.replace("127.0.0.1:8000", f"127.0.0.1:{self._port}").replace(
            "--port 8000", f"--port {self._port}"
        )


def test_multiline_commands_of_the_page_are_found_complete() -> None:
    found = _commands()

    assert "repaircore doctor" in found
    assert any(command.endswith("\nEND") for command in found)
    assert not any("apt-get" in command or "certbot" in command for command in found)


@pytest.mark.long
def test_page_leads_from_nothing_to_production(tmp_path: Path, database: str) -> None:
    if "REPAIRCORE_TEST_REDIS_URL" not in os.environ:
        pytest.skip("REPAIRCORE_TEST_REDIS_URL names no Redis server")
    machine = _Machine(tmp_path, database)
    printed = {}
    try:
        for command in _commands():
            ended = machine.run(command)
            assert ended.status == 0, f"{command}\n\n{ended.printed}\n{ended.errors}\n{machine.logs()}"
            printed[command] = ended.printed
        nightly = machine.run_nightly()
        assert nightly.status == 0, nightly.errors
    finally:
        machine.close()

    assert (tmp_path / "root/installed").read_text() == ".[metrics,postgres,redis]\n"
    assert (tmp_path / "root/etc/repaircore/environment").stat().st_mode & 0o777 == 0o600
    ready = next(text for command, text in printed.items() if command.endswith("/readyz"))
    assert ready.strip() == '{"status":"ok"}'
    assert json.loads((tmp_path / "root/var/lib/repaircore/backups/last.json").read_text())
    assert "repaircore_database_up 1" in printed["grep '^repaircore_database_up' metrics.txt"]
    assert "Front Brake Pads" in printed["repaircore predict 1HGCM82633A004352 90210 brake-pads-front"]
