"""What accounts need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.accounts.model import ApiKey, Authenticated, CredentialHash, Session, User
from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment, Role

RandomBytes: TypeAlias = Callable[[int], bytes]
"""Return so many bytes that nobody can guess."""


class Users(Protocol):
    """The kept users."""

    @abstractmethod
    def add(self, *, name: str, email: str, password_hash: str, at: datetime) -> User:
        """Keep a new user with the role ``user``.

        Raises:
            EmailTaken: somebody has this e-mail already, also when two ask at the same moment.
        """

    @abstractmethod
    def by_email(self, email: str) -> User | None:
        """Return the user with this case-folded e-mail, or None."""

    @abstractmethod
    def by_id(self, user_id: int) -> User | None:
        """Return the user, or None."""

    @abstractmethod
    def all(self) -> Sequence[User]:
        """List everybody, by id."""

    @abstractmethod
    def set_role(self, user_id: int, role: Role) -> None:
        """Change what the user may see, felt at once by every worker."""

    @abstractmethod
    def set_password(self, user_id: int, password_hash: str) -> None:
        """Replace the password."""

    @abstractmethod
    def renew_password(self, user_id: int, *, old: str, new: str) -> bool:
        """Put a hash in the place of ``old`` (or leave it, when they are equal); False when it is another by now.

        After True nobody else changes the password before the unit of work ends.
        """


class Sessions(Protocol):
    """The kept management sessions."""

    @abstractmethod
    def add(self, session: Session) -> None:
        """Keep a new session; a few that ended before it began are forgotten on the way."""

    @abstractmethod
    def remove(self, token_hash: bytes) -> None:
        """Forget the session, felt at once by every worker; an unknown one is fine."""

    @abstractmethod
    def remove_of(self, user_id: int) -> None:
        """Forget every session of the user."""


class ApiKeys(Protocol):
    """The kept API keys."""

    @abstractmethod
    def add(
        self,
        *,
        user_id: int,
        name: str,
        environment: Environment,
        public_key: str,
        secret_hash: bytes,
        secret_last4: str,
        at: datetime,
    ) -> ApiKey:
        """Keep a new pair."""

    @abstractmethod
    def of_user(self, user_id: int) -> Sequence[ApiKey]:
        """List the user's keys, oldest first; removed ones are not there."""

    @abstractmethod
    def remove(self, key_id: int, *, user_id: int) -> bool:
        """Forget the user's key, felt at once by every worker; False when they have no such key."""


class AccountsWork(Protocol):
    """The part of a unit of work that accounts need."""

    @property
    @abstractmethod
    def users(self) -> Users:
        """The kept users."""

    @property
    @abstractmethod
    def sessions(self) -> Sessions:
        """The kept management sessions."""

    @property
    @abstractmethod
    def api_keys(self) -> ApiKeys:
        """The kept API keys."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """The kept changes."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[AccountsWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises.

Services hold two: ``begin`` may write, ``look`` only reads and never waits for a writer.
"""


class Credentials(Protocol):
    """Credentials as every request asks for them: one read by key."""

    @abstractmethod
    def find(self, presented: CredentialHash, *, now: datetime) -> Authenticated | None:
        """Return the account behind a credential as it is stored now, or None.

        A removed key, a revoked or expired session, is None from the moment its removal was acknowledged,
        in every worker.

        Raises:
            Unavailable: the place where they are kept does not answer.
        """

    @abstractmethod
    def used(self, presented: CredentialHash, *, at: datetime) -> None:
        """Note that the credential was used; a management session slides by it.

        Raises:
            Unavailable: it could not be noted.
        """


class PasswordHasher(Protocol):
    """Slow, salted hashes of passwords. At most a few run at once on a machine."""

    @abstractmethod
    def hash(self, password: str) -> str:
        """Hash a new password.

        Raises:
            TooMany: the machine is busy hashing; nothing was done.
        """

    @abstractmethod
    def verify(self, kept: str | None, password: str) -> bool:
        """Return whether the password is the kept one; None takes the same time, and is never right.

        Raises:
            TooMany: the machine is busy hashing; nothing was done.
        """

    @abstractmethod
    def outdated(self, kept: str) -> bool:
        """Return whether the hash was made with weaker parameters than today's."""


class LoginGate(Protocol):
    """Counts what whoever is not known yet tries: logins that fail, and registrations."""

    @abstractmethod
    def check(self, email: str, address: str) -> None:
        """Let another login be tried with an e-mail from an address.

        Raises:
            TooMany: as many have failed lately, with this e-mail or with any, as may from one address.
            Unavailable: failures cannot be counted at the moment.
        """

    @abstractmethod
    def failed(self, email: str, address: str) -> None:
        """Count a failed login.

        Raises:
            TooMany: others failed at the same moment and used the limit up.
            Unavailable: failures cannot be counted at the moment.
        """

    @abstractmethod
    def registering(self, address: str) -> None:
        """Count a registration from an address.

        Raises:
            TooMany: as many were tried lately as may be from one address.
            Unavailable: they cannot be counted at the moment.
        """
