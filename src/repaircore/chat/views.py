"""Chats as clients see them, over HTTP and on the command line."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Literal, Self
from uuid import UUID

from repaircore.book.model import Safety, Urgency
from repaircore.book.views import ProblemSummaryView
from repaircore.chat.model import (
    Chat,
    ChatVehicle,
    ImageNote,
    Kind,
    ListedChat,
    Message,
    Speaker,
    Status,
    Suspect,
)
from repaircore.diagnosis.views import (
    DiagnosedVehicleView,
    DriverSafetyView,
    ReasonView,
    SuspectView,
    SymptomQuestionView,
    SymptomsView,
)
from repaircore.kernel.views import UNSET, Count, UnsetType, view


@view
class _VehicleIdView:
    id: UUID


@view
class ChatVehicleView(DiagnosedVehicleView, _VehicleIdView):
    """The vehicle of a chat."""


@view
class _ChatIdView:
    session_id: UUID
    status: Status
    step: Count
    type: Literal["question", "diagnosis"] | None


@view
class _OutcomeView:
    question: SymptomQuestionView | UnsetType = UNSET
    enough: bool | UnsetType = UNSET
    diagnosis: list[SuspectView] | UnsetType = UNSET


@view
class ChatView(_OutcomeView, _ChatIdView):
    """A chat, with its question or its diagnosis."""

    safety: DriverSafetyView
    vehicle: ChatVehicleView | None


@view
class ChatTurnView(ChatView):
    """A chat after a turn, with notes on that turn."""

    notes: list[str]

    @classmethod
    def of(cls, chat: Chat, status: Status, notes: Iterable[str] = ()) -> Self:
        """Return the view of a chat, with the notes on its last turn."""
        return cls(**_chat_fields(chat, status), notes=[*notes])


@view
class ImageNoteView:
    """What was read from an image; ``lights`` are symptom slugs."""

    size: Count
    read: str
    vin: str | None
    lights: list[str]

    @classmethod
    def of(cls, note: ImageNote) -> Self:
        """Return the view of what was read from an image."""
        return cls(size=note.size, read=note.read, vin=note.vin, lights=[*note.lights])


@view
class _MessageTextView:
    role: Speaker
    type: Kind
    text: str
    understood: SymptomsView | UnsetType = UNSET
    image: ImageNoteView | UnsetType = UNSET


@view
class ChatMessageView(_OutcomeView, _MessageTextView):
    """A message in a chat."""

    created_at: datetime

    @classmethod
    def of(cls, message: Message) -> Self:
        """Return the view of a message with its details."""
        detail = message.detail
        symptoms = SymptomsView(present=[*detail.present], absent=[*detail.absent], codes=[*detail.codes])
        return cls(
            role=message.speaker,
            type=message.kind,
            text=message.text,
            understood=symptoms if detail.present or detail.absent or detail.codes else UNSET,
            image=UNSET if detail.image is None else ImageNoteView.of(detail.image),
            question=UNSET if detail.question is None else SymptomQuestionView.of(detail.question),
            enough=UNSET if detail.enough is None else detail.enough,
            diagnosis=UNSET if detail.enough is None else _suspects(detail.diagnosis),
            created_at=message.at,
        )


@view
class ChatHistoryView(ChatView):
    """A chat with its messages."""

    email: str | None
    started_at: datetime
    last_active_at: datetime
    message_count: Count
    messages: list[ChatMessageView]

    @classmethod
    def of(cls, chat: Chat, status: Status, messages: Sequence[Message]) -> Self:
        """Return the view of a chat with its messages."""
        return cls(
            **_chat_fields(chat, status),
            email=chat.email,
            started_at=chat.started_at,
            last_active_at=chat.active_at,
            message_count=chat.messages,
            messages=[ChatMessageView.of(message) for message in messages],
        )


@view
class ListedChatView:
    """A chat in a list."""

    session_id: UUID
    vehicle: ChatVehicleView | None
    status: Status
    step: Count
    message_count: Count
    email: str | None
    started_at: datetime

    @classmethod
    def of(cls, chat: ListedChat) -> Self:
        """Return the view of a chat without its messages."""
        return cls(
            session_id=chat.session_id,
            vehicle=_vehicle(chat.vin, chat.vehicle),
            status=chat.status,
            step=chat.step,
            message_count=chat.messages,
            email=chat.email,
            started_at=chat.started_at,
        )


def _chat_fields(chat: Chat, status: Status) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "session_id": chat.session_id,
        "status": status,
        "step": chat.step,
        "type": None,
        "safety": DriverSafetyView.of(chat.safety),
        "vehicle": _vehicle(chat.vin, chat.vehicle),
    }
    if status is Status.AWAITING_ANSWER and chat.question is not None:
        fields |= {"type": "question", "question": SymptomQuestionView.of(chat.question)}
    elif status is Status.DIAGNOSED:
        fields |= {"type": "diagnosis", "enough": chat.enough, "diagnosis": _suspects(chat.diagnosis)}
    return fields


def _vehicle(vin: str | None, vehicle: ChatVehicle | None) -> ChatVehicleView | None:
    if vehicle is None:
        return None
    return ChatVehicleView(id=vehicle.id, **vars(DiagnosedVehicleView.of(vin, vehicle.specs)))


def _suspects(suspects: Iterable[Suspect]) -> list[SuspectView]:
    return [
        SuspectView(
            problem=ProblemSummaryView(
                id=suspect.problem_id, slug=suspect.slug, display_name=suspect.display_name
            ),
            confidence=suspect.confidence,
            why=ReasonView.list_of(suspect.why),
            urgency=Urgency(suspect.urgency),
            safe_to_drive=Safety(suspect.safe_to_drive),
        )
        for suspect in suspects
    ]
