"""The reference page of the command line: ``python -m repaircore_cli.reference > docs/reference/cli.md``."""

import sys
from collections.abc import Iterator
from typing import Any

import typer

from repaircore_cli.main import app

_WIDTH = 80


def page() -> str:
    """Write the help of every command."""
    head = (
        "# Command line\n\n"
        "The exit status is 0, 1 for a failure, 2 for a command line that cannot be understood, and 130 after Ctrl-C.\n"
        "Results go to the standard output, everything else to the standard error. With `--json` a failure is JSON as well,\n"
        "as the HTTP API writes it: `message`, and where they apply `errors` by field and `error_code`. Into a pipe, lists are\n"
        "lines with tabs and without a header. `NO_COLOR` and `TERM=dumb` are respected. `-h` is short for `--help`.\n"
    )
    root = typer.main.get_command(app)
    return head + "".join(_section(root, "repaircore", None))


def _section(command: Any, name: str, parent: Any) -> Iterator[str]:
    ctx = command.context_class(
        command, info_name=name.rpartition(" ")[2], parent=parent, terminal_width=_WIDTH
    )
    yield f"\n## {name}\n\n```text\n{command.get_help(ctx).rstrip()}\n```\n"
    if hasattr(command, "list_commands"):
        for inner in command.list_commands(ctx):
            yield from _section(command.get_command(ctx, inner), f"{name} {inner}", ctx)


if __name__ == "__main__":
    sys.stdout.write(page())
