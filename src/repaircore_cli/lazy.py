"""Commands that are imported when they are used: starting is most of the time that a command takes."""

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any, ClassVar

import typer
from attrs import frozen
from typer.core import TyperGroup
from typing_extensions import override

__all__ = ["Entry", "LazyCommands", "LazyGroup"]


@frozen
class Entry:
    """Where a command lives, and what the list of commands says of it (a test holds the two together)."""

    module: str
    help: str


class LazyCommands(MutableMapping[str, Any]):
    """Commands by name; each is imported from its module's ``app`` when it is first looked up."""

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._entries = entries
        self._made: dict[str, Any] = {}

    @override
    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            command = typer.main.get_command(import_module(self._entries[name].module).app)
            command.name = name
            self._made[name] = command
        return self._made[name]

    @override
    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    @override
    def __delitem__(self, name: str) -> None:
        del self._made[name]

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    @override
    def __len__(self) -> int:
        return len(self._entries)

    def helps(self) -> list[tuple[str, str]]:
        """List names and their one line of help, importing nothing."""
        return [(name, entry.help) for name, entry in self._entries.items()]


class LazyGroup(TyperGroup):
    """A group over ``entries``; a subclass names them."""

    entries: ClassVar[Mapping[str, Entry]] = {}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = LazyCommands(self.entries)

    @override
    def list_commands(self, ctx: Any) -> list[str]:
        """List the names, importing nothing."""
        return list(self.entries)

    @override
    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands from the entries alone."""
        with formatter.section("Commands"):
            formatter.write_dl(LazyCommands(self.entries).helps())
