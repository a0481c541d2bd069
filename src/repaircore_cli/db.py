"""``repaircore db``."""

import time
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from repaircore_cli.options import Yes
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands, progress, unopened

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Manage the database's schema.")

_ASKED_EVERY: Final = 0.5
"""Seconds between two tries to reach a database that is waited for."""


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
            help="Wait so long for a database that does not answer yet.",
        ),
    ] = 0,
) -> Output:
    """Bring the database to this version; any number may try at once, on any number of machines."""
    if wait:
        _await_answer(core, wait)
    core.upgrade(progress)
    yield from _told(core)


@app.command(epilog="Example: repaircore db downgrade base --yes", opening=unopened)
def downgrade(
    core: "Core",
    *,
    revision: Annotated[str, typer.Argument(help="An earlier revision; `base` leaves nothing.")],
    yes: Yes = False,
) -> Output:
    """Take the database back to an earlier revision; what newer ones kept is lost."""
    confirm(f"Data that revision {revision} has no place for is lost. Go on?", yes=yes)
    core.storage.downgrade(revision)
    yield from _told(core)


@app.command(epilog="Example: repaircore db status", opening=unopened)
def status(core: "Core") -> Output:
    """Say where the database stands."""
    yield from _told(core)


def _await_answer(core: "Core", seconds: int) -> None:
    """Wait until the database answers, and say once that it is waited for.

    Raises:
        Unavailable: it has not answered for so long.
    """
    from repaircore.kernel.errors import Unavailable

    until, is_told = time.monotonic() + seconds, False
    while True:
        try:
            core.storage.standing()
        except Unavailable as error:
            if time.monotonic() >= until:
                raise Unavailable(f"The database has not answered for {seconds:,} s.") from error
        else:
            return
        if not is_told:
            typer.echo(
                f"The database does not answer yet; it is waited for, {seconds:,} s at most.", err=True
            )
            is_told = True
        time.sleep(_ASKED_EVERY)


def _told(core: "Core") -> Output:
    told = _shape(core)
    yield told
    typer.echo(f"database      {told['database']}")
    typer.echo(f"revision      {told['revision'] or 'none yet'} (this version's is {told['head']})")
    typer.echo(f"book edition  {told['book_edition'] or 'none yet'}")


def _shape(core: "Core") -> dict[str, Any]:
    standing = core.storage.standing()
    return {
        "database": core.settings.shown()["REPAIRCORE_DATABASE_URL"],
        "revision": standing,
        "head": core.storage.head,
        "up_to_date": standing == core.storage.head,
        "book_edition": None if standing is None else core.storage.edition(),
    }
