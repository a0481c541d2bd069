"""``repaircore db``."""

import time
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from repaircore_cli.options import Yes
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands, progress, unopened
from repaircore_cli.terminal import print_text

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Manage the database's schema.")

_RETRY_SECONDS: Final = 0.5
"""The pause between attempts to reach the database."""


@app.command(epilog="Example: repaircore db upgrade --wait 30", opening=unopened)
def upgrade(
    core: "Core",
    *,
    wait: Annotated[
        int,
        typer.Option(
            "--wait",
            metavar="SECONDS",
            min=0,
            max=86_400,
            help="How long to wait for a database that is not responding yet.",
        ),
    ] = 0,
) -> Output:
    """Upgrade the database to this version; it is safe to run on several machines at once."""
    if wait:
        _await_answer(core, wait)
    core.upgrade(progress)
    yield from _show_status(core)


@app.command(epilog="Example: repaircore db downgrade base --yes", opening=unopened)
def downgrade(
    core: "Core",
    *,
    revision: Annotated[str, typer.Argument(help="An earlier revision; `base` removes everything.")],
    yes: Yes = False,
) -> Output:
    """Downgrade the database to an earlier revision; data of newer revisions is lost."""
    confirm(f"Data that revision {revision} cannot store will be lost. Continue?", yes=yes)
    core.storage.downgrade(revision)
    yield from _show_status(core)


@app.command(epilog="Example: repaircore db status", opening=unopened)
def status(core: "Core") -> Output:
    """Show the state of the database."""
    yield from _show_status(core)


def _await_answer(core: "Core", seconds: int) -> None:
    """Wait until the database responds.

    Raises:
        Unavailable: it did not respond in time.
    """
    from repaircore.kernel.errors import Unavailable

    deadline, is_announced = time.monotonic() + seconds, False
    while True:
        try:
            core.storage.revision()
        except Unavailable as error:
            if time.monotonic() >= deadline:
                raise Unavailable(f"The database did not respond within {seconds:,} s.") from error
        else:
            return
        if not is_announced:
            typer.echo(f"Waiting for the database, up to {seconds:,} s.", err=True)
            is_announced = True
        time.sleep(_RETRY_SECONDS)


def _show_status(core: "Core") -> Output:
    status = _status(core)
    yield status
    print_text(f"database      {status['database']}")
    print_text(f"revision      {status['revision'] or 'none yet'} (this version needs {status['head']})")
    print_text(f"book edition  {status['book_edition'] or 'none yet'}")


def _status(core: "Core") -> dict[str, Any]:
    revision = core.storage.revision()
    return {
        "database": core.settings.shown()["REPAIRCORE_DATABASE_URL"],
        "revision": revision,
        "head": core.storage.head,
        "up_to_date": revision == core.storage.head,
        "book_edition": None if revision is None else core.storage.book_edition(),
    }
