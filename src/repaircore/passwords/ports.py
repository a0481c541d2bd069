"""Ports for passwords."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.accounts.ports import AccountsWork, LoginGate
from repaircore.messages.ports import MessageRecords
from repaircore.passwords.model import PasswordReset, ResetRequest


class ResetRequests(Protocol):
    """The pending requests for reset links."""

    def add(self, request: ResetRequest) -> None:
        """Add a request; this takes the same time whether or not the e-mail address has an account."""

    def take(self, limit: int) -> Sequence[ResetRequest]:
        """Delete and return up to ``limit`` requests, oldest first; no other unit of work gets them."""


class PasswordResets(Protocol):
    """The stored password reset links: at most one for each user."""

    def put(self, reset: PasswordReset) -> None:
        """Store a user's link, replacing any earlier one."""

    def find_user(self, token_hash: bytes, *, now: datetime) -> int | None:
        """Return the id of the user whose link has this token hash and has not expired, or None."""

    def take(self, token_hash: bytes, *, now: datetime) -> int | None:
        """Delete the link with this token hash, and return its user's id, or None if ``find_user`` would return None.

        Only one of several concurrent units of work gets it.
        """

    def delete_for_user(self, user_id: int) -> None:
        """Delete a user's link, if there is one."""


class PasswordsWork(AccountsWork, Protocol):
    """The part of a unit of work that passwords need."""

    @property
    def reset_requests(self) -> ResetRequests:
        """The pending requests for reset links."""

    @property
    def password_resets(self) -> PasswordResets:
        """The password reset links."""

    @property
    def messages(self) -> MessageRecords:
        """The stored messages."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[PasswordsWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""


class PasswordGate(LoginGate, Protocol):
    """Limits requests for a link; wrong passwords count like failed logins."""

    def count_reset_request(self, email: str, address: str) -> None:
        """Count a request for a link by e-mail address and IP address, whether or not there is an account.

        Raises:
            TooMany: the limit for this e-mail address or this IP address is used up.
            Unavailable: requests cannot be counted right now.
        """
