"""Submissions of answers, and the repairs that they point to."""

from datetime import datetime
from typing import Final

from attrs import frozen

from repaircore.diagnosis.model import Diagnosis, Reason
from repaircore.kernel.callers import Environment

_MOST_SUGGESTIONS: Final = 5


@frozen(kw_only=True)
class SubmittedAnswer:
    """An answer, with the question as it was shown."""

    question_id: int
    question_text: str
    answer: str


@frozen(kw_only=True)
class Suggestion:
    """A repair that the answers point to: its slug, its name at the time, and its probability, 0 to 1."""

    repair: str
    name: str
    probability: float
    reasons: tuple[Reason, ...]


@frozen(kw_only=True)
class SubmissionResult:
    """The result of a submission, likeliest repair first; ``enough`` is whether that one stands out."""

    enough: bool
    suggestions: tuple[Suggestion, ...]


@frozen(kw_only=True)
class Submission:
    """A submission of answers. Later editions of the questionnaire do not change it.

    ``user_id`` is None for a visitor without an account. ``vehicle_id`` is the id that was sent, as a string.
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
    """Return the part of a diagnosis that is stored with a submission.

    A repair without supporting answers is not suggested: being common is not enough.
    """
    supported = [each for each in diagnosis.candidates if any(why.weight > 0 for why in each.reasons)]
    return SubmissionResult(
        enough=diagnosis.enough,
        suggestions=tuple(
            Suggestion(
                repair=each.problem.slug,
                name=each.problem.display_name,
                probability=round(each.confidence / 100, 4),
                reasons=each.reasons,
            )
            for each in supported[:_MOST_SUGGESTIONS]
        ),
    )
