"""Drivers as the API and the command line show them."""

from typing import Any

from repaircore.drivers.model import DRIVER, Driver
from repaircore.kernel.moments import zulu
from repaircore.providers.told import shown

__all__ = ["driver_told"]


def driver_told(driver: Driver) -> dict[str, Any]:
    """Tell everything of a driver, to operators."""
    return {
        "id": driver.id,
        "ref": driver.ref,
        "environment": driver.environment.value,
        **shown(DRIVER, driver),
        "rating": driver.rating,
        "rating_count": driver.rating_count,
        "sandbox": driver.sandbox,
        "created_at": zulu(driver.created_at),
        "updated_at": zulu(driver.updated_at),
    }
