"""Failures as text and as JSON, for the command line and for server startup."""

import os
import traceback
from typing import Any

from repaircore.kernel.errors import Conflict, Failure, Invalid, Unresolvable
from repaircore.settings import DEBUG


def error_text(error: Exception) -> str:
    """Return the text of a failure: one line, or one line per error for ``Invalid``.

    Only an unexpected error is preceded by its traceback, and only if ``REPAIRCORE_DEBUG`` is set.
    """
    if isinstance(error, Invalid):
        return "".join(_field(name, text) for name, texts in error.fields.items() for text in texts)
    traced = _expected_message(error) is None and os.environ.get(DEBUG)
    trace = "".join(traceback.format_exception(error)) if traced else ""
    return f"{trace}Error: {_message(error)}\n"


def error_json(error: Exception) -> dict[str, Any]:
    """Return a failure as JSON, in the HTTP API's format."""
    shown: dict[str, Any] = {"message": _message(error)}
    if isinstance(error, Invalid):
        shown["errors"] = error.fields
    if isinstance(error, Failure) and error.code is not None:
        shown["error_code"] = error.code
    if isinstance(error, Conflict | Unresolvable):
        shown |= error.details or {}
    return shown


def _message(error: Exception) -> str:
    first_line = next(iter(str(error).splitlines()), "")
    return _expected_message(error) or (
        f"unexpected {type(error).__name__}: {first_line}. Set {DEBUG}=1 for a traceback."
    )


def _expected_message(error: Exception) -> str | None:
    if isinstance(error, Failure):
        return error.message
    if isinstance(error, ModuleNotFoundError) and error.name and error.name.split(".")[0] == "psycopg":
        return "Support for PostgreSQL is not installed. Run: pip install 'repaircore[postgres]'"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    if isinstance(error, UnicodeError):
        return "The input is not valid UTF-8."
    return None


def _field(name: str, text: str) -> str:
    return f"Error: {text}\n" if text.startswith(name) else f"Error: {name}: {text}\n"
