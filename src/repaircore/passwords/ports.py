"""Ports of passwords."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.accounts.ports import AccountsWork, LoginGate
from repaircore.messages.ports import MessageRecords
from repaircore.passwords.model import PasswordReset, ResetRequest


class ResetRequests(Protocol):
    """The pending requests for a link."""

    def add(self, request: ResetRequest) -> None:
        """Add a request; this takes the same time for every e-mail."""

    def take(self, limit: int) -> Sequence[ResetRequest]:
        """Delete requests, the oldest first, and return them; no other unit of work gets them."""


class PasswordResets(Protocol):
    """The links that reset a password: at most one for each user."""

    def put(self, reset: PasswordReset) -> None:
        """Store a user's link, replacing an earlier one."""

    def find_user(self, token_hash: bytes, *, now: datetime) -> int | None:
        """Return the id of the user whose link has this token and has not expired, or None."""

    def take(self, token_hash: bytes, *, now: datetime) -> int | None:
        """Delete a link, and return its user's id; None if ``find_user`` would find none.

        Only one of several concurrent units of work gets it.
        """

    def delete_for_user(self, user_id: int) -> None:
        """Delete the link of a user, if there is one."""


class PasswordsWork(AccountsWork, Protocol):
    """The part of a unit of work that passwords need."""

    @property
    def reset_requests(self) -> ResetRequests:
        """The requests for a link."""

    @property
    def password_resets(self) -> PasswordResets:
        """The links that reset a password."""

    @property
    def messages(self) -> MessageRecords:
        """The stored messages."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[PasswordsWork]]
"""Open a unit of work, which is committed unless the block raises."""


class PasswordGate(LoginGate, Protocol):
    """Limits requests for a link; wrong passwords count like failed logins."""

    def count_reset_request(self, email: str, address: str) -> None:
        """Count a request for a link by e-mail and client address, whether or not there is an account.

        Raises:
            TooMany: the limit is used up, for this e-mail or for the address.
            Unavailable: requests cannot be counted at the moment.
        """
