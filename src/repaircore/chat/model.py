"""Chats: their evidence, their messages, and their open questions."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from attrs import evolve, frozen

from repaircore.diagnosis.danger import DriverSafety, driver_safety
from repaircore.diagnosis.model import Evidence, OpenQuestion, Reason
from repaircore.kernel.callers import Environment
from repaircore.kernel.emails import Email
from repaircore.kernel.errors import Conflict
from repaircore.kernel.rules import PlainText
from repaircore.vehicle_facts.model import VehicleSpecs

IDLE: Final = timedelta(hours=24)
"""An open question expires this long after the last message."""

MOST_STEPS: Final = 25
"""After this many messages from the user, a chat ends with a diagnosis from what is known: few people answer more."""


QUOTA_PERIOD: Final = timedelta(days=1)
"""The quota for starting chats covers any 24 hours, not a calendar day."""

_SECOND: Final = timedelta(seconds=1)


@frozen(kw_only=True)
class StartChat:
    """A request to start a chat: the symptom, and optionally a VIN and the driver's e-mail."""

    symptom: Annotated[str, PlainText(3, 2000, lines=True)]
    vin: str | None = None
    email: Annotated[str, Email()] | None = None


@frozen(kw_only=True)
class SendReply:
    """An answer; ``step`` may identify the question that it answers."""

    answer: Annotated[str, PlainText(1, 2000, lines=True)]
    step: int | None = None


class Status(StrEnum):
    """The status of a chat. ``EXPIRED`` is never stored: it follows from the time of the last message."""

    AWAITING_ANSWER = "awaiting_answer"
    DIAGNOSED = "diagnosed"
    RESET = "reset"
    EXPIRED = "expired"


class Speaker(StrEnum):
    """The author of a message."""

    USER = "user"
    ASSISTANT = "assistant"


class Kind(StrEnum):
    """The kinds of messages in a chat."""

    SYMPTOM = "symptom"
    ANSWER = "answer"
    NOTE = "note"
    QUESTION = "question"
    DIAGNOSIS = "diagnosis"


@frozen(kw_only=True)
class Suspect:
    """A repair that may be needed. ``confidence`` is in percent; ``why`` lists the weightiest reasons first."""

    problem_id: int
    slug: str
    display_name: str
    confidence: float
    urgency: str
    safe_to_drive: str
    why: tuple[Reason, ...]


@frozen(kw_only=True)
class ImageNote:
    """What is stored about an image: its size and what was read from it, never its bytes.

    ``read`` is ``vin``, ``lights`` or ``nothing``; ``lights`` are symptom slugs.
    """

    size: int
    read: str
    vin: str | None = None
    lights: tuple[str, ...] = ()


@frozen(kw_only=True)
class Detail:
    """The parts of a message other than its text.

    A user's message has the symptoms and codes that were read from it, and its image. The assistant's message
    has the question, or the likely repairs and whether they are more than a first guess; a note has neither.
    """

    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    image: ImageNote | None = None
    question: OpenQuestion | None = None
    diagnosis: tuple[Suspect, ...] = ()
    enough: bool | None = None


NO_DETAIL: Final = Detail()


@frozen(kw_only=True)
class Message:
    """A message in a chat, from the user or the assistant."""

    speaker: Speaker
    kind: Kind
    text: str
    at: datetime
    detail: Detail = NO_DETAIL


@frozen(kw_only=True)
class ChatVehicle:
    """The vehicle of a chat: the id of its record, and its specs."""

    id: UUID
    specs: VehicleSpecs


@frozen(kw_only=True)
class Chat:
    """A chat, with the evidence that it has gathered.

    ``stored_status`` ignores expiry; ``status`` considers it. ``step`` counts the user's messages, ``messages`` all of
    them. ``version`` counts the changes, so that only one of two simultaneous answers is accepted.
    """

    session_id: UUID
    owner_id: int
    environment: Environment
    email: str | None
    stored_status: Status
    step: int
    messages: int
    vin: str | None
    vehicle: ChatVehicle | None
    evidence: Evidence
    question: OpenQuestion | None
    diagnosis: tuple[Suspect, ...]
    enough: bool | None
    started_at: datetime
    active_at: datetime
    version: int = 1

    @property
    def safety(self) -> DriverSafety:
        """Return the safety advice for the driver."""
        answered = (
            finding for finding in self.evidence.findings if finding.symptom in self.evidence.answered
        )
        return driver_safety(
            answered,
            self.evidence.dangers,
            ((each.confidence, each.safe_to_drive) for each in self.diagnosis),
            read=(finding.symptom for finding in self.evidence.findings if finding.present),
        )

    @property
    def expires_at(self) -> datetime:
        """Return the time at which an open question expires."""
        return self.active_at + IDLE

    def status(self, now: datetime) -> Status:
        """Return the status at a time, considering expiry."""
        is_open = self.stored_status is Status.AWAITING_ANSWER
        return Status.EXPIRED if is_open and now >= self.expires_at else self.stored_status

    def require_question(self, now: datetime) -> OpenQuestion:
        """Return the open question.

        Raises:
            Conflict: no question is open; the message says why.
        """
        status = self.status(now)
        if status is not Status.AWAITING_ANSWER or self.question is None:
            raise Conflict(_CLOSED.get(status, _CLOSED[Status.DIAGNOSED]))
        return self.question

    def reset(self, at: datetime) -> "Chat":
        """Return the chat with its messages, evidence and vehicle removed."""
        return evolve(
            self,
            stored_status=Status.RESET,
            step=0,
            messages=0,
            vin=None,
            vehicle=None,
            evidence=Evidence(),
            question=None,
            diagnosis=(),
            enough=None,
            active_at=at,
        )


_CLOSED: Final = {
    Status.DIAGNOSED: "This chat session already has its diagnosis. Start a new one.",
    Status.RESET: "This chat session was reset. Start a new one.",
    Status.EXPIRED: "This chat session expired after 24 hours without an answer. Start a new one.",
}


@frozen(kw_only=True)
class ListedChat:
    """A chat in a list; ``status`` considers expiry."""

    session_id: UUID
    vin: str | None
    vehicle: ChatVehicle | None
    status: Status
    step: int
    messages: int
    email: str | None
    started_at: datetime


def seconds_to_wait(oldest: datetime | None, now: datetime) -> int:
    """Return the number of whole seconds until the quota allows another start, or 0 if it allows one now.

    ``oldest`` is when the N-th newest chat started, for a quota of N, or None if there are fewer: another chat may
    start 24 hours after that. It may be in the future if another process, whose clock is slightly ahead, wrote it.
    """
    if oldest is None:
        return 0
    left = oldest + QUOTA_PERIOD - now
    return max(0, -(-left // _SECOND))
