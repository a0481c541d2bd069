"""Ports for accounts."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.accounts.model import (
    ApiKey,
    AuthenticatedCaller,
    CredentialHash,
    Session,
    User,
    UserFilter,
    UserSummary,
)
from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment, Role
from repaircore.kernel.paging import Page, PageRequest

RandomBytes: TypeAlias = Callable[[int], bytes]
"""Return the given number of unguessable bytes."""


class Users(Protocol):
    """The stored users."""

    def add(self, *, name: str, email: str, password_hash: str, at: datetime) -> User:
        """Add a user with the role ``user``.

        Raises:
            EmailTaken: another user has this e-mail, even if both are added at the same moment.
        """

    def find_by_email(self, email: str) -> User | None:
        """Return the user with this case-folded e-mail, or None."""

    def find(self, user_id: int) -> User | None:
        """Return the user with this ID, or None."""

    def list_all(self) -> Sequence[User]:
        """List all users, ordered by ID."""

    def lock_admins(self) -> None:
        """Lock the admins until the unit of work ends; wait if another unit of work holds the lock."""

    def has_admin(self) -> bool:
        """Return whether any user is an admin."""

    def has_other_admin(self, user_id: int) -> bool:
        """Return whether any user other than this one is an admin whose account is not locked."""

    def page(self, wanted: UserFilter, request: PageRequest, *, now: datetime) -> Page[UserSummary]:
        """Return a page of the users that match, newest first unless another order is requested.

        Sessions that have expired are not counted.

        Raises:
            Invalid: on ``page``, ``per_page``, ``sort`` and ``cursor``.
        """

    def summarize(self, user_id: int, *, now: datetime) -> UserSummary | None:
        """Return the user with the number of their keys and open sessions, or None."""

    def set_locked(self, user_id: int, at: datetime | None) -> None:
        """Lock the account at the given time, or unlock it if ``at`` is None; every worker sees the change at once.

        Locking deletes the password reset link, if there is one.
        """

    def set_role(self, user_id: int, role: Role) -> None:
        """Change the user's role; every worker sees the change at once."""

    def set_password(self, user_id: int, password_hash: str) -> None:
        """Replace the password, and delete the password reset link, if there is one."""

    def replace_password(self, user_id: int, *, old: str, new: str) -> bool:
        """Replace the hash ``old`` with ``new``, which may be equal, and return True.

        Return False, changing nothing, if the stored hash is no longer ``old`` or the account is locked. After True,
        no other request can change the password or lock the account until the unit of work ends.
        """


class Sessions(Protocol):
    """The stored management sessions."""

    def add(self, session: Session) -> None:
        """Add a session, and delete a few that expired before it began."""

    def delete(self, token_hash: bytes) -> None:
        """Delete a session if it exists; it stops working in every worker at once."""

    def delete_for_user(self, user_id: int, *, except_hash: bytes | None = None) -> int:
        """Delete all sessions of a user, or all but one; return how many were deleted."""

    def delete_by_id(self, session_id: str, *, user_id: int) -> bool:
        """Delete the user's session with this ID; return False if they have no such session."""

    def list_for_user(self, user_id: int, *, now: datetime, limit: int) -> Sequence[Session]:
        """List up to ``limit`` of the user's sessions that have not expired, the most recently used first."""


class ApiKeys(Protocol):
    """The stored API keys."""

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
        """Add a pair of keys and return it."""

    def list_for_user(self, user_id: int) -> Sequence[ApiKey]:
        """List the user's keys, oldest first."""

    def find(self, key_id: int, *, user_id: int) -> ApiKey | None:
        """Return the user's key with this ID, or None."""

    def rename(self, key_id: int, *, user_id: int, name: str) -> ApiKey | None:
        """Rename the user's key; return None if they have no such key."""

    def replace_secret(
        self,
        key_id: int,
        *,
        user_id: int,
        secret_hash: bytes,
        secret_last4: str,
        old_ends_at: datetime | None,
    ) -> ApiKey | None:
        """Replace the secret of the user's key; return None if they have no such key.

        The replaced secret works until ``old_ends_at``, or not at all; one that was replaced earlier no longer works.
        Every worker sees the change at once.
        """

    def delete(self, key_id: int, *, user_id: int) -> bool:
        """Delete the user's key, which stops working at once in every worker; return False if they have no such key."""


class AccountsWork(Protocol):
    """The part of a unit of work that accounts need."""

    @property
    def users(self) -> Users:
        """The stored users."""

    @property
    def sessions(self) -> Sessions:
        """The stored management sessions."""

    @property
    def api_keys(self) -> ApiKeys:
        """The stored API keys."""

    @property
    def audit(self) -> AuditLog:
        """The audit log."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[AccountsWork]]
"""Open a unit of work, which is committed when the block succeeds and rolled back when it raises.

Services hold two: ``transaction`` may write, ``read`` only reads and never waits for a writer.
"""


class Credentials(Protocol):
    """Looks up the credential of every request, with one read by key."""

    def find(self, presented: CredentialHash, *, now: datetime) -> AuthenticatedCaller | None:
        """Return the account that a credential belongs to, or None.

        A deleted key, a revoked or expired session and any credential of a locked account yield None in every worker as
        soon as the change is acknowledged.

        Raises:
            Unavailable: the store is not responding.
        """

    def record_use(self, presented: CredentialHash, *, at: datetime) -> None:
        """Record that the credential was used, which extends a management session.

        Raises:
            Unavailable: the use cannot be recorded.
        """


class PasswordHasher(Protocol):
    """Slow, salted hashes of passwords. A machine computes only one at a time; other callers wait.

    The same characters in another Unicode form (NFC, NFD, full-width letters) are the same password. Older hashes,
    made from passwords exactly as typed, still work.
    """

    def hash(self, password: str) -> str:
        """Hash a new password.

        Raises:
            TooMany: the machine is busy hashing; nothing was done.
        """

    def verify(self, stored: str | None, password: str, *, subject: str | None = None) -> bool:
        """Return whether a password matches the stored hash; if that is None, take the same time and return False.

        ``subject`` is the party that the call is made for; each may have only a few calls running or waiting at once.

        Raises:
            TooMany: the machine is busy hashing, or the subject has too many calls under way; nothing was done.
        """

    def needs_rehash(self, stored: str) -> bool:
        """Return whether a hash was made with weaker parameters than the current ones."""


class LoginGate(Protocol):
    """Limits what clients may attempt before they are authenticated: failed logins and registrations."""

    def check_login(self, email: str, address: str) -> None:
        """Check that another login with an e-mail address may be attempted from an IP address, without counting it.

        Raises:
            TooMany: too many recent logins from this IP address failed, with this e-mail address or in total.
            Unavailable: failures cannot be counted at the moment.
        """

    def login_queue(self, email: str, address: str) -> str:
        """Return the subject under which a login waits in the hashing queue.

        Each e-mail address from an IP address has its own subject, until many logins from the address's network have
        failed; after that, all logins from this network share one.

        Raises:
            Unavailable: failures cannot be counted at the moment.
        """

    def count_failed_login(self, email: str, address: str) -> None:
        """Count a failed login.

        Raises:
            TooMany: concurrent failures have used up the limit.
            Unavailable: failures cannot be counted at the moment.
        """

    def count_registration(self, address: str) -> None:
        """Count a registration from an IP address.

        Raises:
            TooMany: the limit for the IP address is used up.
            Unavailable: registrations cannot be counted at the moment.
        """
