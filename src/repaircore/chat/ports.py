"""What chats need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias
from uuid import UUID

from repaircore.chat.model import Chat, ListedChat, Message, Status
from repaircore.diagnosis.ports import CaseRecords
from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment
from repaircore.kernel.paging import Page


class ChatRecords(Protocol):
    """The kept conversations, an environment at a time; ``owner_id`` None are everybody's."""

    @abstractmethod
    def lock_starts(self, owner_id: int) -> None:
        """Let nobody else start one for an owner until this unit of work has ended, however many try."""

    @abstractmethod
    def nth_newest_start(self, nth: int, *, environment: Environment, owner_id: int) -> datetime | None:
        """Tell when the ``nth`` newest of an owner was started, from 1; None when there are fewer.

        One that was reset since counts.
        """

    @abstractmethod
    def add(self, chat: Chat, said: Sequence[Message]) -> None:
        """Keep a new conversation with what was said in it.

        Raises:
            Conflict: its vehicle is gone.
        """

    @abstractmethod
    def find(self, session_id: UUID, *, environment: Environment, owner_id: int | None) -> Chat | None:
        """Give the conversation of a session, or None; those of others are not seen."""

    @abstractmethod
    def messages(self, session_id: UUID) -> Sequence[Message]:
        """List what was said, in its order."""

    @abstractmethod
    def replace(self, old: Chat, new: Chat, said: Sequence[Message]) -> Chat:
        """Keep what became of a conversation, and what was said then.

        Raises:
            Conflict: it is no longer as ``old`` has it, or its vehicle is gone.
        """

    @abstractmethod
    def clear(self, chat: Chat) -> None:
        """Keep a conversation without its messages, whatever somebody else made of it in between; one that is gone stays gone."""

    @abstractmethod
    def page(
        self,
        *,
        environment: Environment,
        owner_id: int | None,
        email: str | None,
        status: Status | None,
        now: datetime,
        number: int,
        per_page: int,
    ) -> Page[ListedChat]:
        """List a page, newest first; one beyond the last is empty. ``email`` and ``status`` None are all.

        The status is the one at ``now``.
        """


class ChatsWork(Protocol):
    """The part of a unit of work that conversations need."""

    @property
    @abstractmethod
    def chats(self) -> ChatRecords:
        """The kept conversations."""

    @property
    @abstractmethod
    def cases(self) -> CaseRecords:
        """The cases of diagnoses."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """What was changed by whom."""


OpenChatsWork: TypeAlias = Callable[[], AbstractContextManager[ChatsWork]]


class LightReader(Protocol):
    """A vision model that looks for warning lights in a photo of a dashboard."""

    @abstractmethod
    def read(self, photo: bytes, *, lights: Mapping[str, str]) -> Sequence[str]:
        """Give those of the ``lights`` (names by slug) that are lit in a JPEG; none when it shows none.

        Raises:
            Unavailable: the model does not answer, or answers nonsense. Nothing else is ever raised.
        """
