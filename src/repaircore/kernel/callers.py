"""Who is asking, and with what kind of credential."""

from enum import StrEnum
from typing import Final

from attrs import frozen

from repaircore.kernel.errors import Forbidden


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


# What takes more than a credential: demanded by the use cases, whichever door leads to them.


def require_admin(caller: Caller) -> None:
    """Demand an admin.

    Raises:
        Forbidden: the caller is none.
    """
    if not caller.is_admin:
        raise Forbidden


def require_operator(caller: Caller) -> None:
    """Demand an admin who acts live: what both environments share is changed with no test key.

    Raises:
        Forbidden: the caller is no admin, or shows a key of the test environment.
    """
    require_admin(caller)
    if caller.environment is Environment.TEST:
        raise Forbidden


# Whose a record is that somebody asked for, and whose records a caller may see.


INSTALLATION: Final = 0
"""The owner of what nobody's account asked for: the command line, an embedding application."""


def owner_of(caller: Caller) -> int:
    """Give the owner of what a caller asks for: the user behind the credential."""
    return INSTALLATION if caller.user_id is None else caller.user_id


def seen_by(caller: Caller) -> int | None:
    """Give the owner whose records a caller may see; None are everybody's, for an admin."""
    return None if caller.is_admin else owner_of(caller)


def reached_by(caller: Caller) -> int | None:
    """Give the owner whose private records a caller reaches; None are everybody's, for the installation itself alone."""
    return None if caller.credential is Credential.LOCAL else owner_of(caller)


# Who asks on the partner platform.


@frozen(kw_only=True)
class PartnerCaller:
    """The partner account on whose behalf a use case runs, in one environment.

    A partner reaches its own records of this environment; any other is, to it, one that never existed.
    """

    partner_id: int
    environment: Environment
