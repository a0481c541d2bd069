"""The rules of names, e-mails, passwords and key labels, each with its sentence."""

from typing import Final
from unicodedata import normalize

from repaircore.kernel.callers import Environment

__all__ = ["PASSWORD_LONGEST", "PASSWORD_SHORTEST", "faults", "fold", "key_faults", "password_faults"]

PASSWORD_SHORTEST: Final = 8
PASSWORD_LONGEST: Final = 1024
"""Longer ones would only cost time in the hash."""
_LONGEST: Final = 255


def fold(email: str) -> str:
    """Give the form that e-mails are compared and kept in: case and the spelling of accents aside."""
    return normalize("NFC", normalize("NFD", email.strip()).casefold())


def faults(*, name: str, email: str, password: str) -> dict[str, list[str]]:
    """Name every bad field of a registration; empty when there is none."""
    told = {
        "name": _label_faults("name", name),
        "email": _email_faults(email),
        "password": password_faults(password),
    }
    return {field: texts for field, texts in told.items() if texts}


def key_faults(*, name: str, environment: str) -> dict[str, list[str]]:
    """Name every bad field of a key's creation; empty when there is none."""
    told = {
        "name": _label_faults("name", name),
        "environment": [] if environment in set(Environment) else ["The environment must be live or test."],
    }
    return {field: texts for field, texts in told.items() if texts}


def password_faults(password: str) -> list[str]:
    """Say what is wrong with a new password."""
    if len(password) < PASSWORD_SHORTEST:
        return [f"The password field must be at least {PASSWORD_SHORTEST} characters."]
    if len(password) > PASSWORD_LONGEST:
        return [f"The password field must not be greater than {PASSWORD_LONGEST} characters."]
    return []


def _label_faults(field: str, text: str) -> list[str]:
    if not text.strip():
        return [f"The {field} field is required."]
    if len(text) > _LONGEST:
        return [f"The {field} field must not be greater than {_LONGEST} characters."]
    return []


def _email_faults(email: str) -> list[str]:
    if not email.strip():
        return ["The email field is required."]
    if len(email) > _LONGEST:
        return [f"The email field must not be greater than {_LONGEST} characters."]
    # Registering is rare and the library slow to import; a prediction at the command line never needs it.
    from email_validator import EmailNotValidError, validate_email  # noqa: PLC0415

    try:
        validate_email(email.strip(), check_deliverability=False, test_environment=True)
    except EmailNotValidError:
        return ["The email field must be a valid email address."]
    return []
