"""A shared estimate: what its link shows, without anything that identifies a person or a record."""

from datetime import datetime, timedelta
from typing import Final, Self
from uuid import UUID

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.money import PriceRange
from repaircore.predictions.model import Figures
from repaircore.pricing.model import Breakdown

LIFETIME: Final = timedelta(days=30)
"""How long a link works, unless its owner ends it earlier."""


@frozen(kw_only=True)
class SharedEstimate:
    """An estimate as it was when it was shared, without a VIN, an ID or an owner; money is in cents.

    ``local`` is the price, ``breakdown`` itemizes it, and ``misfit`` is the reason why the repair does not fit the
    vehicle, or None.
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

    @classmethod
    def of(cls, figures: Figures, *, computed_at: datetime, misfit: str | None) -> Self:
        """Return the part of an estimate's figures that is shared."""
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
            computed_at=computed_at,
        )


@frozen(kw_only=True)
class EstimateLink:
    """A stored link to an estimate. Its token is derived from ``seed``; only the token's hash is stored."""

    session_id: UUID
    environment: Environment
    owner_id: int
    token_hash: bytes
    seed: bytes
    estimate: SharedEstimate
    created_at: datetime
    expires_at: datetime


@frozen(kw_only=True)
class OwnLink:
    """A link as its owner sees it."""

    token: str
    session_id: UUID
    estimate: SharedEstimate
    created_at: datetime
    expires_at: datetime
