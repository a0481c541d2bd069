"""A shared estimate: what its link shows, and nothing that leads to a person or a record."""

from datetime import datetime, timedelta
from typing import Final, Self

from attrs import frozen

from repaircore.kernel.money import PriceRange
from repaircore.predictions.model import Figures
from repaircore.pricing.model import Breakdown

LIFETIME: Final = timedelta(days=30)
"""How long a link shows its estimate."""


@frozen(kw_only=True)
class SharedEstimate:
    """An estimate as it was when it was shared; without a VIN, an id or an owner. Money is in cents.

    ``local`` is the price, ``breakdown`` its lines, ``misfit`` the reason why the repair does not fit, None when it may.
    """

    vehicle_name: str
    problem_name: str
    problem_slug: str
    zip_code: str
    state: str
    local: PriceRange
    breakdown: Breakdown
    red_flag_reason: str | None
    misfit: str | None
    computed_at: datetime
    expires_at: datetime

    @classmethod
    def of(cls, figures: Figures, *, computed_at: datetime, now: datetime, misfit: str | None) -> Self:
        """Return figures as they are shared from now on."""
        local, region = figures.local, figures.region
        return cls(
            vehicle_name=figures.vehicle.display_name,
            problem_name=figures.problem.display_name,
            problem_slug=figures.problem.slug,
            zip_code=region.zip_code,
            state=region.state,
            local=PriceRange(low=local.low, average=local.average, high=local.high),
            breakdown=figures.breakdown,
            red_flag_reason=figures.red_flag_reason if figures.red_flag else None,
            misfit=misfit,
            computed_at=computed_at.replace(microsecond=0),
            # A whole day, so that the link is the same however often its page is looked at on a day.
            expires_at=now.replace(hour=0, minute=0, second=0, microsecond=0) + LIFETIME,
        )
