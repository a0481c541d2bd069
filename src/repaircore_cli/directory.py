"""What `drivers` and `businesses` are: the commands of a directory of who comes to a vehicle."""

from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer
from attrs import frozen

from repaircore_cli.file_imports import DryRun, Errors, File, KeepGood, run_import
from repaircore_cli.options import AsJson, Database, Yes, commands
from repaircore_cli.prompts import confirm
from repaircore_cli.session import opened
from repaircore_cli.terminal import print_json, print_rows

if TYPE_CHECKING:
    from repaircore.bootstrap import Core
    from repaircore.kernel.callers import Caller
    from repaircore.providers.service import Directory


_Directory: TypeAlias = "Directory[Any, Any]"

_Name = Annotated[str, typer.Argument(metavar="NAME", help="The name.")]
_Phone = Annotated[str, typer.Argument(metavar="PHONE", help="The phone, by which they are known.")]
_Ref = Annotated[str, typer.Argument(metavar="REF", help="The reference, from `list`.")]
_Latitude = Annotated[
    str, typer.Option("--latitude", metavar="DEGREES", help="Where they stand.", show_default=False)
]
_Longitude = Annotated[
    str, typer.Option("--longitude", metavar="DEGREES", help="Where they stand.", show_default=False)
]
_Radius = Annotated[
    str, typer.Option("--radius", metavar="MILES", help="How far they come: 25, or what is told.")
]
_TimeZone = Annotated[
    str,
    typer.Option("--time-zone", metavar="ZONE", help="Theirs, like America/New_York.", show_default=False),
]
_Hours = Annotated[
    str,
    typer.Option("--hours", metavar="HOURS", help="When they work: always, or like 'mon-fri 08:00-17:00'."),
]
_Active = Annotated[
    bool, typer.Option("--active/--inactive", help="Whether they get requests.", show_default=False)
]
_Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=10_000, help="How many at most.")]
_InEnvironment = Annotated[
    str, typer.Option("--environment", metavar="test|live", help="Whose directory.", show_default=True)
]


@frozen(kw_only=True)
class Trade:
    """A trade at the command line.

    ``abilities`` and ``extra`` are the columns and the options of `add` that no other trade has. ``purpose`` and the
    examples stand in the help.
    """

    command: str
    one: str
    many: str
    purpose: str
    directory: Callable[["Core"], _Directory]
    told: Callable[[Any], dict[str, Any]]
    abilities: tuple[str, Any]
    extra: tuple[str, Any]
    example: str
    example_ref: str


def directory_app(trade: Trade) -> typer.Typer:
    """Make the commands of a trade's directory."""
    app = commands(trade.purpose)
    command = trade.command

    @app.command(help=f"Add a {trade.one}.", epilog=f"Example: repaircore {command} add {trade.example}")
    def add(
        ctx: typer.Context,
        *,
        name: _Name,
        phone: _Phone,
        abilities: Annotated[str, trade.abilities[1]],
        latitude: _Latitude,
        longitude: _Longitude,
        time_zone: _TimeZone,
        radius: _Radius = "",
        hours: _Hours = "",
        extra: Annotated[str, trade.extra[1]] = "",
        active: _Active = True,
        environment: _InEnvironment = "live",
        database: Database = None,
        as_json: AsJson = False,
    ) -> None:
        cells = {
            "name": name,
            "phone": phone,
            trade.abilities[0]: abilities,
            trade.extra[0]: extra,
            "latitude": latitude,
            "longitude": longitude,
            "radius_miles": radius,
            "time_zone": time_zone,
            "hours": hours,
            "active": "yes" if active else "no",
        }
        caller = _by(environment)
        with opened(ctx, database) as core:
            one = trade.directory(core).add(cells, caller)
        if as_json:
            print_json(trade.told(one))
        else:
            typer.echo(f"{one.ref}  {one.name}")

    @app.command(
        "list",
        help=f"List {trade.many}, the oldest entry first.",
        epilog=f"Example: repaircore {command} list --environment test",
    )
    def list_(
        ctx: typer.Context,
        *,
        limit: _Limit = 100,
        environment: _InEnvironment = "live",
        database: Database = None,
        as_json: AsJson = False,
    ) -> None:
        caller = _by(environment)
        with opened(ctx, database) as core:
            some = list(islice(trade.directory(core).all(caller.environment), limit + 1))
        if as_json:
            print_json([trade.told(one) for one in some[:limit]])
            return
        abilities = trade.abilities[0].replace("_", " ")
        print_rows(
            ("reference", "id", "name", "phone", abilities, "miles", "active"), [*map(_row, some[:limit])]
        )
        if len(some) > limit:
            typer.echo("There are more: use --limit.", err=True)

    @app.command(
        "import",
        help=f"""Add {trade.many}, or change known ones, from a CSV file.

        A {trade.one} is known by the phone. An empty cell leaves what is known as it is. A command that broke off goes on where it
        stopped when it is run again.
        """,
        epilog=f"Example: repaircore {command} import {command}.csv --dry-run",
    )
    def import_(
        ctx: typer.Context,
        *,
        file: File,
        dry_run: DryRun = False,
        errors: Errors = None,
        keep_good: KeepGood = False,
        environment: _InEnvironment = "live",
        database: Database = None,
        as_json: AsJson = False,
    ) -> None:
        caller = _by(environment)
        with opened(ctx, database) as core:
            run_import(
                lambda upload, options: trade.directory(core).import_file(upload, options, caller),
                file,
                dry_run=dry_run,
                errors=errors,
                keep_good=keep_good,
                as_json=as_json,
                test=environment == "test",
                updates=True,
            )

    @app.command(
        help=f"Remove a {trade.one}; one who was sent somewhere once is kept, and gets no more requests.",
        epilog=f"Example: repaircore {command} remove {trade.example_ref} --yes",
    )
    def remove(
        ctx: typer.Context,
        *,
        ref: _Ref,
        yes: Yes = False,
        environment: _InEnvironment = "live",
        database: Database = None,
        as_json: AsJson = False,
    ) -> None:
        caller = _by(environment)
        with opened(ctx, database) as core:
            one = trade.directory(core).show(ref, caller)
            confirm(f"{one.name} gets no more requests, and is forgotten. Go on?", yes=yes)
            gone = trade.directory(core).remove(ref, caller)
        if as_json:
            print_json({"ref": ref, "removed": gone})
        elif gone:
            typer.echo(f"{one.name} is removed.")
        else:
            typer.echo(
                f"{one.name} gets no more requests; what they did once refers to them, so they are kept."
            )

    return app


def _row(one: Any) -> tuple[object, ...]:
    return (
        one.ref,
        one.id,
        one.name,
        one.phone,
        ", ".join(sorted(one.abilities)),
        f"{one.radius_miles:g}",
        "yes" if one.active else "no",
    )


def _by(environment: str) -> "Caller":
    """Give the installation itself, acting in an environment.

    Raises:
        UsageError: there is no such environment.
    """
    from repaircore.kernel.callers import Environment
    from repaircore_cli.options import operator

    if environment not in set(Environment):
        raise typer.BadParameter("takes test or live", param_hint="--environment")
    return operator(test=environment == Environment.TEST)
