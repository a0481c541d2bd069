"""The caller of a use case: account, role, environment and kind of credential."""

from enum import StrEnum
from typing import Final

from attrs import frozen

from repaircore.kernel.errors import Forbidden


class Environment(StrEnum):
    """The environment of data and credentials; test data never mixes with live data."""

    TEST = "test"
    LIVE = "live"


class Role(StrEnum):
    """Which records a user may see: their own, or everyone's."""

    USER = "user"
    ADMIN = "admin"


class Credential(StrEnum):
    """The kind of credential that the caller presented."""

    LOCAL = "local"
    """No credential: code in this process, or an operator at the command line."""
    SESSION = "session"
    PUBLISHABLE = "publishable"
    SECRET = "secret"  # noqa: S105 - the name of a kind
    ANONYMOUS = "anonymous"
    """No credential, over the network: a visitor to the public pages."""


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
        """Whether the caller sees everyone's records."""
        return self.role is Role.ADMIN


LOCAL = Caller(user_id=None, role=Role.ADMIN, environment=Environment.LIVE, credential=Credential.LOCAL)
"""The installation itself: an embedding application, or the command line."""

ANONYMOUS = Caller(user_id=-1, role=Role.USER, environment=Environment.LIVE, credential=Credential.ANONYMOUS)
"""A visitor without an account. They own nothing: no account has this id, and nothing is stored for them."""


# Permissions beyond a credential; use cases check them, whichever interface calls them.


def require_admin(caller: Caller) -> None:
    """Require that the caller is an admin.

    Raises:
        Forbidden: the caller is not an admin.
    """
    if not caller.is_admin:
        raise Forbidden


def require_operator(caller: Caller) -> None:
    """Require an admin outside the test environment, for changes that affect both environments.

    Raises:
        Forbidden: the caller is not an admin, or uses a key of the test environment.
    """
    require_admin(caller)
    if caller.environment is Environment.TEST:
        raise Forbidden


# Ownership of records.


INSTALLATION: Final = 0
"""The owner id of records that the command line or an embedding application created rather than an account."""


def owner_of(caller: Caller) -> int:
    """Return the owner id of records that a caller creates: the user behind the credential."""
    return INSTALLATION if caller.user_id is None else caller.user_id


def visible_owner(caller: Caller) -> int | None:
    """Return the owner id whose records a caller may see, or None for an admin, who sees everyone's."""
    return None if caller.is_admin else owner_of(caller)


def private_owner(caller: Caller) -> int | None:
    """Return the owner id whose private records a caller may see, or None for the installation, which sees all."""
    return None if caller.credential is Credential.LOCAL else owner_of(caller)


# Callers of the partner platform.


@frozen(kw_only=True)
class PartnerCaller:
    """The partner account on whose behalf a use case runs, in one environment.

    A partner sees only its own records in this environment; any other record is reported as not found.
    """

    partner_id: int
    environment: Environment


@frozen(kw_only=True)
class ProviderCaller:
    """The driver or towing business on whose behalf a use case runs, in one environment.

    A provider sees only the requests it received and the rides it was chosen for; others are reported as not found.
    """

    provider_ref: str
    environment: Environment
