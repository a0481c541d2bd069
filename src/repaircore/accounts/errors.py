"""What can go wrong with accounts."""

from repaircore.kernel.errors import Invalid, NotFound, Unauthenticated


class WrongCredentials(Unauthenticated):
    """The e-mail is unknown or the password is wrong; nobody is told which."""

    def __init__(self) -> None:
        super().__init__("These credentials do not match our records.")


class EmailTaken(Invalid):
    """Somebody has registered with this e-mail already."""

    def __init__(self) -> None:
        super().__init__({"email": ["The email has already been taken."]})


class KeyNotFound(NotFound):
    """The caller has no such API key."""

    def __init__(self) -> None:
        super().__init__("API key not found.")


class UserNotFound(NotFound):
    """There is no user with this e-mail."""

    def __init__(self, email: str) -> None:
        super().__init__(f"There is no user with the e-mail {email}.")
