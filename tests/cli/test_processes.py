"""The command as its own process: imports, pipes, signals, and the lifetime of a server."""

import json
import os
import signal
import socket
import subprocess
import sys
import termios
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from repaircore_cli.serve import own_url

PREDICT = ("predict", "1HGCM82633A004352", "90210", "brake-pads-front")
HEAVY = {
    "alembic",
    "argon2",
    "cattrs",
    "email_validator",
    "flask",
    "httpx",
    "numpy",
    "pydantic",
    "rich",
    "sqlalchemy",
    "vin",
    "vininfo",
    "zipcodes",
}

COMPUTING = {
    "repaircore.adapters.postgres.pool",
    "repaircore.predictions.compute",
    "repaircore.predictions.past_predictions",
    "repaircore.pricing.book_price",
    "repaircore.pricing.estimator",
    "repaircore.transactions.evidence",
    "repaircore.vehicle_facts.engine_families",
}


def _command(*args: str) -> list[str]:
    return [sys.executable, "-m", "repaircore_cli", *args]


def _run(url: str, *args: str, **environ: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(  # noqa: S603 - our own command
        _command(*args), env=_environ(url, **environ), capture_output=True, text=True, check=False
    )


def _environ(url: str, **more: str) -> dict[str, str]:
    source = str(Path(__file__).parents[2] / "src")
    return {**os.environ, "PYTHONPATH": source, "REPAIRCORE_DATABASE_URL": url, **more}


@pytest.mark.parametrize("args", [PREDICT, (*PREDICT, "--json"), ("--help",)])
def test_cached_answer_imports_no_heavy_module(sqlite_url: str, args: tuple[str, ...]) -> None:
    _run(sqlite_url, *PREDICT)
    code = (
        "import sys, atexit\n"
        "atexit.register(lambda: print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr))\n"
        "from repaircore_cli.main import run\n"
        f"run({[*args]!r})\n"
    )
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-c", code], env=_environ(sqlite_url), capture_output=True, text=True, check=True
    )
    assert "typer" in done.stderr
    assert set(done.stderr.split()) & HEAVY == set()


def test_cached_estimate_imports_nothing_that_only_computing_needs(sqlite_url: str) -> None:
    _run(sqlite_url, *PREDICT)
    code = (
        "import sys, atexit\n"
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
        f"from repaircore_cli.main import run\nrun({[*PREDICT]!r})\n"
    )
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-c", code], env=_environ(sqlite_url), capture_output=True, text=True, check=True
    )
    imported = set(done.stderr.split())

    assert "repaircore.predictions.service" in imported
    assert imported & COMPUTING == set()


def test_first_run_creates_its_database(tmp_path: Path) -> None:
    done = _run(f"sqlite:///{tmp_path}/new/shop.db", *PREDICT, "--json")
    assert json.loads(done.stdout)["success"] is True
    assert done.stderr == ""


def test_closed_pipe_ends_the_command_quietly(sqlite_url: str) -> None:
    with subprocess.Popen(  # noqa: S603 - our own command
        _command("problems", "list", "--json"),
        env=_environ(sqlite_url),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""


def test_output_without_unicode_gets_ascii(sqlite_url: str) -> None:
    done = _run(sqlite_url, *PREDICT, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert done.stdout.isascii()


@pytest.mark.long
@pytest.mark.parametrize(("setting", "status"), [("on", 303), ("off", 404)])
def test_server_answers_and_ends_on_a_signal(tmp_path: Path, setting: str, status: int) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen(  # noqa: S603 - our own command
        _command("serve", "--port", str(port), "--workers", "1", "--no-jobs"),
        env=_environ(f"sqlite:///{tmp_path}/served.db", REPAIRCORE_CONSOLE=setting),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert _answer(f"http://127.0.0.1:{port}/readyz") == {"status": "ok"}
            console = httpx.get(f"http://127.0.0.1:{port}/console", trust_env=False)
            assert console.status_code == status
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
        assert process.stdout is not None
        result = process.stdout.read()
        assert f"http://127.0.0.1:{port}" in result
        assert (f"Web console: http://127.0.0.1:{port}/console." in result) == (setting == "on")
        assert f"REPAIRCORE_CONSOLE = {setting}" in result


@pytest.mark.long
def test_link_to_the_first_admin_is_printed_until_there_is_one(tmp_path: Path) -> None:
    url, form = f"sqlite:///{tmp_path}/served.db", {"email": "root@example.com", "password": "correct horse"}
    links_seen: list[str] = []
    for _ in range(2):
        with subprocess.Popen(  # noqa: S603 - our own command
            _command("serve", "--port", "0", "--workers", "2", "--no-jobs"),
            env=_environ(url, REPAIRCORE_ACCESS_LOG="on"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(3)]
            assert lines[0].startswith("Listening on ")
            base = lines[0].split()[2]
            try:
                while line := process.stdout.readline().strip():
                    lines.append(line)
                    if "/console/setup/" in line or (
                        line.startswith("REPAIRCORE_STATE_FOLDER") and links_seen
                    ):
                        break
                links = [line for line in lines if "/console/setup/" in line]
                links_seen += links
                if links:
                    _register_first_admin(base, links[0], form)
            finally:
                process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=30) == 0
            assert process.stderr is not None
            assert "fal_" not in process.stderr.read()
    assert len(links_seen) == 1


def _register_first_admin(base: str, link: str, form: dict[str, str]) -> None:
    assert link.startswith(f"{base}/console/setup/fal_")
    with httpx.Client(trust_env=False, timeout=60, headers={"Sec-Fetch-Site": "same-origin"}) as browser:
        for _ in range(8):  # by either worker
            page = browser.get(link)
            assert page.status_code == 200
        token = page.text.partition('name="form_token" value="')[2].partition('"')[0]
        answer = browser.post(link, data={**form, "name": "Root", "form_token": token})
        assert answer.status_code == 303
        assert browser.get(f"{base}/console/admin/prices").status_code == 200
        assert browser.get(link).status_code == 404


def test_taken_port_gives_a_one_line_error(sqlite_url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        done = _run(sqlite_url, "serve", "--port", str(port))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"Error: Cannot listen on 127.0.0.1:{port}: Address already in use.\n"


@pytest.mark.long
@pytest.mark.every_variant
@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_failure_to_start_is_reported_as_by_other_commands(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "served.db.key").mkdir()
    done = _run(f"sqlite:///{tmp_path}/served.db", "serve", "--port", "0", *arguments)
    expected = f"The secret key cannot be stored in {tmp_path}/served.db.key: Is a directory."

    assert (done.returncode, done.stdout) == (1, "")
    error = done.stderr.removeprefix("Preparing the database…\nImporting the repair book…\n")
    if arguments:
        assert json.loads(error) == {"message": expected}
    else:
        assert error == f"Error: {expected}\n"


@pytest.mark.long
def test_free_port_is_printed_and_answers_at_once(sqlite_url: str) -> None:
    with subprocess.Popen(  # noqa: S603 - our own command
        _command("serve", "--port", "0", "--workers", "1", "--json"),
        env=_environ(sqlite_url),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            result = "".join(iter(process.stdout.readline, "}\n")) + "}"
            assert _answer(json.loads(result)["url"] + "/healthz") == {"status": "ok"}
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),  # noqa: S104 - nobody listens
        ("::", "http://127.0.0.1:8000"),
        ("::1", "http://[::1]:8000"),
        ("10.1.2.3", "http://10.1.2.3:8000"),
    ],
)
def test_link_to_a_server_on_all_addresses_has_a_reachable_host(host: str, url: str) -> None:
    assert own_url(host, 8000) == url


@pytest.mark.long
def test_a_driver_is_sent_back_to_the_address_that_serves(sqlite_url: str) -> None:
    _run(sqlite_url, "users", "invite", "ada@example.com", "--name", "Ada")
    keys = _run(sqlite_url, "keys", "create", "shop", "--email", "ada@example.com", "--json").stdout
    # On Linux every address of 127.0.0.0/8 is this machine, so no other machine can reach this server.
    with subprocess.Popen(  # noqa: S603 - our own command
        _command("serve", "--host", "127.0.0.2", "--port", "0", "--workers", "1", "--no-jobs", "--json"),
        env=_environ(sqlite_url),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            url = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")["url"]
            # The socket already listens; the answer waits for the worker.
            answer = httpx.get(
                f"{url}/api/v1/connectedcar/connect",
                headers={"Authorization": f"Bearer {json.loads(keys)['secret_key']}"},
                timeout=60,
                trust_env=False,
            )
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0

    assert url.startswith("http://127.0.0.2:")
    assert answer.json()["data"]["authorization_url"].startswith(f"{url}/api/v1/connectedcar/callback?")


def test_narrow_terminal_cuts_no_slug(sqlite_url: str) -> None:
    reader, terminal = os.openpty()
    termios.tcsetwinsize(terminal, (24, 80))
    with subprocess.Popen(  # noqa: S603 - our own command
        _command("problems", "list"), env=_environ(sqlite_url, TERM="xterm"), stdout=terminal, stdin=terminal
    ) as process:
        os.close(terminal)
        links_seen = b""
        with suppress(OSError):  # the terminal closes with its last writer
            while piece := os.read(reader, 65536):
                links_seen += piece
        os.close(reader)
        assert process.wait(timeout=30) == 0
    slugs = [line.split("\t")[1] for line in _run(sqlite_url, "problems", "list").stdout.splitlines()]
    assert set(slugs) <= set(links_seen.decode().split())


def _answer(url: str) -> object:
    until = time.monotonic() + 120
    while True:
        try:
            with urllib.request.urlopen(url, timeout=60) as response:  # noqa: S310 - loopback
                return json.load(response)
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
