"""Ports for shared quotes."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.shared_quotes.model import SharedQuote


class SharedQuoteRecords(Protocol):
    """The stored shared quotes; part of a unit of work."""

    def add(self, shared: SharedQuote) -> None:
        """Store a shared quote."""

    def find(self, token_hash: bytes, now: datetime) -> SharedQuote | None:
        """Return the shared quote with this token, or None if there is none or it has expired."""

    def find_by_deletion(self, deletion_hash: bytes, now: datetime) -> SharedQuote | None:
        """Return the shared quote with this deletion secret, or None if there is none or it has expired."""

    def list_for(self, owner_id: int, now: datetime) -> Sequence[SharedQuote]:
        """List an account's shared quotes that have not expired, newest first."""

    def delete(self, token_hash: bytes) -> bool:
        """Delete a shared quote, and return whether there was one."""

    def prune(self, now: datetime) -> int:
        """Delete the expired shared quotes, and return how many there were."""


class SharedQuotesWork(Protocol):
    """The part of a unit of work that shared quotes need."""

    @property
    def shared_quotes(self) -> SharedQuoteRecords:
        """The stored shared quotes."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[SharedQuotesWork]]
"""Open a unit of work, which is committed unless the block raises."""
