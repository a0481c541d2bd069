"""Options that many commands share."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar, overload

import typer

from repaircore.kernel.ids import is_possible_id

if TYPE_CHECKING:
    from repaircore.kernel.callers import Caller, Environment


E = TypeVar("E", bound=StrEnum)

Database = Annotated[
    str | None,
    typer.Option(
        "--database", metavar="URL", help="sqlite:///file.db or postgresql+psycopg://user@host/name."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask back.")]
Email = Annotated[str, typer.Option("--email", metavar="EMAIL", help="Whose.", show_default=False)]
InTest = Annotated[bool, typer.Option("--test", help="In the test environment.")]
InEnvironment = Annotated[
    str, typer.Option("--environment", metavar="test|live", help="In which environment.")
]
PasswordStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from the first line of the input.")
]


def an_id(number: int | None) -> int | None:
    """Take a number that can be the id of something.

    Raises:
        UsageError: it cannot.
    """
    if number is None or is_possible_id(number):
        return number
    raise typer.BadParameter("there is no such id")


def environment_named(name: str) -> "Environment":
    """Give the environment with this name.

    Raises:
        UsageError: there is none.
    """
    from repaircore.kernel.callers import Environment

    if name not in set(Environment):
        raise typer.BadParameter("takes test or live", param_hint="--environment")
    return Environment(name)


def environment_of(name: str, *, test: bool) -> "Environment":
    """Give the environment with this name; ``--test`` is short for the test environment.

    Raises:
        UsageError: there is none.
    """
    return environment_named("test" if test else name)


@overload
def one_of(choices: type[E], text: str, field: str) -> E: ...


@overload
def one_of(choices: type[E], text: str | None, field: str) -> E | None: ...


def one_of(choices: type[E], text: str | None, field: str) -> E | None:
    """Take one of some words, None where none is told.

    Raises:
        Invalid: on ``field``, which names the words.
    """
    from repaircore.kernel.errors import Invalid

    if text is None:
        return None
    try:
        return choices(text)
    except ValueError:
        raise Invalid({field: [f"The {field} must be one of: {', '.join(choices)}."]}) from None


def operator(*, test: bool) -> "Caller":
    """Give the installation itself, acting in one of its environments."""
    from attrs import evolve

    from repaircore.kernel.callers import LOCAL, Environment

    return evolve(LOCAL, environment=Environment.TEST if test else Environment.LIVE)
