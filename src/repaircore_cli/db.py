"""``repaircore db``."""

import time
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from repaircore_cli.options import AsJson, Database, Yes, commands
from repaircore_cli.prompts import confirm
from repaircore_cli.session import progress, unopened
from repaircore_cli.terminal import print_json

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Manage the database's schema.")

_ASKED_EVERY: Final = 0.5
"""Seconds between two tries to reach a database that is waited for."""


@app.command(epilog="Example: repaircore db upgrade --wait 30")
def upgrade(
    ctx: typer.Context,
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
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Bring the database to this version; any number may try at once, on any number of machines."""
    with unopened(ctx, database) as core:
        if wait:
            _await_answer(core, wait)
        core.upgrade(progress)
        _told(core, as_json=as_json)


@app.command(epilog="Example: repaircore db downgrade base --yes")
def downgrade(
    ctx: typer.Context,
    *,
    revision: Annotated[str, typer.Argument(help="An earlier revision; `base` leaves nothing.")],
    yes: Yes = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Take the database back to an earlier revision; what newer ones kept is lost."""
    with unopened(ctx, database) as core:
        confirm(f"Data that revision {revision} has no place for is lost. Go on?", yes=yes)
        core.storage.downgrade(revision)
        _told(core, as_json=as_json)


@app.command(epilog="Example: repaircore db status")
def status(ctx: typer.Context, *, database: Database = None, as_json: AsJson = False) -> None:
    """Say where the database stands."""
    with unopened(ctx, database) as core:
        _told(core, as_json=as_json)


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


def _told(core: "Core", *, as_json: bool) -> None:
    told = _shape(core)
    if as_json:
        print_json(told)
        return
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
