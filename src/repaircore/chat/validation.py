"""The rules of what people write in a conversation, each with its sentence."""

from collections.abc import Callable
from typing import Final

from repaircore.complaints.plain_text import validate_text
from repaircore.kernel.emails import email_errors
from repaircore.vehicles import vin as vins

_SYMPTOM_SHORTEST: Final = 3
SYMPTOM_LONGEST: Final = 2000
ANSWER_LONGEST: Final = 2000


def validate(**fields: object) -> dict[str, list[str]]:
    """Name what is wrong with ``symptom``, ``answer``, ``vin`` and ``email``; judges those that are texts."""
    told = {name: _JUDGES[name](text) for name, text in fields.items() if isinstance(text, str)}
    return {name: texts for name, texts in told.items() if texts}


def _validate_symptom(text: str) -> list[str]:
    return validate_text("symptom", text, longest=SYMPTOM_LONGEST, shortest=_SYMPTOM_SHORTEST, lines=True)


def _validate_answer(text: str) -> list[str]:
    return validate_text("answer", text, longest=ANSWER_LONGEST, shortest=1, lines=True)


def _validate_vin(text: str) -> list[str]:
    return vins.validate(vins.normalize(text))


def _validate_email(text: str) -> list[str]:
    return email_errors(text).get("email", [])


_JUDGES: Final[dict[str, Callable[[str], list[str]]]] = {
    "symptom": _validate_symptom,
    "answer": _validate_answer,
    "vin": _validate_vin,
    "email": _validate_email,
}
