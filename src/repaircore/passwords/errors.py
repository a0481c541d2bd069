"""Errors for passwords."""

from repaircore.kernel.errors import Conflict, Invalid, NotFound, Unavailable


class ResetLinkEnded(NotFound):
    """The link was never valid, was used or replaced, or has expired."""

    def __init__(self) -> None:
        super().__init__("This link is invalid or has expired. Request a new one: it works once, for 1 hour.")


class ResetsOff(Unavailable):
    """There is no page for a link to open, or the link cannot be mailed."""

    def __init__(self) -> None:
        super().__init__(
            "This installation cannot create or send password links: e-mail or the console is off. Ask its operator,"
            " who can set a new password with `repaircore users reset-password`."
        )


class LockedAccount(Conflict):
    """No link is created for a locked account, which could not use it."""

    def __init__(self) -> None:
        super().__init__("The account is locked; no link was created. Unlock it first.")


class WrongPassword(Invalid):
    """The current password is wrong."""

    def __init__(self) -> None:
        super().__init__({"current_password": ["The current password is wrong."]})
