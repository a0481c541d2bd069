"""Print why a command failed."""

import re
import sys
from io import StringIO
from typing import Any, Final, TypeGuard

import typer

from repaircore.failure_text import error_json, error_text
from repaircore.predictions.errors import ProblemDoesNotFit
from repaircore_cli.terminal import as_json_text, in_columns

_CONTINUED: Final = re.compile(r" *\n +")
"""Matches a line break that Click inserted: the next line is indented."""


_OWN_WORDS: Final = (
    (re.compile(r"Input should be a valid integer.*|.* is not a valid integer.*"), "must be a whole number"),
    (re.compile(r"Input should be a valid number.*|.* is not a valid float.*"), "must be a number"),
    (re.compile(r"Input should be greater than or equal to (\S+)"), r"must be at least \1"),
    (re.compile(r"Input should be less than or equal to (\S+)"), r"must be at most \1"),
    (re.compile(r"Input should be greater than (\S+)"), r"must be greater than \1"),
    (re.compile(r"Input should be less than (\S+)"), r"must be less than \1"),
)
"""Messages about a value from pydantic and Click, which vary by version, and what is printed instead."""


def report(error: Exception, *, as_json: bool) -> int:
    """Print a failure to standard error, and return the exit status."""
    if isinstance(error, typer.Abort):
        return _printed({"message": "Aborted."} if as_json else "Aborted.\n", 1)
    if not _is_usage_error(error):
        return _printed(error_json(error) if as_json else _text(error), 1)
    if not as_json and _is_help(error):
        sys.stderr.write(f"{error.message}\n")
        return int(error.exit_code)
    error.message = _in_own_words(error.message)
    return _printed({"message": error.format_message()} if as_json else _usage_text(error), error.exit_code)


def _text(error: Exception) -> str:
    """Return a failure as text; if a repair does not fit the vehicle, name those that do and the option to override."""
    if not isinstance(error, ProblemDoesNotFit):
        return error_text(error)
    alternatives = ", ".join(problem.slug for problem in error.alternatives)
    fits = f"These fit: {alternatives}.\n" if alternatives else ""
    return f"{error_text(error)}{fits}Add --force to estimate it anyway.\n"


def _is_help(error: Any) -> bool:
    """Return whether the message is the whole help, which a group without a command raises, already laid out."""
    context = getattr(error, "ctx", None)
    return context is not None and error.message == context.get_help()


def _in_own_words(message: str) -> str:
    for pattern, words in _OWN_WORDS:
        if (found := pattern.fullmatch(message)) is not None:
            return f"{found.expand(words)}."
    return message


def _usage_text(error: Any) -> str:
    """Return Click's message about a usage error, one sentence per line.

    Click wraps the usage at 50 to 80 columns, and breaks words at their hyphens; ``in_columns`` wraps it instead.
    """
    written = StringIO()
    error.show(file=written)
    return _CONTINUED.sub(" ", written.getvalue())


def _printed(shown: dict[str, Any] | str, status: int) -> int:
    sys.stderr.write(in_columns(shown, sys.stderr) if isinstance(shown, str) else as_json_text(shown))
    return status


def _is_usage_error(error: Any) -> TypeGuard[Any]:
    """Return whether an error has a usage error's attributes; older versions of Typer raise Click's exceptions."""
    return all(hasattr(error, name) for name in ("exit_code", "format_message", "show"))
