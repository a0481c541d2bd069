"""What users say of a prediction, what it adds up to, and what may be learned from it."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from attrs import frozen

COMMENT_LONGEST: Final = 1000
NO_SUCH_SESSION: Final = "The selected session id is invalid."
"""Said of a prediction that never was and of somebody else's alike."""


class Rating(StrEnum):
    """What a user thinks of a prediction."""

    GOOD = "good"
    WRONG = "wrong"


@frozen(kw_only=True)
class Feedback:
    """One submission."""

    id: int
    prediction_id: int
    rating: Rating
    comment: str | None
    created_at: datetime


@frozen(kw_only=True)
class Statistics:
    """All submissions about a prediction; ``latest`` are the newest of them, newest first."""

    session_id: UUID
    good: int
    wrong: int
    latest: Sequence[Feedback]

    @property
    def total(self) -> int:
        """Count the submissions."""
        return self.good + self.wrong

    @property
    def score(self) -> float:
        """Give the good ones in percent of all, two decimals; 0 when there are none."""
        return round(100 * self.good / self.total, 2) if self.total else 0.0


def validate_comment(comment: str | None) -> list[str]:
    """Say what is wrong with a comment."""
    if comment is None or len(comment) <= COMMENT_LONGEST:
        return []
    return [f"The comment field must not be longer than {COMMENT_LONGEST} characters."]


def opinion_change(before: Rating | None, now: Rating) -> tuple[int, int]:
    """Give what a rating adds to the good and to the wrong opinions that are learned from.

    Of each user the latest about a prediction counts, so an earlier one is taken back (docs/decisions/opinions.md).
    """
    return (
        (now is Rating.GOOD) - (before is Rating.GOOD),
        (now is Rating.WRONG) - (before is Rating.WRONG),
    )
