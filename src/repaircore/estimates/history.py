"""Past predictions as they are listed."""

from datetime import datetime
from typing import Final
from uuid import UUID

from attrs import frozen

from repaircore.estimates.prediction import Answer, Prediction
from repaircore.kernel.money import Cents

__all__ = ["RED_FLAGS_LISTED", "AskedBefore", "HistoryEntry", "PastPrediction", "SeenAgain"]

RED_FLAGS_LISTED: Final = 50


@frozen(kw_only=True)
class HistoryEntry:
    """A line of the history. Money is in cents, as it was computed: no price adjustment is in it.

    ``vin`` is what was asked for; where year, make and model led to the vehicle it is that vehicle's, its
    tail masked, or None when none is known. ``vehicle_name`` is its year, make and model. ``problem_name`` is ``Parent > Child``.
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
    """A prediction as others refer to it. Money is in cents, as it was computed."""

    id: int
    session_id: UUID
    problem_id: int
    vehicle_id: UUID
    vin: str | None
    low: Cents
    average: Cents
    high: Cents


@frozen(kw_only=True)
class AskedBefore:
    """A past prediction as it is kept: its line, what was asked, and the answer as long as that is kept.

    ``vin`` is what was asked for, None where year, make and model led to the vehicle. The answer may have expired.
    """

    entry: HistoryEntry
    vin: str | None
    zip_code: str
    problem_slug: str
    mileage: int | None
    answer: Answer | None


@frozen(kw_only=True)
class SeenAgain:
    """A past prediction that somebody looks at again.

    ``prediction`` is the whole answer as it is told now, None once it is remembered no longer: then ``asked.entry``
    has what is left of it.
    """

    asked: AskedBefore
    prediction: Prediction | None
