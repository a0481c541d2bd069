"""Input for changing and resetting passwords, with the rules for each field."""

from typing import Annotated

from attrs import frozen

from repaircore.accounts.rules import Password
from repaircore.kernel.emails import Email
from repaircore.kernel.rules import NotBlank


@frozen(kw_only=True)
class ForgotPassword:
    """A request to reset a forgotten password."""

    email: Annotated[str, Email()]


@frozen(kw_only=True)
class InviteUser:
    """A new account whose user chooses the password."""

    name: Annotated[str, NotBlank(most=255)]
    email: Annotated[str, Email()]


@frozen(kw_only=True)
class ResetPassword:
    """A new password, and the token of a reset link."""

    token: str
    password: Password


@frozen(kw_only=True)
class ChangePassword:
    """The current password, and a new one."""

    current_password: str
    password: Password
