"""The rules of names, e-mails, passwords and key labels, each with its sentence."""

from collections.abc import Callable
from typing import Final
from unicodedata import normalize

from repaircore.kernel.callers import Environment

PASSWORD_SHORTEST: Final = 8
PASSWORD_LONGEST: Final = 1024
"""Longer ones would only cost time in the hash."""
_LONGEST: Final = 255


def fold(email: str) -> str:
    """Return the form that e-mails are compared and kept in: case and the spelling of accents aside."""
    return normalize("NFC", normalize("NFD", email.strip()).casefold())


def validate(**fields: str) -> dict[str, list[str]]:
    """Name what is wrong with ``name``, ``email``, ``password`` and ``environment``; judges those given."""
    told = {field: _RULES[field](text) for field, text in fields.items()}
    return {field: texts for field, texts in told.items() if texts}


def _validate_password(password: str) -> list[str]:
    """Say what is wrong with a new password."""
    if len(password) < PASSWORD_SHORTEST:
        return [f"The password field must be at least {PASSWORD_SHORTEST} characters long."]
    if len(password) > PASSWORD_LONGEST:
        return [f"The password field must not be longer than {PASSWORD_LONGEST} characters."]
    return []


def _validate_name(name: str) -> list[str]:
    if not name.strip():
        return ["The name field is required."]
    if len(name) > _LONGEST:
        return [f"The name field must not be longer than {_LONGEST} characters."]
    return []


def _validate_environment(environment: str) -> list[str]:
    if environment in set(Environment):
        return []
    return ["The environment field must be one of: live, test."]


def _validate_email(email: str) -> list[str]:
    if not email.strip():
        return ["The email field is required."]
    if len(email) > _LONGEST:
        return [f"The email field must not be longer than {_LONGEST} characters."]
    # Registering is rare and the library slow to import; a prediction at the command line never needs it.
    from email_validator import EmailNotValidError, validate_email  # noqa: PLC0415

    try:
        validate_email(email.strip(), check_deliverability=False, test_environment=True)
    except EmailNotValidError:
        return ["The email field must be a valid email address."]
    return []


_RULES: Final[dict[str, Callable[[str], list[str]]]] = {
    "name": _validate_name,
    "email": _validate_email,
    "password": _validate_password,
    "environment": _validate_environment,
}
