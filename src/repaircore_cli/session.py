"""Command groups that open the installation before a command, close it afterward, and print its result."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import typer
from typing_extensions import override

from repaircore_cli.options import AsJson, Database, InEnvironment, InTest, WithHeader, environment_of
from repaircore_cli.terminal import header, print_json

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.settings import Settings


Output: TypeAlias = Iterator[Any]
"""The result of a command, yielded once: see ``CommandGroup``."""

F = TypeVar("F", bound=Callable[..., Any])
_Opening: TypeAlias = Callable[[typer.Context, str | None], "AbstractContextManager[Core]"]


@contextmanager
def unopened(ctx: typer.Context, database: str | None) -> "Iterator[Core]":
    """Yield the installation as it is; an empty or older database is not upgraded."""
    from repaircore.core import Core

    core = Core(_settings(ctx, database))
    try:
        yield core
    finally:
        core.close()


@contextmanager
def opened(ctx: typer.Context, database: str | None) -> "Iterator[Core]":
    """Yield the installation; its database is upgraded first if it is embedded.

    Raises:
        Unavailable: the database is not responding, or is not at this version's revision.
    """
    from repaircore.kernel.errors import Unavailable

    with unopened(ctx, database) as core:
        if core.settings.is_embedded:
            core.upgrade(progress)
        else:
            for obstacle in core.ready():
                raise Unavailable(obstacle)
        yield core


@contextmanager
def reading(ctx: typer.Context, database: str | None) -> "Iterator[Core]":
    """Yield the installation for a command that only reads; a missing database is not created.

    Raises:
        Unavailable: there is no database yet, it is not responding, or it is not at this version's revision.
    """
    if is_missing(_settings(ctx, database)):
        raise _no_database(_settings(ctx, database))
    with opened(ctx, database) as core:
        yield core


@contextmanager
def reading_shipped(ctx: typer.Context, database: str | None) -> "Iterator[Core]":
    """Yield the installation for a command that reads what every installation has, such as the repair book.

    If there is no database yet, the command works on a temporary one.

    Raises:
        Unavailable: the database is not responding, or is not at this version's revision.
    """
    if not is_missing(_settings(ctx, database)):
        with opened(ctx, database) as core:
            yield core
        return
    from tempfile import TemporaryDirectory

    with (
        TemporaryDirectory(prefix="repaircore-") as folder,
        opened(ctx, f"sqlite:///{folder}/repaircore.db") as core,
    ):
        yield core


def is_missing(settings: "Settings") -> bool:
    """Return whether the database is a file that does not exist yet or is empty."""
    from repaircore.addresses import database_address

    file = database_address(settings.url).file
    if file is None:
        return False
    try:
        return file.stat().st_size == 0
    except FileNotFoundError:
        return True
    except OSError:  # opening it raises the error
        return False


def _no_database(settings: "Settings") -> Exception:
    from repaircore.addresses import NO_DATABASE
    from repaircore.kernel.errors import Unavailable

    return Unavailable(f"{NO_DATABASE}. It would be {settings.url}; use --database for another one.")


class CommandGroup(typer.Typer):
    """A group of commands. Those whose function takes ``core`` open the installation.

        @app.command("list", epilog="Example: repaircore keys list --email ada@example.com")
        def list_(core: "Core", *, email: Email) -> Output:
            keys = core.accounts.list_keys(core.accounts.caller_for(email))
            yield [ApiKeyView.of(key) for key in keys]
            print_rows(…)

    These commands also have the options `--database` and `--json`. With `--json`, the value that the function yields is
    printed and the command ends there; a failure is printed as JSON, too (see ``main``). Without it, the rest of the
    function prints the result for people. If the view takes long to import, the function yields a callable that returns
    the value. A command that prints its JSON in another way takes ``as_json`` and yields nothing.
    """

    @override
    def command(
        self, name: str | None = None, *, opening: _Opening = opened, rows: bool = False, **options: Any
    ) -> Callable[[F], F]:
        register = super().command(name, **options)

        def decorate(function: F) -> F:
            register(
                _entry_point(function, opening, rows=rows)
                if "core" in signature(function).parameters
                else function
            )
            return function

        return decorate


def commands(help: str) -> CommandGroup:  # noqa: A002 - typer's word
    """Return an app to register commands with; it prints help as plain text, and does not catch what commands raise."""
    return CommandGroup(
        help=help,
        add_completion=False,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _entry_point(function: Callable[..., Any], opening: _Opening, *, rows: bool) -> Callable[..., None]:
    """Return the function that Typer calls; its signature has the options that Typer reads."""
    parameters = {
        name: parameter for name, parameter in signature(function).parameters.items() if name != "core"
    }
    takes_json = parameters.pop("as_json", None) is not None
    names = frozenset(parameters)

    @wraps(function)
    def run(ctx: typer.Context, *, database: str | None, as_json: bool, **arguments: Any) -> None:
        if takes_json:
            arguments["as_json"] = as_json
        _choose_environment(arguments, names)
        with header(shown=arguments.pop("with_header", False)), opening(ctx, database) as core:
            output = function(core, **arguments)
            if output is None:
                return
            for result in output:
                if as_json:
                    print_json(result() if callable(result) else result)
                    return

    added = [_option("database", Database, None), _option("as_json", AsJson, default=False)]
    if rows:
        added.append(_option("with_header", WithHeader, default=False))
    if "test" in names:
        added.insert(0, _option("environment", InEnvironment, "live"))
    elif "environment" in names:
        added.insert(0, _option("test", InTest, default=False))
    context = Parameter("ctx", Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    shown = [context, *parameters.values(), *added]
    run.__signature__ = Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return run


def _choose_environment(arguments: dict[str, Any], names: frozenset[str]) -> None:
    """Set the environment argument of a function from `--environment` and `--test`.

    Raises:
        BadParameter: there is no such environment.
    """
    if not names & {"test", "environment"}:
        return
    named, test = arguments.pop("environment"), arguments.pop("test")
    chosen = None if named is None and not test else environment_of(named, test=test).value
    if "test" in names:
        arguments["test"] = chosen == "test"
    else:
        arguments["environment"] = chosen  # None lists both


def _option(name: str, annotation: Any, default: object) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _settings(ctx: typer.Context, database: str | None) -> "Settings":
    """Return the settings from the environment variables, with the database of `--database` if that is given.

    The option may precede or follow the command; if it does both, the later one wins.

    Raises:
        Invalid: a setting is invalid.
    """
    from repaircore.settings import PREFIX, Settings

    url = database or ctx.find_root().obj
    environ = dict(os.environ)
    if url:
        environ[PREFIX + "DATABASE_URL"] = url
    return Settings.from_env(environ)


def progress(text: str) -> None:
    """Show a progress line on a terminal; the next one overwrites it, and an empty one erases it."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}" if os.environ.get("TERM") != "dumb" else f"{text}\n" * bool(text))
        sys.stderr.flush()
