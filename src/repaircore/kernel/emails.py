"""Validate e-mail addresses, and normalize them for storage and comparison."""

from typing import Final
from unicodedata import normalize

from attrs import frozen

from repaircore.kernel.rules import FieldErrors, sentence

_LONGEST: Final = 255


def fold_email(email: str) -> str:
    """Return an e-mail address as it is stored and compared: stripped, case-folded, and in Unicode NFC."""
    return normalize("NFC", normalize("NFD", email.strip()).casefold())


@frozen
class Email:
    """Requires an e-mail address; surrounding whitespace is ignored."""

    def broken_by(self, value: str) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        if not value.strip():
            return "is required"
        if len(value) > _LONGEST:
            return f"must not be longer than {_LONGEST} characters"
        # Slow to import, and a prediction at the command line never needs it.
        from email_validator import EmailNotValidError, validate_email  # noqa: PLC0415

        try:
            validate_email(value.strip(), check_deliverability=False, test_environment=True)
        except EmailNotValidError:
            return "must be a valid email address"
        return None


def email_errors(email: str) -> FieldErrors:
    """Return the errors in an e-mail address, under the field name ``email``."""
    predicate = Email().broken_by(email)
    return {} if predicate is None else {"email": [sentence("email", predicate)]}
