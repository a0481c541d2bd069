"""The reference page of the command line: ``python -m repaircore_cli.reference > docs/reference/cli.md``."""

import sys
from collections.abc import Iterator
from typing import Any

import typer

from repaircore_cli.main import app

_WIDTH = 80


def page() -> str:
    """Return the page: the exit statuses, and the help of every command."""
    head = (
        "# Command line\n\n"
        "| exit status | when |\n"
        "|---|---|\n"
        "| 0 | the command succeeded; an empty list is not a failure |\n"
        "| 1 | it failed: a record is missing, an action is not allowed or a value is wrong; a check found problems; you answered no to a prompt |\n"
        "| 2 | a usage error: an unknown command or option, a missing argument, a value of the wrong type |\n"
        "| 130 | Ctrl-C ended it; `serve` and `jobs run` end with 0, since Ctrl-C is how they are stopped |\n"
        "| 141 | the program that read its output has ended, as in `repaircore problems list \\| head` |\n"
        "\n"
        "Results go to standard output, everything else to standard error. With `--json` a failure is JSON as well,\n"
        "in the format of the HTTP API: `message` and, where they apply, `errors` by field and `error_code`. In a pipe, lists are\n"
        "tab-separated lines, without a header unless `--header` is given. On a terminal that is too narrow for a table, columns\n"
        "without any value are left out; if that is not enough, each row becomes a record with a line for each value. A command that only reads never creates a database. A repair may be named in\n"
        "words wherever a slug is accepted. `--install-completion` completes commands, slugs, makes and trouble codes. `NO_COLOR` and `TERM=dumb` are respected. `-h` is short for `--help`.\n"
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
