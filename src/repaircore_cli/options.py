"""Options that many commands share."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar, overload

import typer

from repaircore.kernel.ids import is_possible_id

if TYPE_CHECKING:
    from datetime import date

    from repaircore.kernel.callers import Caller, Environment


E = TypeVar("E", bound=StrEnum)

Database = Annotated[
    str | None,
    typer.Option(
        "--database", metavar="URL", help="sqlite:///file.db or postgresql+psycopg://user@host/name."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]
Email = Annotated[
    str, typer.Option("--email", metavar="EMAIL", help="The account's e-mail.", show_default=False)
]
WithHeader = Annotated[bool, typer.Option("--header", help="Print the table header into a pipe, too.")]
InTest = Annotated[bool, typer.Option("--test", help="Short for --environment test.")]
InEnvironment = Annotated[str, typer.Option("--environment", metavar="test|live", help="The environment.")]
OfEnvironment = Annotated[
    str | None,
    typer.Option("--environment", metavar="test|live", help="Only for one environment; by default, both."),
]
OfPartner = Annotated[int | None, typer.Option("--partner", metavar="ID", help="Only for one partner.")]
PageNumber = Annotated[int, typer.Option("--page", metavar="N", min=1, help="Which page.")]
Limit = Annotated[
    int, typer.Option("--limit", metavar="N", min=1, max=100, help="The maximum number to list.")
]
AtMost = Annotated[
    int | None,
    typer.Option(
        "--limit", metavar="N", min=1, help="The maximum number to list; by default, all.", show_default=False
    ),
]
PasswordStdin = Annotated[
    bool,
    typer.Option("--password-stdin", help="Read the password from the first line of standard input."),
]


def an_id(number: int | None) -> int | None:
    """Return ``number`` if it is None or a valid id.

    Raises:
        BadParameter: it is neither.
    """
    if number is None or is_possible_id(number):
        return number
    raise typer.BadParameter("there is no such id")


@overload
def environment_named(name: str) -> "Environment": ...


@overload
def environment_named(name: str | None) -> "Environment | None": ...


def environment_named(name: str | None) -> "Environment | None":
    """Return the environment with this name, or None if ``name`` is None.

    Raises:
        BadParameter: there is no such environment.
    """
    from repaircore.kernel.callers import Environment

    if name is None:
        return None
    if name not in set(Environment):
        raise typer.BadParameter("must be test or live", param_hint="--environment")
    return Environment(name)


def environment_of(name: str = "live", *, test: bool) -> "Environment":
    """Return the environment with this name, or the test environment if ``test``.

    Raises:
        BadParameter: there is no such environment.
    """
    return environment_named("test" if test else name)


@overload
def one_of(choices: type[E], text: str, field: str) -> E: ...


@overload
def one_of(choices: type[E], text: str | None, field: str) -> E | None: ...


def one_of(choices: type[E], text: str | None, field: str) -> E | None:
    """Return the choice that ``text`` names, or None if ``text`` is None.

    Raises:
        Invalid: on ``field``: there is no such choice; the message lists the choices.
    """
    from repaircore.kernel.errors import Invalid

    if text is None:
        return None
    try:
        return choices(text)
    except ValueError:
        raise Invalid({field: [f"The {field} must be one of: {', '.join(choices)}."]}) from None


def parse_day(text: str | None, option: str) -> "date | None":
    """Parse the date of an option, such as 2026-12-01; return None if ``text`` is None.

    Raises:
        BadParameter: it is not a date.
    """
    from datetime import date

    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter("must be a date such as 2026-12-01", param_hint=option) from None


def operator(*, test: bool) -> "Caller":
    """Return the installation as a caller, in the test or live environment."""
    from attrs import evolve

    from repaircore.kernel.callers import LOCAL

    return evolve(LOCAL, environment=environment_of(test=test))
