"""Regions as every door presents them."""

from typing import Any

from repaircore.facilities.model import Facility
from repaircore.kernel.moments import zulu
from repaircore.kernel.money import dollars_or_none

__all__ = ["region_shape"]


def region_shape(region: Facility) -> dict[str, Any]:
    """Present a region."""
    return {
        "id": region.id,
        "facility_name": region.name,
        "city": region.city,
        "state": region.state,
        "zip_code": region.zip_code,
        "country": region.country,
        "avg_labor_rate": dollars_or_none(region.avg_labor_rate),
        "sample_size": region.sample_size,
        "created_at": zulu(region.created_at),
    }
