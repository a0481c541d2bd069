"""Regions as every door presents them."""

from typing import Any

from repaircore.facilities.model import Facility
from repaircore.facilities.shops import shown
from repaircore.kernel.views import iso_utc


def region_shape(region: Facility) -> dict[str, Any]:
    """Present a region."""
    return {"id": region.id, **shown(region), "created_at": iso_utc(region.created_at)}
