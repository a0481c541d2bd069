"""Diagnoses, conversations, trouble codes and the questionnaire."""

from datetime import datetime
from typing import Literal, NotRequired, TypedDict
from uuid import UUID

from repaircore.book.model import Safety, Urgency
from repaircore.chat.model import Kind, Speaker, Status
from repaircore.diagnosis.danger import Danger
from repaircore.kernel.traits import Powertrain
from repaircore.kernel.views import Count, Dollars, Percent
from repaircore.questionnaire.model import AnswerType
from repaircore_http.told.envelopes import ProblemNamed, Success


class SafetyWarning(TypedDict):
    """A danger, and what to do about it."""

    danger: Danger
    text: str


class DriverSafety(TypedDict):
    """Whether the driver should stop, and why; ``towing`` says how a vehicle that is not to be driven gets to a shop."""

    stop_driving: bool
    warnings: list[SafetyWarning]
    towing: str | None


class Why(TypedDict):
    """What speaks for a repair, or against it."""

    text: str
    weight: float


class PriceExpected(TypedDict):
    """What the repair costs where the ZIP code is."""

    currency: Literal["USD"]
    low_total_estimate: Dollars
    average_total_estimate: Dollars
    high_total_estimate: Dollars


class Suspected(TypedDict):
    """A repair that may be needed, how sure that is in percent, and whether to drive on."""

    problem: ProblemNamed
    confidence: Percent
    why: list[Why]
    urgency: Urgency
    safe_to_drive: Safety


class Recommendation(Suspected):
    """A repair that is likely needed, with the symptoms that it leaves unexplained; with an estimate when a ZIP code is given."""

    unexplained: list[str]
    estimate: NotRequired[PriceExpected]


class OpenQuestion(TypedDict):
    """A question, and why it is asked; its id is the slug of a symptom."""

    id: str
    text: str
    options: list[str]
    why: str


class Symptoms(TypedDict):
    """What was understood: slugs of symptoms, and trouble codes."""

    present: list[str]
    absent: list[str]
    codes: list[str]


class Understood(Symptoms):
    """How the description was understood; ``unread`` are words that tell nothing, the rest is what it says of the vehicle."""

    unread: list[str]
    mileage: int | None
    powertrain: Powertrain | None
    year: int | None


class VehicleDiagnosed(TypedDict):
    """The vehicle that is complained about."""

    vin: str | None
    display_name: str
    year: int
    make: str
    model: str


class Diagnosis(Success):
    """What is likely needed, and the question that would help most; ``enough`` is false where it is a first guess."""

    reference: str | None
    enough: bool
    message: str | None
    safety: DriverSafety
    recommendations: list[Recommendation]
    question: OpenQuestion | None
    understood: Understood
    vehicle: VehicleDiagnosed | None
    warnings: list[str]


class CodeCause(TypedDict):
    """A repair that a code may call for; its likelihood in percent."""

    problem: ProblemNamed
    likelihood: Percent
    urgency: Urgency
    safe_to_drive: Safety


class MakerMeaning(TypedDict):
    """What a trouble code means for some makes."""

    makes: list[str]
    title: str
    meaning: str


class Code(TypedDict):
    """What a trouble code means, and what causes it, the likeliest first.

    Of a code that is not ``known`` its letters and digits are explained: ``area``, ``standard``, ``subsystem``.
    ``makes`` are those for which the meaning holds, none when it holds for every make; ``by_maker`` is what
    the code means for other makes, or for some when the make is not given.
    """

    code: str
    known: bool
    title: str
    meaning: str
    area: str
    standard: bool
    subsystem: str | None
    makes: list[str]
    system: str | None
    urgency: Urgency | None
    safe_to_drive: Safety | None
    causes: list[CodeCause]
    by_maker: list[MakerMeaning]


class Topic(TypedDict):
    """What owners are asked about; ``icon`` is the name of a class of an icon font."""

    id: int
    slug: str
    name: str
    description: str
    icon: str


class QuestionListed(TypedDict):
    """A question of a topic."""

    id: int
    question_text: str
    answer_type: AnswerType
    options: list[str]
    order: Count


class TopicNamed(TypedDict):
    """A topic by its name."""

    slug: str
    name: str


class Received(TypedDict):
    """The number to ask for the answers by."""

    reference_number: str
    category: TopicNamed
    created_at: datetime


class ChatVehicle(TypedDict):
    """The vehicle that a conversation is about."""

    id: UUID
    vin: str | None
    display_name: str
    year: int
    make: str
    model: str


class _Stands(TypedDict):
    session_id: UUID
    status: Status
    step: Count
    type: Literal["question", "diagnosis"] | None
    question: NotRequired[OpenQuestion]
    enough: NotRequired[bool]
    diagnosis: NotRequired[list[Suspected]]
    safety: DriverSafety
    vehicle: ChatVehicle | None


class ChatTurn(Success, _Stands):
    """Where a conversation stands: its question, or its diagnosis."""

    notes: list[str]


class ChatReset(ChatTurn):
    """A conversation that was reset."""

    message: str


class ImageRead(TypedDict):
    """What was read in an image; ``lights`` are slugs of symptoms."""

    size: Count
    read: str
    vin: str | None
    lights: list[str]


class ChatMessage(TypedDict):
    """Something that was said."""

    role: Speaker
    type: Kind
    text: str
    understood: NotRequired[Symptoms]
    image: NotRequired[ImageRead]
    question: NotRequired[OpenQuestion]
    enough: NotRequired[bool]
    diagnosis: NotRequired[list[Suspected]]
    created_at: datetime


class ChatHistory(Success, _Stands):
    """A conversation with all that was said."""

    email: str | None
    started_at: datetime
    last_active_at: datetime
    message_count: Count
    messages: list[ChatMessage]


class ChatListed(TypedDict):
    """A conversation in a list."""

    session_id: UUID
    vehicle: ChatVehicle | None
    status: Status
    step: Count
    message_count: Count
    email: str | None
    started_at: datetime
