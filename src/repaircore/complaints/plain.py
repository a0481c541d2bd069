"""Complaints that name nothing but a symptom: "oil leak", "no heat"."""

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
"""Words that do not narrow down the cause of a symptom."""


def plain_symptom(findings: Mapping[str, bool], others: Iterable[str]) -> str | None:
    """Return the slug of the symptom that is all a complaint says, or None if it says more or something else.

    ``findings`` maps symptoms to whether they are present; ``others`` has the stems of all other informative
    words.
    """
    if len(findings) != 1 or not set(others) <= _ADD_NOTHING:
        return None
    symptom, present = next(iter(findings.items()))
    return symptom if present else None
