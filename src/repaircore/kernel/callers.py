"""Who is asking, and with what kind of credential."""

from enum import StrEnum

from attrs import frozen

__all__ = ["LOCAL", "Caller", "Credential", "Environment", "Role"]


class Environment(StrEnum):
    """Test and live data are kept apart; neither sees the other's."""

    TEST = "test"
    LIVE = "live"


class Role(StrEnum):
    """What a user may see: their own records, or everybody's."""

    USER = "user"
    ADMIN = "admin"


class Credential(StrEnum):
    """The kind of proof that the caller showed."""

    LOCAL = "local"
    """None: code in this process, or an operator at the command line."""
    SESSION = "session"
    PUBLISHABLE = "publishable"
    SECRET = "secret"  # noqa: S105 - the name of a kind


@frozen(kw_only=True)
class Caller:
    """The account on whose behalf a use case runs.

    ``user_id`` is None only for the installation itself (see ``LOCAL``); ``key_id`` and ``key_name``
    are set when the credential is an API key.
    """

    user_id: int | None
    role: Role
    environment: Environment
    credential: Credential
    key_id: int | None = None
    key_name: str | None = None

    @property
    def is_admin(self) -> bool:
        """Tell whether the caller sees everybody's records."""
        return self.role is Role.ADMIN


LOCAL = Caller(user_id=None, role=Role.ADMIN, environment=Environment.LIVE, credential=Credential.LOCAL)
"""The installation itself: an embedding application, or the command line."""
