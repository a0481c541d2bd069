"""Trouble codes as clients see them."""

from collections.abc import Iterable
from typing import Any

from repaircore.book.model import Problem
from repaircore.trouble_codes.meaning import CodeMeaning
from repaircore.trouble_codes.model import LikelyCause


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
