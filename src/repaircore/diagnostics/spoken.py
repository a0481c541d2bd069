"""The rules of what people write in a conversation, each with its sentence."""

import unicodedata
from collections.abc import Callable
from typing import Final

from repaircore.accounts import rules
from repaircore.vehicles import vin as vins

__all__ = ["ANSWER_LONGEST", "SYMPTOM_LONGEST", "SYMPTOM_SHORTEST", "faults", "text_faults"]

SYMPTOM_SHORTEST: Final = 3
SYMPTOM_LONGEST: Final = 2000
ANSWER_LONGEST: Final = 2000
_NO_TEXT: Final = frozenset({"Cc", "Cs"})
"""Control characters, and halves of characters, which only a program can have left."""
_KEPT: Final = frozenset("\t\n\r")


def faults(**fields: object) -> dict[str, list[str]]:
    """Name what is wrong with ``symptom``, ``answer``, ``vin`` and ``email``; judges those that are texts."""
    told = {name: _JUDGES[name](text) for name, text in fields.items() if isinstance(text, str)}
    return {name: texts for name, texts in told.items() if texts}


def _symptom_faults(text: str) -> list[str]:
    return text_faults("symptom", text, SYMPTOM_SHORTEST, SYMPTOM_LONGEST)


def _answer_faults(text: str) -> list[str]:
    return text_faults("answer", text, 1, ANSWER_LONGEST)


def text_faults(name: str, text: str, least: int, most: int) -> list[str]:
    """Say what is wrong with a text that somebody wrote freely: its length, and characters that are none."""
    told = []
    if not text.strip():
        told.append(f"The {name} field must not be empty.")
    elif len(text.strip()) < least:
        told.append(f"The {name} field must be at least {least} characters long.")
    if len(text) > most:
        told.append(f"The {name} field must not be longer than {most} characters.")
    if any(unicodedata.category(one) in _NO_TEXT and one not in _KEPT for one in text[: most + 1]):
        told.append(f"The {name} field must not hold control characters.")
    return told


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
