"""deploy/nginx.conf in a real nginx, in front of two machines of which one crashes on every request."""

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest
from tests.docs.examples import ROOT
from typing_extensions import override

NGINX = shutil.which("nginx", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin")))
EXAMPLE = (ROOT / "deploy" / "nginx.conf").read_text()

pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")


class Machine(ThreadingHTTPServer):
    """Answer every request, or hang up on it, and record the methods."""

    daemon_threads = True

    def __init__(self, *, breaks: bool) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.breaks = breaks
        self.methods: list[str] = []
        self.received = 0


class _Handler(BaseHTTPRequestHandler):
    server: Machine

    @override
    def handle_one_request(self) -> None:
        self.raw_requestline = self.rfile.readline(65537)
        if not self.raw_requestline or not self.parse_request():
            self.close_connection = True
            return
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.methods.append(self.command)
        self.server.received = len(body)
        self.close_connection = True
        if not self.server.breaks:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")


@contextmanager
def proxied(folder: Path, *machines: int) -> Iterator[httpx.Client]:
    """Run nginx with the example configuration, without TLS, in front of machines at these ports."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    servers = "".join(f"server 127.0.0.1:{machine} max_fails=0;\n" for machine in machines)
    result = re.sub(r"server 127\.0\.0\.1:8000 .*;\n", servers, EXAMPLE)
    result = re.sub(r" *(listen \[::\]|ssl_certificate).*;\n", "", result)
    result = result.replace("listen 443 ssl http2;", f"listen 127.0.0.1:{port};")
    config = "".join(
        f"{name}_temp_path {folder / name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    file = folder / "nginx.conf"
    user = "user root;\n" if os.geteuid() == 0 else ""  # the default user could not read the folder
    file.write_text(
        f"{user}pid {folder}/pid;\nerror_log {folder}/errors;\nworker_processes 1;\nevents {{}}\n"
        f"http {{\naccess_log {folder}/access;\n{config}{result}}}\n"
    )
    command = [str(NGINX), "-p", str(folder), "-e", f"{folder}/errors", "-c", str(file), "-g", "daemon off;"]
    with subprocess.Popen(command) as process:  # noqa: S603 - nginx, our own file
        try:
            _until_it_listens(port, process)
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60) as client:
                yield client
        finally:
            process.terminate()
            process.wait(60)


def _until_it_listens(port: int, process: "subprocess.Popen[bytes]") -> None:
    last = time.monotonic() + 60
    while True:
        assert process.poll() is None
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except OSError:
            assert time.monotonic() < last
            time.sleep(0.05)
        else:
            return


@pytest.fixture
def machines() -> Iterator[tuple[Machine, Machine]]:
    with ExitStack() as stack:
        both = Machine(breaks=True), Machine(breaks=False)
        for machine in both:
            stack.enter_context(machine)
            Thread(target=machine.serve_forever).start()
            stack.callback(machine.shutdown)
        yield both


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_writes_are_never_retried(tmp_path: Path, machines: tuple[Machine, Machine], method: str) -> None:
    broken, sound = machines
    with proxied(tmp_path, broken.server_port, sound.server_port) as client:
        # The machines take turns: every second request goes to the one that crashes.
        statuses = [client.request(method, "/v1/rides/1", content=b"{}").status_code for _ in range(4)]
    assert (statuses.count(200), statuses.count(502)) == (2, 2)
    assert (broken.methods, sound.methods) == ([method] * 2, [method] * 2)


def test_reads_are_retried_on_another_machine(tmp_path: Path, machines: tuple[Machine, Machine]) -> None:
    broken, sound = machines
    with proxied(tmp_path, broken.server_port, sound.server_port) as client:
        statuses = [client.get("/api/v1/predict/makes").status_code for _ in range(4)]
    assert statuses == [200] * 4
    assert broken.methods


def test_large_bodies_arrive_complete_and_too_large_ones_are_refused(
    tmp_path: Path, machines: tuple[Machine, Machine]
) -> None:
    _, sound = machines
    with proxied(tmp_path, sound.server_port) as client:
        for method in ("POST", "PUT"):
            answer = client.request(method, "/console/admin/import", content=b"x" * 20 * 2**20)
            assert (answer.status_code, sound.received) == (200, 20 * 2**20)
            assert answer.headers["Strict-Transport-Security"]
        assert client.post("/console/admin/import", content=b"x" * 22 * 2**20).status_code == 413


def test_metrics_are_not_served_through_the_proxy(tmp_path: Path, machines: tuple[Machine, Machine]) -> None:
    _, sound = machines
    with proxied(tmp_path, sound.server_port) as client:
        assert client.get("/metrics").status_code == 404
    assert sound.methods == []


def test_secrets_in_addresses_are_not_logged(tmp_path: Path, machines: tuple[Machine, Machine]) -> None:
    _, sound = machines
    with proxied(tmp_path, sound.server_port) as client:
        client.get("/v/Zq3xT0k9")
        client.put("/console/reset/Zq3xT0k9", content=b"{}")
        client.get("/metrics")

    assert sound.methods == ["GET", "PUT"]
    written = [file for file in tmp_path.iterdir() if file.is_file() and "Zq3xT0k9" in file.read_text()]
    assert written == []
    assert (tmp_path / "access").read_text() == ""
