"""Failures in words."""

import os
import traceback

from repaircore.kernel.errors import Failure, Invalid
from repaircore.predictions.errors import ProblemDoesNotFit
from repaircore.settings import DEBUG


def told(error: Exception) -> str:
    """Give what is written of a failure: a line, or one for each bad field; never a traceback.

    Only an unexpected error is followed by where it arose, and only when the variable ``REPAIRCORE_DEBUG`` is set.
    """
    if isinstance(error, Invalid):
        return "".join(_field(name, text) for name, texts in error.fields.items() for text in texts)
    if isinstance(error, Failure):
        return _misfit(error) if isinstance(error, ProblemDoesNotFit) else f"Error: {error.message}\n"
    if isinstance(error, ModuleNotFoundError) and error.name and error.name.split(".")[0] == "psycopg":
        return "Error: PostgreSQL needs the extra: pip install 'repaircore[postgres]'.\n"
    if isinstance(error, OSError) and error.strerror:
        return (
            f"Error: {error.strerror}: {error.filename}\n" if error.filename else f"Error: {error.strerror}\n"
        )
    if isinstance(error, UnicodeError):
        return "Error: A text that was typed or read is not UTF-8.\n"
    where = "".join(traceback.format_exception(error)) if os.environ.get(DEBUG) else ""
    return f"{where}Error: something unexpected happened ({type(error).__name__}: {_first_line(error)}). Set {DEBUG}=1 to see where.\n"


def _misfit(error: ProblemDoesNotFit) -> str:
    """Return the reason, the repairs that fit instead, and how to get the estimate anyway."""
    nearest = ", ".join(one.slug for one in error.alternatives)
    instead = f"What fits: {nearest}.\n" if nearest else ""
    return f"Error: {error.message}\n{instead}Add --force to estimate it anyway.\n"


def _field(name: str, text: str) -> str:
    return f"Error: {text}\n" if text.startswith(name) else f"Error: {name}: {text}\n"


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0]
