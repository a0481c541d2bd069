"""What can go wrong with partner accounts."""

from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict, Forbidden, NotFound, Unauthenticated


class BadToken(Unauthenticated):
    """The session token is missing, not one of ours, expired, or its partner is suspended; nobody is told which."""

    def __init__(self) -> None:
        super().__init__("The session token is missing, invalid or expired.")


class UnknownKey(Unauthenticated):
    """No partner has this public key, or none any more."""

    def __init__(self) -> None:
        super().__init__("The public key is unknown or was replaced.")


class Suspended(Forbidden):
    """The partner is suspended."""

    def __init__(self) -> None:
        super().__init__("This partner account is suspended.")


class PartnerNotFound(NotFound):
    """There is no partner with this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no partner named {name}.")


class HasKeys(Conflict):
    """The partner was created in this environment before."""

    def __init__(self, name: str, environment: Environment) -> None:
        super().__init__(f"{name} has {environment} keys already; rotate them to get others.")


class NoKeys(NotFound):
    """The partner was never created in this environment."""

    def __init__(self, name: str, environment: Environment) -> None:
        super().__init__(f"{name} has no {environment} keys.")
