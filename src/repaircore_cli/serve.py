"""``repaircore serve``."""

import os
import sys
from math import ceil
from typing import TYPE_CHECKING, Annotated, Final

import typer

from repaircore.settings import ANNOUNCEMENT
from repaircore_cli.cores import usable
from repaircore_cli.options import AsJson
from repaircore_cli.session import commands, progress, unopened
from repaircore_cli.stop_signals import held_back
from repaircore_cli.terminal import as_json_text

if TYPE_CHECKING:
    import socket

    from repaircore.core import Core
    from repaircore.settings import Settings


app = commands("Serve the HTTP API and the web console.")

_GRACE: Final = 30
"""Seconds that what is being answered may still take when the server ends."""

_KEPT_ALIVE: Final = 75
"""Seconds that an idle connection is kept: longer than proxies keep theirs to us (nginx, 60), so that none sends a request over
one that we close at this moment, which it would have to answer with 502. An idle connection costs no thread."""

_BACKLOG: Final = 2048
"""Connections that may wait to be accepted, as many as gunicorn lets wait."""


@app.command(epilog="Example: repaircore serve --host 0.0.0.0 --port 8000 --workers 4", opening=unopened)
def serve(
    core: "Core",
    *,
    host: Annotated[
        str, typer.Option("--host", metavar="HOST", help="The address to listen at.")
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(
            "--port", metavar="PORT", min=0, max=65535, help="The port to listen at; 0 takes a free one."
        ),
    ] = 8000,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            max=256,
            help="Processes; one for each core that may be used, at least 2.",
        ),
    ] = None,
    threads: Annotated[
        int, typer.Option("--threads", metavar="N", min=1, max=256, help="Threads in each.")
    ] = 8,
    no_jobs: Annotated[bool, typer.Option("--no-jobs", help="Run no background jobs beside it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Serve the HTTP API and the web console; an embedded or empty database is migrated first."""
    if not host.strip():
        raise typer.BadParameter(
            "an address is needed; 0.0.0.0 is every one of this machine", param_hint="--host"
        )
    _make_ready(core)
    core.prepare()
    settings = core.settings
    core.close()  # nothing of it may be open when this process becomes another program
    jobs = not no_jobs
    count = workers or max(2, usable())
    listener = _listening(host, port)
    url = f"http://{_written(host, listener.getsockname()[1])}"
    # The process becomes gunicorn, so that signals reach it and nothing else has to end.
    os.environ["REPAIRCORE_DATABASE_URL"] = settings.url
    core.share_metrics(fresh=True)
    command = gunicorn(
        f"fd://{listener.fileno()}", workers=count, threads=threads, drain=settings.drain_seconds
    )
    with held_back():  # Ctrl-C ends a server, not programs in the middle of their imports
        if jobs:
            _start_jobs()
        # The server announces itself, when no signal can be lost any more: one that a thread of this process takes
        # (libraries of ours begin some) is gone once the process has become another program.
        os.environ[ANNOUNCEMENT] = (
            as_json_text(
                {
                    "url": url,
                    "workers": count,
                    "threads": threads,
                    "jobs": jobs,
                    "settings": settings.shown(),
                }
            )
            if as_json
            else _announcement(url, count, threads, settings, jobs=jobs)
        )
        os.execv(command[0], command)  # noqa: S606 - our own interpreter


def _start_jobs() -> None:
    """Have what is to be done beside requests done in a process of its own: begun again when it dies, ended with this one."""
    import subprocess

    command = [sys.executable, "-P", "-m", "repaircore_cli.job_supervisor", str(os.getpid())]
    subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)  # noqa: S603 - our own interpreter


def gunicorn(bind: str, *, workers: int, threads: int, drain: float = 0) -> list[str]:
    """Give the command that serves; ``drain`` is for how many seconds workers go on when they are told to end."""
    return [
        sys.executable,
        "-P",  # nothing is imported from the working directory, which others may write to
        "-m",
        "repaircore_http.server",
        "--worker-class=repaircore_http.fast_path.worker.Worker",
        f"--workers={workers}",
        f"--threads={threads}",
        f"--bind={bind}",
        f"--keep-alive={_KEPT_ALIVE}",
        f"--graceful-timeout={_GRACE + ceil(drain)}",
        "--no-control-socket",  # one for all servers of a user, in a home that may not be there
        "--log-level=warning",
        "--logger-class=repaircore_http.server_log.ServerLog",
        # Gunicorn believes its own machine what it says of others. Proxies are counted by the application
        # (REPAIRCORE_TRUSTED_PROXIES), which alone knows whether there are any.
        "--forwarded-allow-ips=",
        "--forwarder-headers=",
        "--header-map=drop",
    ]


def _listening(host: str, port: int) -> "socket.socket":
    """Listen before anything is said of it; gunicorn takes the socket over."""
    import socket

    from repaircore.kernel.errors import Unavailable

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        reason = (error.strerror or "").partition(" (")[
            0
        ]  # create_server adds the address, in Python's words
        raise Unavailable(f"Nothing can listen at {_written(host, port)}: {reason}.") from error
    listener.set_inheritable(True)
    return listener


def _written(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _make_ready(core: "Core") -> None:
    from repaircore.kernel.errors import Unavailable

    if core.settings.is_embedded or core.storage.standing() is None:
        core.upgrade(progress)
    for obstacle in core.ready():
        raise Unavailable(obstacle)


def _announcement(url: str, workers: int, threads: int, settings: "Settings", *, jobs: bool) -> str:
    people = f"For people: {url}/console. " if settings.console else ""
    shown = [f"  {name} = {value}" for name, value in settings.shown().items() if value is not None]
    return "\n".join(
        [
            f"Listening at {url} with {workers} workers of {threads} threads. Ctrl-C ends.",
            f"{people}Every operation, to be tried out: {url}/docs.",
            "Jobs are done beside it."
            if jobs
            else "No jobs are done beside it: `repaircore jobs run` does them.",
            *shown,
            "",
        ]
    )
