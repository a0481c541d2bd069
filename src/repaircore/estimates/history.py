"""Past predictions as they are listed."""

from datetime import datetime
from typing import Final
from uuid import UUID

from attrs import frozen

from repaircore.kernel.money import Cents

__all__ = ["RED_FLAGS_LISTED", "HistoryEntry", "PastPrediction"]

RED_FLAGS_LISTED: Final = 50


@frozen(kw_only=True)
class HistoryEntry:
    """A line of the history. Money is in cents, as it was computed: no price adjustment is in it.

    ``vin`` is what was asked for; where year, make and model led to the vehicle it is that vehicle's, its
    tail masked, or None when none is known. ``problem_name`` is ``Parent > Child``.
    """

    id: int
    session_id: UUID
    vin: str | None
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
