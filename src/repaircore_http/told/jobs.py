"""What rides and appointments have in common: what became of them, and what they came to."""

from datetime import datetime
from typing import Any, Literal, NotRequired, TypedDict
from uuid import UUID

from repaircore.kernel.views import Dollars

TimelineStep = TypedDict(
    "TimelineStep",
    {
        "at": datetime,
        "action": str,
        "from": str | None,
        "to": str,
        "actor": Literal["partner", "system", "sandbox", "operator"],
        "detail": NotRequired[dict[str, Any]],
    },
)
"""What was done, when and by whom."""


class JobInvoiced(TypedDict):
    """What the work on the vehicle came to."""

    currency: Literal["USD"]
    parts_total: Dollars
    labor_total: Dollars
    total: Dollars


class JobEstimated(TypedDict):
    """What was predicted, before any price adjustment."""

    currency: Literal["USD"]
    session_id: UUID
    low: Dollars
    average: Dollars
    high: Dollars


class JobBilled(TypedDict):
    """What a job came to, beside what was predicted; nulls until its invoice is told."""

    transaction_id: int | None
    invoice: JobInvoiced | None
    estimate: JobEstimated | None
