"""Filled-in questionnaires: their reference numbers, and what is kept of them."""

from datetime import datetime
from typing import Final

from attrs import frozen

from repaircore.diagnosis.model import Diagnosis, Reason
from repaircore.kernel.callers import Environment

_SUGGESTED: Final = 5
"""So many repairs of an outcome are kept, the likeliest."""


@frozen(kw_only=True)
class SubmittedAnswer:
    """An answer, with the question as it was shown."""

    question_id: int
    question_text: str
    answer: str


@frozen(kw_only=True)
class Suggestion:
    """A repair that the answers point to: its slug, its name then, and how likely it is, 0 to 1."""

    repair: str
    name: str
    probability: float
    reasons: tuple[Reason, ...]


@frozen(kw_only=True)
class SubmissionResult:
    """What followed from the answers, the likeliest repair first; ``enough`` tells whether it stands out."""

    enough: bool
    suggestions: tuple[Suggestion, ...]


@frozen(kw_only=True)
class Submission:
    """A filled-in questionnaire. It stands for itself: later editions of the questionnaire change nothing of it.

    ``user_id`` is None of somebody without an account. ``vehicle_id`` is as it was sent, written out.
    """

    reference: str
    environment: Environment
    user_id: int | None
    category_slug: str
    category_name: str
    vehicle_id: str | None
    vehicle_info: str | None
    answers: tuple[SubmittedAnswer, ...]
    additional_notes: str | None
    outcome: SubmissionResult
    created_at: datetime


def outcome_of(diagnosis: Diagnosis) -> SubmissionResult:
    """Keep of a diagnosis what an operator wants to know later.

    A repair that nothing speaks for is not suggested: what is commonly broken is no outcome of the answers.
    """
    spoken_for = [one for one in diagnosis.candidates if any(why.weight > 0 for why in one.reasons)]
    return SubmissionResult(
        enough=diagnosis.enough,
        suggestions=tuple(
            Suggestion(
                repair=one.problem.slug,
                name=one.problem.display_name,
                probability=round(one.confidence / 100, 4),
                reasons=one.reasons,
            )
            for one in spoken_for[:_SUGGESTED]
        ),
    )
