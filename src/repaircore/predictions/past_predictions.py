"""Past predictions, and their ratings: the totals, and what the estimates learn from them."""

from collections.abc import Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from attrs import frozen

from repaircore.kernel.money import Cents
from repaircore.kernel.rules import Length
from repaircore.predictions.model import Answer, Prediction

RED_FLAGS_LIMIT: Final = 50


@frozen(kw_only=True)
class HistoryFilter:
    """Filters for past predictions. None matches all; both dates are inclusive (UTC).

    Each word of ``vehicle`` must be the model year, part of the make or model, or the beginning of the request's VIN;
    each word of ``problem`` must be part of the name of the repair or of its category.
    """

    vehicle: str | None = None
    problem: str | None = None
    red_flag: bool | None = None
    date_from: date | None = None
    date_to: date | None = None


ALL_PREDICTIONS: Final = HistoryFilter()


@frozen(kw_only=True)
class HistoryEntry:
    """An entry of the history. Money is in cents, as it was computed, without any price adjustment.

    ``vin`` is the request's VIN. If the request gave year, make and model instead, it is the vehicle's VIN with its
    tail masked, or None if unknown. ``vehicle_name`` is the vehicle's year, make and model. ``problem_name`` is
    ``Parent > Child``.
    """

    id: int
    session_id: UUID
    vin: str | None
    vehicle_name: str | None = None
    problem_name: str
    red_flag: bool
    red_flag_reason: str | None
    match: float | None
    local_average: Cents
    ai_average: Cents | None
    feedbacks: int
    good_feedbacks: int
    created_at: datetime


@frozen(kw_only=True)
class PastPrediction:
    """A past prediction that other records refer to. Money is in cents, as it was computed."""

    id: int
    session_id: UUID
    problem_id: int
    vehicle_id: UUID
    vin: str | None
    zip_code: str
    low: Cents
    average: Cents
    high: Cents


@frozen(kw_only=True)
class PastPredictionRecord:
    """A stored prediction: its entry, the request, and the answer as long as it is stored.

    ``vin`` is the request's VIN, or None if the request gave year, make and model. The answer may have expired.
    """

    entry: HistoryEntry
    vehicle_id: UUID
    vin: str | None
    zip_code: str
    problem_slug: str
    mileage: int | None
    answer: Answer | None


@frozen(kw_only=True)
class PastPredictionDetail:
    """A past prediction in full.

    ``prediction`` is the whole answer with the current price adjustment applied, or None once the answer has expired;
    ``record.entry`` then has what remains.
    """

    record: PastPredictionRecord
    prediction: Prediction | None


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
