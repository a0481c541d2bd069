"""Chats as clients see them."""

from typing import Any

from repaircore.chat.model import Chat, ChatVehicle, Detail, ImageNote, ListedChat, Message, Status, Suspect
from repaircore.diagnosis.views import question_as_wire, reasons_as_wire, safety_as_wire


def turn_as_wire(chat: Chat, status: Status, notes: tuple[str, ...] = ()) -> dict[str, Any]:
    """Tell where a conversation stands: its question, or its diagnosis."""
    told: dict[str, Any] = {
        "session_id": str(chat.session_id),
        "status": status.value,
        "step": chat.step,
        "type": None,
    }
    if status is Status.AWAITING_ANSWER and chat.question is not None:
        told |= {"type": "question", "question": question_as_wire(chat.question)}
    elif status is Status.DIAGNOSED:
        told |= {"type": "diagnosis", "enough": chat.enough, "diagnosis": _diagnosis(chat.diagnosis)}
    told["safety"] = safety_as_wire(chat.safety)
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


def _vehicle(vin: str | None, vehicle: ChatVehicle | None) -> dict[str, Any] | None:
    if vehicle is None:
        return None
    about = vehicle.specs
    return {
        "id": str(vehicle.id),
        "vin": vin,
        "display_name": about.display_name,
        "year": about.year,
        "make": about.make,
        "model": about.model,
    }


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
        told["question"] = question_as_wire(detail.question)
    if detail.enough is not None:
        told |= {"enough": detail.enough, "diagnosis": _diagnosis(detail.diagnosis)}
    return told


def _image(note: ImageNote) -> dict[str, Any]:
    return {"size": note.size, "read": note.read, "vin": note.vin, "lights": list(note.lights)}
