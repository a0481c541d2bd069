"""A real PgBouncer in transaction mode in front of the tests' PostgreSQL server."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

PGBOUNCER = shutil.which("pgbouncer", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin")))
_STARTS_WITHIN = 15.0

Pooled = Callable[..., str]
"""Return the URL of a database behind PgBouncer, with PgBouncer options for that database."""


@pytest.fixture
def pooled(postgres_url: str, tmp_path: Path) -> Iterator[Pooled]:
    """Return a function that starts PgBouncer in front of the tests' database."""
    if PGBOUNCER is None:
        pytest.skip("PgBouncer is not installed")
    with ExitStack() as running:
        yield lambda options="", **limits: running.enter_context(
            _bouncer(postgres_url, tmp_path, options, **limits)
        )


@contextmanager
def _bouncer(url: str, folder: Path, options: str, *, clients: int = 50) -> Iterator[str]:
    address = sa.make_url(url)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (folder / "users.txt").write_text(f'"{address.username}" "{address.password or ""}"\n')
    target = f"host={address.host} port={address.port or 5432} user={address.username}"
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\n* = {target} {options}\n"
        "[pgbouncer]\n"
        f"listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = trust\nauth_file = {folder / 'users.txt'}\nadmin_users = {address.username}\n"
        "pool_mode = transaction\n"
        "server_round_robin = 1\n"  # as many different sessions as there are
        f"default_pool_size = 3\nmax_client_conn = {clients}\nquery_wait_timeout = 5\n"
    )
    for path in (folder, folder / "users.txt", folder / "pgbouncer.ini"):
        path.chmod(0o755)  # PgBouncer never runs as root
    command = [str(PGBOUNCER), *(["-u", "nobody"] if os.geteuid() == 0 else []), "pgbouncer.ini"]
    with (folder / "pgbouncer.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)  # noqa: S603 - our own words
    try:
        _wait_for(port, process, folder / "pgbouncer.log")
        yield address.set(host="127.0.0.1", port=port).render_as_string(hide_password=False)
    finally:
        process.terminate()
        process.wait(_STARTS_WITHIN)


def _wait_for(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + _STARTS_WITHIN
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    pytest.fail(f"PgBouncer does not run: {log.read_text()}")
