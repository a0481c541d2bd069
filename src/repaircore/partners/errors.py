"""Errors for partner accounts."""

from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict, Forbidden, NotFound, Unauthenticated


class BadToken(Unauthenticated):
    """The session token is missing, forged or expired, or its partner is suspended; the error does not reveal which."""

    def __init__(self) -> None:
        super().__init__("The session token is missing, invalid or expired.")


class UnknownKey(Unauthenticated):
    """No partner has this public key, or it was revoked."""

    def __init__(self) -> None:
        super().__init__("The public key is unknown or was revoked.")


class Suspended(Forbidden):
    """The partner is suspended."""

    def __init__(self) -> None:
        super().__init__("This partner account is suspended.")


class PartnerNotFound(NotFound):
    """There is no partner with this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no partner named {name}.")


class MemberNotFound(NotFound):
    """The account is not a member of the partner, or of any partner."""

    def __init__(self) -> None:
        super().__init__("This account does not belong to a partner.")


class MemberElsewhere(Conflict):
    """The account is a member of another partner."""

    def __init__(self, email: str) -> None:
        super().__init__(f"{email} belongs to another partner. Remove it there first.")


class HasKeys(Conflict):
    """The partner already has keys for this environment."""

    def __init__(self, name: str, environment: Environment) -> None:
        super().__init__(f"{name} already has {environment} keys. Rotate them to get new ones.")


class NoKeys(NotFound):
    """The partner has no keys for this environment, so none can be rotated."""

    def __init__(self, name: str, environment: Environment) -> None:
        super().__init__(
            f"{name} has no {environment} keys. The operator can create them with `repaircore partners create`."
        )
