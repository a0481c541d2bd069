"""Input for accounts and API keys, with the rules for each field."""

from typing import Annotated, Final, TypeAlias

from attrs import fields_dict, frozen

from repaircore.accounts.password_strength import NotCommon, normalize_password, resembles_email
from repaircore.kernel.emails import Email
from repaircore.kernel.errors import Invalid
from repaircore.kernel.rules import FieldErrors, Length, NotBlank, OneOf, Range, field_errors


@frozen
class PasswordLength:
    """Requires a password of 8 to 1024 characters; longer ones would only make hashing slower.

    Characters are counted as they are hashed: a letter and its accent count as one.
    """

    def broken_by(self, value: str) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        return Length(0, 1024).broken_by(value) or Length(8).broken_by(normalize_password(value))


Password: TypeAlias = Annotated[str, PasswordLength(), NotCommon()]
_Name: Final = NotBlank(most=255)


@frozen(kw_only=True)
class Registration:
    """A new account."""

    name: Annotated[str, _Name]
    email: Annotated[str, Email()]
    password: Password


@frozen(kw_only=True)
class NewPassword:
    """A password that replaces another."""

    password: Password


def require_valid_registration(registration: Registration) -> None:
    """Validate a registration, including that its password is unlike its e-mail.

    Raises:
        Invalid: with every bad field.
    """
    values = {name: getattr(registration, name) for name in fields_dict(Registration)}
    errors = field_errors(Registration, values)
    if "password" not in errors:
        errors |= password_errors(registration.password, registration.email)
    if errors:
        raise Invalid(errors)


def require_unlike_email(password: str, email: str) -> None:
    """Require a password that does not resemble the e-mail of its account.

    Raises:
        Invalid: on ``password``.
    """
    errors = password_errors(password, email)
    if errors:
        raise Invalid(errors)


def password_errors(password: str, email: str) -> FieldErrors:
    """Return the errors in a password for an account with this e-mail."""
    if resembles_email(password, email):
        return {"password": ["The password field must not be your e-mail address or part of it."]}
    return {}


@frozen(kw_only=True)
class RenameKey:
    """A new label for a key."""

    name: Annotated[str, _Name]


@frozen(kw_only=True)
class RotateKey:
    """How many hours the old secret key keeps working."""

    overlap_hours: Annotated[int, Range(0, 24)] = 0


@frozen(kw_only=True)
class NewKey:
    """The label of a key, and where it works: ``live`` or ``test``."""

    name: Annotated[str, _Name]
    environment: Annotated[str, OneOf("live", "test")]
