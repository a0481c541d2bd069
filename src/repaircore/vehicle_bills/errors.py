"""Errors for vehicle bills."""

from repaircore.kernel.errors import Conflict, NotFound
from repaircore.vehicle_bills.model import MOST_BILLS


class NoSuchBill(NotFound):
    """The vehicle has no such bill."""

    def __init__(self) -> None:
        super().__init__("This vehicle has no such bill.")


class TooManyBills(Conflict):
    """The vehicle already has the maximum number of bills."""

    def __init__(self) -> None:
        super().__init__(f"This vehicle has {MOST_BILLS:,} bills, which is the limit. Delete one first.")
