"""Diagnoses, conversations and codes as they are told outside: names and values that have a form in JSON; money in dollars."""

from collections.abc import Iterable
from typing import Any, Final

from repaircore.diagnostics.advice import Advice, Recommendation
from repaircore.diagnostics.chat import (
    Chat,
    ChatVehicle,
    Detail,
    ImageNote,
    ListedChat,
    Message,
    OpenQuestion,
    Status,
    Suspect,
)
from repaircore.diagnostics.code_meaning import CodeMeaning
from repaircore.diagnostics.codes import LikelyCause
from repaircore.diagnostics.danger import DriverSafety
from repaircore.diagnostics.model import Reason, SymptomQuestion
from repaircore.kernel.money import PriceRange, dollars
from repaircore.problems.model import Problem

__all__ = [
    "FIRST_GUESS",
    "NOTHING_READ",
    "ONLY_A_GUESS",
    "advice_as_wire",
    "certainty_note",
    "code_as_wire",
    "history_as_wire",
    "listed_as_wire",
    "reasons_as_wire",
    "turn_as_wire",
]

FIRST_GUESS: Final = "This is a first guess. The answer to the question would tell more."
ONLY_A_GUESS: Final = "This is a first guess. A shop can look at the vehicle itself."

NOTHING_READ: Final = (
    "Nothing in the description points to a repair: these are only the commonest ones. Say in English what the vehicle does,"
    " when, and where it comes from, or give its trouble codes."
)


def certainty_note(advice: Advice) -> str | None:
    """Return the sentence that goes with a diagnosis that is not sure; None when it is."""
    if advice.enough:
        return None
    if not any(one.why for one in advice.recommendations):
        return NOTHING_READ
    return ONLY_A_GUESS if advice.question is None else FIRST_GUESS


def advice_as_wire(advice: Advice) -> dict[str, Any]:
    """Tell the advice, and how it was understood."""
    understood, vehicle = advice.understood, advice.vehicle
    return {
        "success": True,
        "reference": advice.reference,
        "enough": advice.enough,
        "message": certainty_note(advice),
        "safety": _safety(advice.safety),
        "recommendations": [_recommendation(one) for one in advice.recommendations],
        "question": None if advice.question is None else _question(advice.question),
        "understood": {
            "present": [one.symptom for one in understood.findings if one.present],
            "absent": [one.symptom for one in understood.findings if not one.present],
            "codes": list(understood.codes),
            "unread": list(understood.unread),
            "mileage": understood.mentions.mileage,
            "powertrain": None
            if understood.mentions.powertrain is None
            else understood.mentions.powertrain.value,
            "year": understood.mentions.year,
        },
        "vehicle": None
        if vehicle is None
        else {
            "vin": advice.vin,
            "display_name": vehicle.display_name,
            "year": vehicle.year,
            "make": vehicle.make,
            "model": vehicle.model,
        },
        "warnings": list(advice.warnings),
    }


def code_as_wire(meaning: CodeMeaning, causes: Iterable[LikelyCause]) -> dict[str, Any]:
    """Return what a trouble code means, and the repairs that it calls for."""
    entry, structure = meaning.entry, meaning.structure
    return {
        "code": meaning.code,
        "known": entry is not None,
        "title": meaning.title,
        "meaning": meaning.meaning,
        "area": structure.area,
        "standard": structure.standard,
        "subsystem": structure.subsystem,
        "makes": [] if entry is None else list(entry.makes),
        "system": None if entry is None else entry.system,
        "urgency": None if entry is None else entry.urgency.value,
        "safe_to_drive": None if entry is None else entry.safe_to_drive.value,
        "causes": [_cause(one) for one in causes],
        "by_maker": [
            {"makes": list(one.makes), "title": one.title, "meaning": one.meaning} for one in meaning.by_maker
        ],
    }


def turn_as_wire(chat: Chat, status: Status, notes: tuple[str, ...] = ()) -> dict[str, Any]:
    """Tell where a conversation stands: its question, or its diagnosis."""
    told: dict[str, Any] = {
        "session_id": str(chat.session_id),
        "status": status.value,
        "step": chat.step,
        "type": None,
    }
    if status is Status.AWAITING_ANSWER and chat.question is not None:
        told |= {"type": "question", "question": _question(chat.question)}
    elif status is Status.DIAGNOSED:
        told |= {"type": "diagnosis", "enough": chat.enough, "diagnosis": _diagnosis(chat.diagnosis)}
    told["safety"] = _safety(chat.safety)
    return {**told, "vehicle": _vehicle(chat.vin, chat.vehicle), "notes": list(notes)}


def history_as_wire(chat: Chat, status: Status, messages: tuple[Message, ...]) -> dict[str, Any]:
    """Tell where a conversation stands, and everything that was said in it; times are left as they are."""
    told = turn_as_wire(chat, status)
    del told["notes"]
    return {
        **told,
        "email": chat.email,
        "started_at": chat.started_at,
        "last_active_at": chat.active_at,
        "message_count": chat.messages,
        "messages": [_message(message) for message in messages],
    }


def listed_as_wire(chat: ListedChat) -> dict[str, Any]:
    """Tell of a conversation in a list."""
    return {
        "session_id": str(chat.session_id),
        "vehicle": _vehicle(chat.vin, chat.vehicle),
        "status": chat.status.value,
        "step": chat.step,
        "message_count": chat.messages,
        "email": chat.email,
        "started_at": chat.started_at,
    }


def reasons_as_wire(reasons: Iterable[Reason]) -> list[dict[str, Any]]:
    """Tell what speaks for a repair, or against it."""
    return [{"text": one.text, "weight": round(one.weight, 2)} for one in reasons]


def _safety(safety: DriverSafety) -> dict[str, Any]:
    return {
        "stop_driving": safety.stop_driving,
        "warnings": [{"danger": one.danger.value, "text": one.text} for one in safety.warnings],
        "towing": safety.towing,
    }


def _recommendation(one: Recommendation) -> dict[str, Any]:
    problem = one.problem
    told: dict[str, Any] = {
        "problem": _problem(problem),
        "confidence": one.confidence,
        "why": reasons_as_wire(one.why),
        "urgency": problem.urgency.value,
        "safe_to_drive": one.safe_to_drive.value,
        "unexplained": list(one.unexplained),
    }
    return told if one.price is None else {**told, "estimate": _estimate(one.price)}


def _estimate(price: PriceRange) -> dict[str, Any]:
    return {
        "currency": "USD",
        "low_total_estimate": dollars(price.low),
        "average_total_estimate": dollars(price.average),
        "high_total_estimate": dollars(price.high),
    }


def _cause(one: LikelyCause) -> dict[str, Any]:
    problem = one.problem
    return {
        "problem": _problem(problem),
        "likelihood": round(100 * one.likelihood, 1),
        "urgency": problem.urgency.value,
        "safe_to_drive": problem.safe_to_drive.value,
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {"id": problem.id, "slug": problem.slug, "display_name": problem.display_name}


def _vehicle(vin: str | None, vehicle: ChatVehicle | None) -> dict[str, Any] | None:
    if vehicle is None:
        return None
    about = vehicle.about
    return {
        "id": str(vehicle.id),
        "vin": vin,
        "display_name": about.display_name,
        "year": about.year,
        "make": about.make,
        "model": about.model,
    }


def _question(question: OpenQuestion | SymptomQuestion) -> dict[str, Any]:
    return {"id": question.id, "text": question.text, "options": list(question.options), "why": question.why}


def _diagnosis(suspects: tuple[Suspect, ...]) -> list[dict[str, Any]]:
    return [
        {
            "problem": {"id": one.problem_id, "slug": one.slug, "display_name": one.display_name},
            "confidence": one.confidence,
            "why": reasons_as_wire(one.why),
            "urgency": one.urgency,
            "safe_to_drive": one.safe_to_drive,
        }
        for one in suspects
    ]


def _message(message: Message) -> dict[str, Any]:
    return {
        "role": message.speaker.value,
        "type": message.kind.value,
        "text": message.text,
        **_detail(message.detail),
        "created_at": message.at,
    }


def _detail(detail: Detail) -> dict[str, Any]:
    told: dict[str, Any] = {}
    if detail.present or detail.absent or detail.codes:
        told["understood"] = {
            "present": list(detail.present),
            "absent": list(detail.absent),
            "codes": list(detail.codes),
        }
    if detail.image is not None:
        told["image"] = _image(detail.image)
    if detail.question is not None:
        told["question"] = _question(detail.question)
    if detail.enough is not None:
        told |= {"enough": detail.enough, "diagnosis": _diagnosis(detail.diagnosis)}
    return told


def _image(note: ImageNote) -> dict[str, Any]:
    return {"size": note.size, "read": note.read, "vin": note.vin, "lights": list(note.lights)}
