"""``repaircore serve``."""

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.opening import progress, unopened
from repaircore_cli.options import AsJson, Database, commands
from repaircore_cli.terminal import print_json

if TYPE_CHECKING:
    from repaircore.bootstrap import Core

__all__ = ["app", "gunicorn"]

app = commands("Serve the HTTP API.")


@app.command(epilog="Example: repaircore serve --host 0.0.0.0 --port 8000 --workers 4")
def serve(
    ctx: typer.Context,
    *,
    host: Annotated[str, typer.Option("--host", help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port to listen at.")] = 8000,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, max=256, help="Processes; one for each core, at least 2."),
    ] = None,
    threads: Annotated[int, typer.Option("--threads", min=1, max=256, help="Threads in each.")] = 8,
    jobs: Annotated[  # noqa: ARG001 - there are no background jobs yet
        bool, typer.Option(" /--no-jobs", help="Run no background jobs beside it.")
    ] = True,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Serve the HTTP API; an embedded or empty database is migrated first."""
    with unopened(ctx, database) as core:
        _make_ready(core)
        core.prepare()
        settings = core.settings
    count = workers or max(2, os.cpu_count() or 1)
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if as_json:
        print_json(
            {"url": f"http://{address}", "workers": count, "threads": threads, "settings": settings.shown()}
        )
    else:
        _announce(f"http://{address}", count, threads, settings.shown())
    sys.stdout.flush()
    # The process becomes gunicorn, so that signals reach it and nothing else has to end.
    os.environ["REPAIRCORE_DATABASE_URL"] = settings.url
    command = gunicorn(address, workers=count, threads=threads)
    os.execv(command[0], command)  # noqa: S606 - our own interpreter


def gunicorn(address: str, *, workers: int, threads: int) -> list[str]:
    """Give the command that serves."""
    return [
        sys.executable,
        "-m",
        "gunicorn",
        "--worker-class=gthread",
        f"--workers={workers}",
        f"--threads={threads}",
        f"--bind={address}",
        "--graceful-timeout=30",
        "--log-level=warning",
        "repaircore_http.wsgi:make_app()",
    ]


def _make_ready(core: "Core") -> None:
    from repaircore.kernel.errors import Unavailable

    if core.settings.is_embedded or core.storage.standing() is None:
        core.upgrade(progress)
    for obstacle in core.ready():
        raise Unavailable(obstacle)


def _announce(url: str, workers: int, threads: int, settings: dict[str, object]) -> None:
    typer.echo(f"Listening at {url} with {workers} workers of {threads} threads. Ctrl-C ends.")
    for name, value in settings.items():
        if value is not None:
            typer.echo(f"  {name} = {value}")
