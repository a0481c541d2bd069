"""What accounts and API keys are created from, each field with its rules."""

from typing import Annotated, Final, TypeAlias

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.emails import Email
from repaircore.kernel.rules import Length, NotBlank, Range


@frozen
class PasswordLength:
    """Requires a password of 8 to 1024 characters; longer ones would only cost time in the hash."""

    def broken_by(self, value: str) -> str | None:
        """Return the predicate that a value breaks, or None."""
        return Length(8, 1024).broken_by(value)


@frozen
class EnvironmentName:
    """Requires ``test`` or ``live``."""

    def broken_by(self, value: str) -> str | None:
        """Return the predicate that a value breaks, or None."""
        return None if value in set(Environment) else "must be one of: live, test"


Password: TypeAlias = Annotated[str, PasswordLength()]
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


@frozen(kw_only=True)
class RenameKey:
    """Another label for a key."""

    name: Annotated[str, _Name]


@frozen(kw_only=True)
class RotateKey:
    """How many hours the old secret key goes on working."""

    overlap_hours: Annotated[int, Range(0, 24)] = 0


@frozen(kw_only=True)
class NewKey:
    """The label of a key, and where it works: ``live`` or ``test``."""

    name: Annotated[str, _Name]
    environment: Annotated[str, EnvironmentName()]
