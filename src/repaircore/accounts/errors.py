"""Account errors."""

from repaircore.kernel.errors import Conflict, Invalid, NotFound, Unauthenticated


class WrongCredentials(Unauthenticated):
    """The e-mail is unknown or the password is wrong; the message does not say which."""

    def __init__(self) -> None:
        super().__init__("These credentials do not match our records.")


class AccountLocked(Unauthenticated):
    """The password is correct, but the account is locked."""

    def __init__(self) -> None:
        super().__init__("This account is locked. Ask the person who runs this installation to unlock it.")


class LastAdmin(Conflict):
    """The change would leave the installation without an admin who can log in."""

    def __init__(self) -> None:
        super().__init__(
            "This is the only admin who can log in; nothing was changed. Make another account an admin first."
        )


class OwnAccount(Conflict):
    """An admin would lock or demote their own account."""

    def __init__(self) -> None:
        super().__init__(
            "This is your own account; nothing was changed. Another admin can lock or demote it."
        )


class EmailTaken(Invalid):
    """Another account has this e-mail."""

    def __init__(self) -> None:
        super().__init__({"email": ["The email has already been taken."]})


class KeyNotFound(NotFound):
    """The caller has no such API key."""

    def __init__(self) -> None:
        super().__init__("API key not found.")


class SessionNotFound(NotFound):
    """The caller has no such session."""

    def __init__(self) -> None:
        super().__init__("Session not found.")


class SetupLinkEnded(NotFound):
    """The link cannot create an admin: it was never valid, it has expired, or there already is an admin."""

    def __init__(self) -> None:
        super().__init__(
            "This link is invalid or no longer works. Each link works once, for 24 hours, and only until there is an admin."
        )


class UserNotFound(NotFound):
    """No user has this ID or e-mail."""

    def __init__(self, email: str | None = None) -> None:
        super().__init__(
            "There is no such user." if email is None else f"There is no user with the e-mail {email}."
        )
