"""Failures of accounts."""

from repaircore.kernel.errors import Invalid, NotFound, Unauthenticated


class WrongCredentials(Unauthenticated):
    """The e-mail is unknown or the password is wrong; the message does not say which."""

    def __init__(self) -> None:
        super().__init__("These credentials do not match our records.")


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
    """The link does not create an admin: it was never valid, has ended, or there is an admin."""

    def __init__(self) -> None:
        super().__init__(
            "This link does not work, or no longer. It works once, for 24 hours, and only until there is an admin."
        )


class UserNotFound(NotFound):
    """No user has this e-mail."""

    def __init__(self, email: str) -> None:
        super().__init__(f"There is no user with the e-mail {email}.")
