"""The rules of what people write in a conversation, each with its sentence."""

from collections.abc import Callable
from typing import Final

from repaircore.accounts import rules
from repaircore.complaints.plain_text import text_faults
from repaircore.vehicles import vin as vins

_SYMPTOM_SHORTEST: Final = 3
SYMPTOM_LONGEST: Final = 2000
ANSWER_LONGEST: Final = 2000


def faults(**fields: object) -> dict[str, list[str]]:
    """Name what is wrong with ``symptom``, ``answer``, ``vin`` and ``email``; judges those that are texts."""
    told = {name: _JUDGES[name](text) for name, text in fields.items() if isinstance(text, str)}
    return {name: texts for name, texts in told.items() if texts}


def _symptom_faults(text: str) -> list[str]:
    return text_faults("symptom", text, longest=SYMPTOM_LONGEST, shortest=_SYMPTOM_SHORTEST, lines=True)


def _answer_faults(text: str) -> list[str]:
    return text_faults("answer", text, longest=ANSWER_LONGEST, shortest=1, lines=True)


def _vin_faults(text: str) -> list[str]:
    return vins.faults(vins.normalize(text))


def _email_faults(text: str) -> list[str]:
    return rules.faults(email=text).get("email", [])


_JUDGES: Final[dict[str, Callable[[str], list[str]]]] = {
    "symptom": _symptom_faults,
    "answer": _answer_faults,
    "vin": _vin_faults,
    "email": _email_faults,
}
