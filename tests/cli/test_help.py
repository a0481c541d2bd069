"""Help and reference of the commands."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer

from repaircore_cli.main import Commands, app
from repaircore_cli.reference import page

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"


def _commands(command: Any, name: str, parent: Any = None) -> Iterator[tuple[str, Any]]:
    ctx = command.context_class(command, info_name=name, parent=parent)
    if not hasattr(command, "list_commands"):
        yield name, command
        return
    for inner in command.list_commands(ctx):
        yield from _commands(command.get_command(ctx, inner), f"{name} {inner}", ctx)


_WITHOUT_DATABASE = {"repaircore openapi", "repaircore book schema", "repaircore estimates priors-schema"}
"""These describe the program and need no database."""

LEAVES = dict(_commands(typer.main.get_command(app), "repaircore"))


@pytest.mark.parametrize("name", LEAVES)
def test_every_command_has_an_example_and_json(name: str) -> None:
    command = LEAVES[name]
    assert command.epilog.startswith("Example: ")
    assert f"{name} " in f"{command.epilog} "
    options = {option for param in command.params for option in param.opts}
    needed = {"--json"} if name in _WITHOUT_DATABASE else {"--json", "--database"}
    assert needed <= options


@pytest.mark.parametrize("name", LEAVES)
def test_arguments_are_in_capitals_and_options_name_their_values(name: str) -> None:
    ctx = LEAVES[name].context_class(LEAVES[name], info_name=name)
    result = LEAVES[name].get_help(ctx)
    usage = result.splitlines()[0].removeprefix(f"Usage: {name}")
    assert usage == usage.upper()
    assert not re.search(r"[{}]|<[a-z]", result)


@pytest.mark.parametrize("name", Commands.entries)
def test_list_of_commands_has_the_summary_of_each(name: str) -> None:
    module, line = Commands.entries[name]
    command = typer.main.get_command(import_module(module).app)
    result = (command.help or "").splitlines()[0]
    assert result.startswith(line[:-1])
    assert result[len(line) - 1] in ".,:;", "the list breaks off in the middle of what is said"


def test_reference_page_matches_the_help() -> None:
    assert REFERENCE.read_text("utf-8") == page(), (
        "run python -m repaircore_cli.reference > docs/reference/cli.md"
    )
