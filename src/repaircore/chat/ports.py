"""Ports for chats: their records, and the model that reads warning lights."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias
from uuid import UUID

from repaircore.chat.model import Chat, ListedChat, Message, Status
from repaircore.diagnosis.ports import CaseRecords
from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment
from repaircore.kernel.paging import Page, PageRequest


class ChatRecords(Protocol):
    """The stored chats, one environment at a time; an ``owner_id`` of None means all owners."""

    def lock_starts(self, owner_id: int) -> None:
        """Lock an owner's quota for starting chats until the transaction ends, waiting several seconds if necessary."""

    def nth_newest_start(self, nth: int, *, environment: Environment, owner_id: int) -> datetime | None:
        """Return when an owner's ``nth`` newest chat started, or None if there are fewer; 1 is the newest.

        Chats that were later reset still count.
        """

    def add(self, chat: Chat, messages: Sequence[Message]) -> None:
        """Add a chat with its messages.

        Raises:
            Conflict: its vehicle no longer exists.
        """

    def find(self, session_id: UUID, *, environment: Environment, owner_id: int | None) -> Chat | None:
        """Return a chat, or None if it does not exist in the environment or belongs to another owner."""

    def messages(self, session_id: UUID) -> Sequence[Message]:
        """List the messages of a chat, in order."""

    def replace(self, old: Chat, new: Chat, messages: Sequence[Message]) -> Chat:
        """Replace a chat, append messages, and return it with its new version.

        Raises:
            Conflict: it has changed since ``old`` was read, or its vehicle no longer exists.
        """

    def clear(self, chat: Chat) -> None:
        """Replace a chat and delete its messages, even if it has changed since it was read.

        A chat that was deleted stays deleted.
        """

    def page(
        self,
        *,
        environment: Environment,
        owner_id: int | None,
        email: str | None,
        status: Status | None,
        now: datetime,
        request: PageRequest,
    ) -> Page[ListedChat]:
        """Return a page of chats, newest first unless another order is requested; a page beyond the last is empty.

        ``status`` selects by the status at ``now``; a ``status`` or ``email`` of None does not filter.

        Raises:
            Invalid: on ``page``, ``per_page``, ``sort`` and ``cursor``.
        """


class ChatsWork(Protocol):
    """The part of a unit of work that chats need."""

    @property
    def chats(self) -> ChatRecords:
        """Return the chats."""

    @property
    def cases(self) -> CaseRecords:
        """Return the diagnosis cases."""

    @property
    def audit(self) -> AuditLog:
        """Return the audit log."""


OpenChatsWork: TypeAlias = Callable[[], AbstractContextManager[ChatsWork]]


class LightReader(Protocol):
    """A vision model that finds warning lights in a photo of a dashboard."""

    def read(self, photo: bytes, *, lights: Mapping[str, str]) -> Sequence[str]:
        """Return which of the ``lights`` (names by slug) are lit in a JPEG.

        Raises:
            Unavailable: the model is not responding, or its response is invalid. No other exception is raised.
        """
