"""Ports for repair guides."""

from collections.abc import Callable
from typing import TypeAlias

from repaircore.transactions.price_distribution import PriceDistribution

DistributionOf: TypeAlias = Callable[[int], PriceDistribution | None]
"""Return the public distribution of the prices paid for a repair, given its id; None if there are too few invoices."""
