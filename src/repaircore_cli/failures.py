"""Failures of commands, printed."""

import re
import sys
from io import StringIO
from typing import Any, Final, TypeGuard

import typer

from repaircore.failure_text import error_json, error_text
from repaircore_cli.terminal import as_json_text, in_columns

_CONTINUED: Final = re.compile(r" *\n +")
"""Where a line goes on in the next one, which is indented."""


def report(error: Exception, *, as_json: bool) -> int:
    """Print a failure to the standard error, and return the exit status."""
    if isinstance(error, typer.Abort):
        return _printed({"message": "Aborted."} if as_json else "Aborted.\n", 1)
    if not _is_of_command_line(error):
        return _printed(error_json(error) if as_json else error_text(error), 1)
    return _printed({"message": error.format_message()} if as_json else _usage_text(error), error.exit_code)


def _usage_text(error: Any) -> str:
    """Return what Click says of a call that cannot be understood, each sentence on a line: the terminal's width is ours to heed.

    Click wraps the usage at 50 to 80 columns, and breaks words at their hyphens.
    """
    written = StringIO()
    error.show(file=written)
    return _CONTINUED.sub(" ", written.getvalue())


def _printed(shown: dict[str, Any] | str, status: int) -> int:
    sys.stderr.write(in_columns(shown, sys.stderr) if isinstance(shown, str) else as_json_text(shown))
    return status


def _is_of_command_line(error: Any) -> TypeGuard[Any]:
    """Return whether the command line itself is at fault; older Typers raise the exceptions of Click."""
    return all(hasattr(error, name) for name in ("exit_code", "format_message", "show"))
