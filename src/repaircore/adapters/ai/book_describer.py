"""Descriptions from the repair book: no server, no cost, and always the same text."""

from collections.abc import Mapping
from typing import Final

from attrs import frozen
from typing_extensions import override

from repaircore.book.model import OFFLINE, Problem, Safety, Symptom, Urgency, Wear
from repaircore.problems.ports import Describer

_URGENCY: Final[Mapping[Urgency, str]] = {
    Urgency.STOP: "It cannot wait.",
    Urgency.NOW: "It should be done right away.",
    Urgency.SOON: "It should be done within the next few weeks.",
    Urgency.PLAN: "It can be planned ahead.",
    Urgency.COMFORT: "It can wait as long as you like.",
}
_SAFETY: Final[Mapping[Safety, str]] = {
    Safety.NO: "Do not drive until it is done.",
    Safety.SHORT: "Until then, drive gently, and only as far as a shop.",
    Safety.YES: "It is safe to drive until then.",
}
_LEAST_SHARE: Final = 0.15
_MOST_SYMPTOMS: Final = 4


@frozen
class BookDescriber(Describer):
    """A describer that uses only facts in the repair book: work, symptoms, urgency, safety, labor and recurrence.

    ``symptoms`` maps slugs to names.
    """

    symptoms: Mapping[str, str]

    @property
    @override
    def source(self) -> str:
        return OFFLINE

    @override
    def describe(self, problem: Problem, *, seconds: float) -> str:
        sentences = (
            problem.description.strip(),
            self._symptoms(problem),
            f"{_URGENCY[problem.urgency]} {_SAFETY[problem.safe_to_drive]}",
            _labor(problem.labor_hours),
            _recurrence(problem),
        )
        return " ".join(" ".join(sentence.split()) for sentence in sentences if sentence)

    def _symptoms(self, problem: Problem) -> str:
        usual = sorted(
            (symptom for symptom in problem.symptoms if symptom.share >= _LEAST_SHARE), key=_by_share
        )
        names = [self.symptoms[each.slug] for each in usual if each.slug in self.symptoms][:_MOST_SYMPTOMS]
        return f"What owners notice: {'; '.join(map(_lower_first, names))}." if names else ""


def _by_share(symptom: Symptom) -> tuple[float, str]:
    return -symptom.share, symptom.slug


def _lower_first(name: str) -> str:
    """Return a name with a lower-case first letter, unless its first word is an abbreviation (ABS)."""
    return name if name[:2].isupper() else name[:1].lower() + name[1:]


def _labor(hours: float) -> str:
    unit = "hour" if hours == 1 else "hours"
    return f"A shop books about {hours:g} {unit} of labor on a mid-size car."


def _recurrence(problem: Problem) -> str:
    if problem.recurrence.kind is Wear.RANDOM:
        return ""
    return f"It typically needs to be done again after {problem.recurrence.miles:,} miles or {problem.recurrence.months} months."
