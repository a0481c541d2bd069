"""Towing businesses as the API and the command line show them."""

from typing import Any

from repaircore.businesses.model import BUSINESS, Business
from repaircore.kernel.moments import zulu
from repaircore.providers.told import shown

__all__ = ["business_told"]


def business_told(business: Business) -> dict[str, Any]:
    """Tell everything of a business, to operators."""
    return {
        "id": business.id,
        "ref": business.ref,
        "environment": business.environment.value,
        **shown(BUSINESS, business),
        "sandbox": business.sandbox,
        "created_at": zulu(business.created_at),
        "updated_at": zulu(business.updated_at),
    }
