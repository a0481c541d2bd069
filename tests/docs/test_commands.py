"""The pages mention only existing commands, and the README mentions all of them."""

import re
from typing import Any

import pytest
import typer
from tests.docs import python_reference
from tests.docs.examples import ROOT, blocks, commands, pages

from repaircore_cli.main import app
from repaircore_cli.reference import page as reference

_PROGRAM: Any = typer.main.get_command(app)
_NAMED = re.compile(r"`repaircore ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?")
_README = (ROOT / "README.md").read_text(encoding="utf-8")


def _mentions() -> set[tuple[str, ...]]:
    text = "\n".join(page.read_text(encoding="utf-8").replace("\n", " ") for page in pages())
    mentioned = {tuple(filter(None, found)) for found in _NAMED.findall(text)}
    run = {
        tuple(command.split()[1:2])
        for page in pages()
        for block in blocks(page.read_text(encoding="utf-8"))
        if block.language == "console"
        for command, _ in commands(block.text)
        if command.startswith("repaircore ")
    }
    return mentioned | run


def _find(names: tuple[str, ...]) -> Any:
    found, context = _PROGRAM, typer.Context(_PROGRAM)
    for name in names:
        found = found and found.get_command(context, name)
    return found


@pytest.mark.parametrize("names", sorted(_mentions()), ids=" ".join)
def test_every_command_in_a_page_exists(names: tuple[str, ...]) -> None:
    assert _find(names) is not None


def test_readme_lists_every_command() -> None:
    listed = {names[0] for names in _NAMED.findall(_README)}
    assert listed == set(_PROGRAM.list_commands(typer.Context(_PROGRAM)))


def test_readme_lists_the_commands_of_each_group() -> None:
    missing = []
    for group in _PROGRAM.list_commands(typer.Context(_PROGRAM)):
        found = _find((group,))
        if hasattr(found, "list_commands"):
            (row,) = (line for line in _README.splitlines() if line.startswith(f"| `repaircore {group}"))
            named = set(re.findall(r"[a-z]+(?:-[a-z]+)*", row))
            missing += [
                f"{group} {name}" for name in found.list_commands(typer.Context(found)) if name not in named
            ]

    assert missing == []


def test_readme_has_two_one_line_commands_for_newcomers() -> None:
    lines = [line for line in _README.splitlines() if line.startswith("python3 -m venv ")]
    assert [line.rpartition(" && ")[2].split()[0] for line in lines] == [
        ".venv/bin/repaircore",
        ".venv/bin/python",
    ]


def test_reference_matches_the_help_of_every_command() -> None:
    written = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    assert written == reference(), "run: python -m repaircore_cli.reference > docs/reference/cli.md"


def test_library_reference_matches_its_docstrings() -> None:
    written = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    wanted = python_reference.page()
    assert written == wanted, "run: python -m tests.docs.python_reference > docs/reference/python.md"
