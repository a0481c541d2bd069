"""``repaircore serve``."""

import os
import sys
from math import ceil
from typing import TYPE_CHECKING, Annotated, Final

import typer

from repaircore.checkup.setting_values import unknown_settings
from repaircore.kernel.wording import counted
from repaircore.settings import ANNOUNCEMENT, MACHINE, PREFIX, SETUP_LINK
from repaircore.stop_signals import blocked
from repaircore_cli.cores import usable_cores
from repaircore_cli.options import AsJson
from repaircore_cli.session import commands, progress, unopened
from repaircore_cli.terminal import as_json_text

if TYPE_CHECKING:
    import socket

    from repaircore.accounts.first_admin import NewSetupLink
    from repaircore.core import Core
    from repaircore.settings import Settings


app = commands("Serve the HTTP API and the web console.")

_GRACE: Final = 30
"""Seconds for requests in progress to finish when the server stops."""

_KEEP_ALIVE: Final = 75
"""Seconds that an idle connection stays open: longer than proxies keep theirs (nginx: 60), since a proxy that sends a
request over a connection that is just being closed responds with a 502. An idle connection uses no thread."""

_ALL_ADDRESSES: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared, not bound
"""Hosts that no browser can open."""

_OTHER_FOLDER: Final = f"Set {PREFIX}STATE_FOLDER to another folder."

_BACKLOG: Final = 2048
"""The maximum number of connections that wait to be accepted; gunicorn's default."""


@app.command(epilog="Example: repaircore serve --host 0.0.0.0 --port 8000 --workers 4", opening=unopened)
def serve(
    core: "Core",
    *,
    host: Annotated[
        str, typer.Option("--host", metavar="HOST", help="The address to listen on.")
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(
            "--port", metavar="PORT", min=0, max=65535, help="The port to listen on; 0 picks a free one."
        ),
    ] = 8000,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            max=256,
            help="Worker processes; by default one for each available core, at least 2.",
        ),
    ] = None,
    threads: Annotated[
        int, typer.Option("--threads", metavar="N", min=1, max=256, help="Threads in each worker.")
    ] = 8,
    no_jobs: Annotated[bool, typer.Option("--no-jobs", help="Do not run background jobs.")] = False,
    as_json: AsJson = False,
) -> None:
    """Serve the HTTP API and the web console; an embedded or empty database is upgraded first."""
    if not host.strip():
        raise typer.BadParameter(
            "an address is required; 0.0.0.0 listens on all addresses", param_hint="--host"
        )
    _require_ready(core)
    settings = core.settings
    _require_state_folder(settings)
    for name in unknown_settings(os.environ):
        typer.echo(f"Warning: {name}: there is no such setting. Correct its name, or unset it.", err=True)
    # With --json the announcement may end up in a log.
    link = core.create_setup_link() if settings.console and not as_json else None
    core.close()  # execv replaces this process, which must leave nothing open
    jobs = not no_jobs
    count = workers or max(2, usable_cores())
    listener = _listen(host, port)
    port = listener.getsockname()[1]
    url = f"http://{_host_port(host, port)}"
    # The process becomes gunicorn, so that signals reach it directly.
    os.environ["REPAIRCORE_DATABASE_URL"] = settings.url
    if settings.has_default_public_url:
        os.environ["REPAIRCORE_PUBLIC_URL"] = own_url(host, port)
    os.environ[SETUP_LINK] = "" if link is None else link.link.text()
    core.share_metrics(reset=True)
    command = gunicorn(
        f"fd://{listener.fileno()}", workers=count, threads=threads, drain=settings.drain_seconds
    )
    if jobs:  # the server starts the job process and notices when it ends
        command.append("--jobs")
    if as_json:  # errors that prevent its start are printed as JSON, too
        command.append("--json")
    with blocked():  # Ctrl-C must not interrupt programs during their imports
        # The server prints this once it can no longer miss a signal: a signal that another thread of this process
        # receives (libraries start some) is lost when execv replaces the program.
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
            else _announcement(host, port, settings, workers=count, threads=threads, jobs=jobs, link=link)
        )
        os.execv(command[0], command)  # noqa: S606 - our own interpreter


def gunicorn(bind: str, *, workers: int, threads: int, drain: float = 0) -> list[str]:
    """Return the command that runs gunicorn; workers keep serving for ``drain`` seconds after SIGTERM."""
    return [
        sys.executable,
        "-P",  # import nothing from the working directory, which others may write to
        "-X",
        "no_debug_ranges",  # the column positions of tracebacks take several megabytes
        "-m",
        "repaircore_http.server",
        "--worker-class=repaircore_http.fast_path.worker.Worker",
        "--preload",  # workers share what the master has loaded
        f"--workers={workers}",
        f"--threads={threads}",
        f"--bind={bind}",
        f"--keep-alive={_KEEP_ALIVE}",
        f"--graceful-timeout={_GRACE + ceil(drain)}",
        "--no-control-socket",  # all of a user's servers would share it, in a home that may not exist
        "--log-level=warning",
        "--logger-class=repaircore_http.server_log.ServerLog",
        # By default, gunicorn trusts forwarded headers from the local machine. Only the application knows whether there
        # are proxies (REPAIRCORE_TRUSTED_PROXIES).
        "--forwarded-allow-ips=",
        "--forwarder-headers=",
        "--header-map=drop",
    ]


def own_url(host: str, port: int) -> str:
    """Return the base URL for links to a server on this machine, with 127.0.0.1 for hosts that no browser can open."""
    return f"http://{_host_port('127.0.0.1' if host in _ALL_ADDRESSES else host, port)}"


def _listen(host: str, port: int) -> "socket.socket":
    """Return a listening socket for gunicorn to inherit, so that the address works before it is announced.

    Raises:
        Unavailable: this process cannot listen on the address.
    """
    import socket

    from repaircore.kernel.errors import Unavailable

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        # create_server appends the address to the reason, as a Python tuple.
        reason = (error.strerror or "").partition(" (")[0]
        raise Unavailable(f"Cannot listen on {_host_port(host, port)}: {reason}.") from error
    listener.set_inheritable(True)
    return listener


def _host_port(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _require_ready(core: "Core") -> None:
    from repaircore.kernel.errors import Unavailable

    if core.settings.is_embedded or core.storage.revision() is None:
        core.upgrade(progress)
    for obstacle in core.ready():
        raise Unavailable(obstacle)


def _require_state_folder(settings: "Settings") -> None:
    """Refuse to start if limits are counted in files that cannot be written: nobody could log in, and others had no limit.

    Raises:
        Unavailable: the folder cannot be created or written to.
    """
    from tempfile import TemporaryFile

    from repaircore.kernel.errors import Unavailable

    if settings.redis_url is not None or MACHINE not in {settings.main_windows, settings.partner_windows}:
        return
    folder = settings.state
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except (FileExistsError, NotADirectoryError) as error:
        raise Unavailable(f"{folder} cannot be the state folder: there is a file. {_OTHER_FOLDER}") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise Unavailable(
            f"The state folder {folder} cannot be written: {reason}. {_OTHER_FOLDER}"
        ) from error


def _announcement(
    host: str,
    port: int,
    settings: "Settings",
    *,
    workers: int,
    threads: int,
    jobs: bool,
    link: "NewSetupLink | None",
) -> str:
    url, own = f"http://{_host_port(host, port)}", own_url(host, port)
    console = f"Web console: {own}/console. " if settings.console else ""
    shown = [f"  {name} = {value}" for name, value in settings.shown().items() if value is not None]
    return "\n".join(
        [
            f"Listening on {url} with {counted(workers, 'worker')} of {counted(threads, 'thread')}. Press Ctrl-C to stop.",
            f"{console}API documentation: {own}/docs.",
            "Background jobs are running."
            if jobs
            else "Background jobs are off. Run them with `repaircore jobs run`.",
            *shown,
            *([] if link is None else [_setup(own, settings, link)]),
            "",
        ]
    )


def _setup(url: str, settings: "Settings", link: "NewSetupLink") -> str:
    base = url if settings.has_default_public_url else settings.public_url.rstrip("/")
    return (
        "There is no admin yet. To create the first admin account, open this address in a browser. It works once,"
        f" within 24 hours, as long as this server runs:\n  {base}/console/setup/{link.token}"
    )
