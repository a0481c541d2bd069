"""What `drivers` and `businesses` share: the directory of who comes to a vehicle."""

from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from repaircore_cli.asking import confirm
from repaircore_cli.terminal import print_json, print_rows

if TYPE_CHECKING:
    from repaircore.kernel.callers import Caller
    from repaircore.providers.service import Directory

__all__ = [
    "Active",
    "Hours",
    "InEnvironment",
    "Latitude",
    "Limit",
    "Longitude",
    "Name",
    "Phone",
    "Radius",
    "Ref",
    "TimeZone",
    "added",
    "by",
    "listed",
    "removed",
]

_Directory: TypeAlias = "Directory[Any, Any]"

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name.")]
Phone = Annotated[str, typer.Argument(metavar="PHONE", help="The phone, by which they are known.")]
Ref = Annotated[str, typer.Argument(metavar="REF", help="The reference, from `list`.")]
Latitude = Annotated[
    str, typer.Option("--latitude", metavar="DEGREES", help="Where they stand.", show_default=False)
]
Longitude = Annotated[
    str, typer.Option("--longitude", metavar="DEGREES", help="Where they stand.", show_default=False)
]
Radius = Annotated[
    str, typer.Option("--radius", metavar="MILES", help="How far they come: 25, or what is told.")
]
TimeZone = Annotated[
    str,
    typer.Option("--time-zone", metavar="ZONE", help="Theirs, like America/New_York.", show_default=False),
]
Hours = Annotated[
    str,
    typer.Option("--hours", metavar="HOURS", help="When they work: always, or like 'mon-fri 08:00-17:00'."),
]
Active = Annotated[
    bool, typer.Option("--active/--inactive", help="Whether they get requests.", show_default=False)
]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=10_000, help="How many at most.")]
InEnvironment = Annotated[
    str, typer.Option("--environment", metavar="test|live", help="Whose directory.", show_default=True)
]


def by(environment: str) -> "Caller":
    """Give the installation itself, acting in an environment.

    Raises:
        UsageError: there is no such environment.
    """
    from repaircore.kernel.callers import Environment
    from repaircore_cli.options import operator

    if environment not in set(Environment):
        raise typer.BadParameter("takes test or live", param_hint="--environment")
    return operator(test=environment == Environment.TEST)


def added(
    directory: _Directory,
    cells: dict[str, str],
    caller: "Caller",
    told: Callable[[Any], dict[str, Any]],
    *,
    as_json: bool,
) -> None:
    """Add one, and say under which reference."""
    one = directory.add(cells, caller)
    if as_json:
        print_json(told(one))
    else:
        typer.echo(f"{one.ref}  {one.name}")


def listed(
    directory: _Directory,
    caller: "Caller",
    told: Callable[[Any], dict[str, Any]],
    *,
    limit: int,
    as_json: bool,
) -> None:
    """List them by age, the oldest first."""
    some = list(islice(directory.all(caller.environment), limit + 1))
    if as_json:
        print_json([told(one) for one in some[:limit]])
        return
    abilities = directory.trade.abilities_column
    print_rows(
        ("reference", "id", "name", "phone", abilities.replace("_", " "), "miles", "active"),
        [
            (
                one.ref,
                one.id,
                one.name,
                one.phone,
                ", ".join(sorted(one.abilities)),
                f"{one.radius_miles:g}",
                "yes" if one.active else "no",
            )
            for one in some[:limit]
        ],
    )
    if len(some) > limit:
        typer.echo("There are more: use --limit.", err=True)


def removed(directory: _Directory, ref: str, caller: "Caller", *, yes: bool, as_json: bool) -> None:
    """Remove one; who was sent somewhere once is kept, and gets no more requests."""
    one = directory.show(ref, caller)
    confirm(f"{one.name} gets no more requests, and is forgotten. Go on?", yes=yes)
    gone = directory.remove(ref, caller)
    if as_json:
        print_json({"ref": ref, "removed": gone})
    elif gone:
        typer.echo(f"{one.name} is removed.")
    else:
        typer.echo(f"{one.name} gets no more requests; what they did once refers to them, so they are kept.")
