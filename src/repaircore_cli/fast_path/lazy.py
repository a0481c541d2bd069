"""Commands imported only when used, and option values converted only when necessary.

Saves most of the startup time: `repaircore --help` takes 6 times as long as `python -c pass`, and 15 times if
every command is imported. Typer has pydantic convert every value, strings included, and importing pydantic adds
another 3 (docs/decisions/quick-start.md).
Plain alternative: one ``typer.Typer`` to which ``main`` adds every group with ``add_typer``.
"""

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any, ClassVar, Final

import typer
from typer.core import TyperGroup
from typing_extensions import override

from repaircore_cli.help_text import format_help, show_in_capitals

UNREAD: Final = 141
"""The exit status when the output is no longer read, as if SIGPIPE had killed the program."""

INTERRUPTED: Final = 130
"""The exit status after Ctrl-C."""

_ALL: Final = -1
"""The ``nargs`` of an argument that takes all remaining words."""


class LazyCommands(MutableMapping[str, Any]):
    """Commands by name; each is imported when it is first looked up."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._modules = modules
        self._made: dict[str, Any] = {}

    @override
    def __getitem__(self, name: str) -> Any:
        if name not in self._made and name in self._modules:
            self._made[name] = prepare(typer.main.get_command(import_module(self._modules[name]).app))
        return self._made[name]

    @override
    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    @override
    def __delitem__(self, name: str) -> None:
        del self._made[name]

    @override
    def __iter__(self) -> Iterator[str]:
        return iter({**self._modules, **self._made})

    @override
    def __len__(self) -> int:
        return len({**self._modules, **self._made})


class LazyGroup(TyperGroup):
    """A group of the commands in ``entries``, which a subclass defines.

    An entry maps a command's name to its module, which has an ``app``, and to its line in the list of commands. A test
    compares the line with the command's own help.
    """

    entries: ClassVar[Mapping[str, tuple[str, str]]] = {}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = LazyCommands({name: module for name, (module, _) in self.entries.items()})

    @override
    def invoke(self, ctx: Any) -> Any:
        """Run the command, and exit with the usual status if its output is no longer read, or on Ctrl-C."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise typer.Exit(UNREAD) from None
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None

    @override
    def list_commands(self, ctx: Any) -> list[str]:
        """List the names, importing nothing."""
        return list(self.entries)

    @override
    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands, importing nothing."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.entries.items()])


def prepare(command: Any) -> Any:
    """Make a command and its subcommands skip the conversion of strings, and format their help.

    Typer still converts all other values.
    """
    listed = command.get_params

    def params(ctx: Any) -> list[Any]:
        found: list[Any] = listed(ctx)
        for param in found:
            if "process_value" not in vars(param):
                param.process_value = _value_reader(param)
                if param.param_type_name == "argument":
                    show_in_capitals(param)
        return found

    command.get_params = params
    format_help(command)
    if not isinstance(command, LazyGroup):
        for inner in getattr(command, "commands", {}).values():
            prepare(inner)
    return command


def _value_reader(param: Any) -> Callable[[Any, Any], Any]:
    convert = param.process_value
    kind = getattr(getattr(param, "type_descriptor", None), "annotation", None)

    def take(ctx: Any, value: Any) -> Any:
        if param.nargs == _ALL and kind == list[str] and value and set(map(type, value)) == {str}:
            return [*value]
        if not ((value is None and not param.required) or (kind is str and type(value) is str)):
            return convert(ctx, value)
        return value if param.callback is None else param.callback(ctx, param, value)

    return take
