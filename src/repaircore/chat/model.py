"""A conversation: what is known by now, what waits for an answer, and what may still be done with it."""

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
"""For so long a question waits for its answer."""

MOST_STEPS: Final = 25
"""After so many answers a conversation ends with what there is: nobody answers more."""


QUOTA_PERIOD: Final = timedelta(days=1)
"""The quota of starts is of any 24 hours, not of a day of the calendar."""

_SECOND: Final = timedelta(seconds=1)


@frozen(kw_only=True)
class StartChat:
    """The symptom, the vehicle, and whose it is."""

    symptom: Annotated[str, PlainText(3, 2000, lines=True)]
    vin: str | None = None
    email: Annotated[str, Email()] | None = None


@frozen(kw_only=True)
class SendReply:
    """An answer; ``step`` may name the question that it answers."""

    answer: Annotated[str, PlainText(1, 2000, lines=True)]
    step: int | None = None


class Status(StrEnum):
    """Where a conversation stands. ``EXPIRED`` is never kept: it follows from the times."""

    AWAITING_ANSWER = "awaiting_answer"
    DIAGNOSED = "diagnosed"
    RESET = "reset"
    EXPIRED = "expired"


class Speaker(StrEnum):
    """Who said it."""

    USER = "user"
    ASSISTANT = "assistant"


class Kind(StrEnum):
    """What was said."""

    SYMPTOM = "symptom"
    ANSWER = "answer"
    NOTE = "note"
    QUESTION = "question"
    DIAGNOSIS = "diagnosis"


@frozen(kw_only=True)
class Suspect:
    """A repair that may be needed. ``confidence`` is in percent; ``why`` has the weightiest first."""

    problem_id: int
    slug: str
    display_name: str
    confidence: float
    urgency: str
    safe_to_drive: str
    why: tuple[Reason, ...]


@frozen(kw_only=True)
class ImageNote:
    """What is kept of an image: its size and what was read in it, never a byte of it.

    ``read`` is ``vin``, ``lights`` or ``nothing``; ``lights`` are slugs of symptoms.
    """

    size: int
    read: str
    vin: str | None = None
    lights: tuple[str, ...] = ()


@frozen(kw_only=True)
class Detail:
    """What belongs to a message beside its text.

    Of what a user said: the symptoms that were read in it, the codes, and its image. Of what was said to
    them: the question, or the repairs and whether they stand out far enough.
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
    """Something that was said."""

    speaker: Speaker
    kind: Kind
    text: str
    at: datetime
    detail: Detail = NO_DETAIL


@frozen(kw_only=True)
class ChatVehicle:
    """The vehicle that a conversation is about: its record, and what is known of it."""

    id: UUID
    specs: VehicleSpecs


@frozen(kw_only=True)
class Chat:
    """A conversation as it stands.

    ``stored_status`` is what is kept; ask ``status`` for what it is by now. ``step`` counts what the user said,
    ``messages`` everything. ``version`` counts the changes: of two answers to one question, one counts.
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
        """What the driver must know by now."""
        answered = (one for one in self.evidence.findings if one.symptom in self.evidence.answered)
        return driver_safety(
            answered,
            self.evidence.dangers,
            ((one.confidence, one.safe_to_drive) for one in self.diagnosis),
            read=(one.symptom for one in self.evidence.findings if one.present),
        )

    @property
    def expires_at(self) -> datetime:
        """Tell until when a question waits."""
        return self.active_at + IDLE

    def status(self, now: datetime) -> Status:
        """Tell where it stands at a time."""
        waits = self.stored_status is Status.AWAITING_ANSWER
        return Status.EXPIRED if waits and now >= self.expires_at else self.stored_status

    def require_question(self, now: datetime) -> OpenQuestion:
        """Give the question that waits for an answer.

        Raises:
            Conflict: none does, and why.
        """
        status = self.status(now)
        if status is not Status.AWAITING_ANSWER or self.question is None:
            raise Conflict(_CLOSED.get(status, _CLOSED[Status.DIAGNOSED]))
        return self.question

    def cleared(self, at: datetime) -> "Chat":
        """Give it without history, evidence and vehicle; it was started all the same."""
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
    Status.DIAGNOSED: "This chat session has its diagnosis and takes no more answers. Start another one.",
    Status.RESET: "This chat session was reset and takes no more answers. Start another one.",
    Status.EXPIRED: "This chat session waited 24 hours for an answer and has expired. Start another one.",
}


@frozen(kw_only=True)
class ListedChat:
    """A conversation as a list shows it; ``status`` is what it is by now."""

    session_id: UUID
    vin: str | None
    vehicle: ChatVehicle | None
    status: Status
    step: int
    messages: int
    email: str | None
    started_at: datetime


def seconds_to_wait(oldest: datetime | None, now: datetime) -> int:
    """Return for how many whole seconds the quota allows no further start; 0 when it allows one.

    ``oldest`` is the start that must leave the last 24 hours first: the N-th newest of a quota of N; None when there are
    fewer. It may lie in the future, where another process wrote it with a clock a little ahead.
    """
    if oldest is None:
        return 0
    left = oldest + QUOTA_PERIOD - now
    return max(0, -(-left // _SECOND))
