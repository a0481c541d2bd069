"""Ratings of predictions: their totals, and what the estimates learn from them."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from attrs import frozen

from repaircore.kernel.rules import Length

COMMENT_LONGEST: Final = 1000
NO_SUCH_SESSION: Final = "The selected session id is invalid."
"""The error is the same whether the prediction does not exist or belongs to another user."""


class Rating(StrEnum):
    """A user's opinion of a prediction."""

    GOOD = "good"
    WRONG = "wrong"


@frozen(kw_only=True)
class SubmitFeedback:
    """A rating of a prediction, with an optional comment."""

    session_id: UUID
    rating: Rating
    comment: Annotated[str, Length(0, COMMENT_LONGEST)] | None = None


@frozen(kw_only=True)
class Feedback:
    """A submitted rating."""

    id: int
    prediction_id: int
    rating: Rating
    comment: str | None
    created_at: datetime


@frozen(kw_only=True)
class Statistics:
    """The ratings of a prediction; ``latest`` are the newest of them, newest first."""

    session_id: UUID
    good: int
    wrong: int
    latest: Sequence[Feedback]

    @property
    def total(self) -> int:
        """Return the number of ratings."""
        return self.good + self.wrong

    @property
    def score(self) -> float:
        """Return the percentage of good ratings, to two decimals, or 0 if there are none."""
        return round(100 * self.good / self.total, 2) if self.total else 0.0


def opinion_change(previous: Rating | None, rating: Rating) -> tuple[int, int]:
    """Return how a rating changes the counts of good and wrong opinions.

    Only each user's latest rating of a prediction counts, so the previous one is undone (docs/decisions/opinions.md).
    """
    return (
        (rating is Rating.GOOD) - (previous is Rating.GOOD),
        (rating is Rating.WRONG) - (previous is Rating.WRONG),
    )
