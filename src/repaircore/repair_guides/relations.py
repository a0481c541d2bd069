"""How repairs relate to each other: by their symptoms, their sequence and their trouble codes."""

import math
from collections.abc import Iterable, Mapping, Sequence

from repaircore.book.model import Problem, Wear
from repaircore.repair_guides.model import NamingCode
from repaircore.trouble_codes.model import TroubleCode

_ALIKE = 0.5
"""The minimum similarity (0 to 1) of symptoms at which repairs count as easily confused."""

_MOST_ALIKE = 6
_MOST_BEFORE = 8

_INSPECTION = "inspection-and-diagnosis"

_NO_SIGNS = frozenset({"maintenance-due", "oil-change-due"})
"""Symptoms that only mean a service is due, and so do not make repairs similar."""


def similarity(one: Problem, other: Problem) -> float:
    """Return the cosine similarity of the symptoms of two repairs: 1 if they are the same, 0 if they share none."""
    first, second = _shares(one), _shares(other)
    common = math.fsum(share * second.get(slug, 0.0) for slug, share in first.items())
    lengths = _length(first) * _length(second)
    return common / lengths if lengths else 0.0


def list_alike(problem: Problem, problems: Iterable[Problem]) -> Sequence[Problem]:
    """List the repairs with similar symptoms, most similar first."""
    alike = [
        (similarity(problem, other), other)
        for other in problems
        if other.id != problem.id and not _is_service(other)
    ]
    ranked = sorted(alike, key=lambda scored: (-scored[0], scored[1].id))
    return [other for score, other in ranked[:_MOST_ALIKE] if score >= _ALIKE]


def list_before(problem: Problem, problems: Iterable[Problem]) -> Sequence[Problem]:
    """List the repairs whose follow-ups include this one, those in its own category first."""
    before = [other for other in problems if problem.slug in other.followups]
    return sorted(before, key=lambda other: other.parent.id != problem.parent.id)[:_MOST_BEFORE]


def codes_by_repair(codes: Iterable[TroubleCode]) -> Mapping[str, Sequence[NamingCode]]:
    """Return the codes that call for each repair, by slug: codes for every make first, then by share, highest first."""
    found: dict[str, list[NamingCode]] = {}
    for entry in codes:
        for cause in entry.causes:
            naming = NamingCode(code=entry.code, title=entry.title, share=cause.likelihood, makes=entry.makes)
            found.setdefault(cause.repair, []).append(naming)
    return {slug: sorted(naming, key=_rank) for slug, naming in found.items()}


def _is_service(problem: Problem) -> bool:
    """Return whether a problem is a scheduled service or a diagnosis, which nobody confuses with a repair."""
    return problem.recurrence.kind is Wear.SCHEDULE or problem.parent.slug == _INSPECTION


def _rank(naming: NamingCode) -> tuple[bool, float, str]:
    return bool(naming.makes), -naming.share, naming.code


def _shares(problem: Problem) -> Mapping[str, float]:
    return {symptom.slug: symptom.share for symptom in problem.symptoms if symptom.slug not in _NO_SIGNS}


def _length(shares: Mapping[str, float]) -> float:
    return math.sqrt(math.fsum(share * share for share in shares.values()))
