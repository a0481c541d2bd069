"""Complaints that are nothing but a symptom: "oil leak", "no heat"."""

from collections.abc import Iterable, Mapping
from typing import Final

from repaircore.problems.words import stem

_ADD_NOTHING: Final = frozenset(
    map(
        stem,
        (
            "air",
            "blow",
            "blows",
            "come",
            "loud",
            "noise",
            "noises",
            "sound",
            "thing",
            "vent",
            "work",
            "working",
        ),
    )
)
"""Words next to a symptom that do not narrow down its cause."""


def plain_symptom(findings: Mapping[str, bool], others: Iterable[str]) -> str | None:
    """Return the symptom that a complaint is all about, or None.

    ``findings`` are symptoms and whether they are present, ``others`` the stems of the informative words besides them.
    """
    if len(findings) != 1 or not set(others) <= _ADD_NOTHING:
        return None
    symptom, present = next(iter(findings.items()))
    return symptom if present else None
