"""The values of vehicles at age 0 in 2025, and the price of used cars by quarter, relative to 2025.

A model's level follows from its new price, shrunk toward the level of its segment and tier, so that an outlier moves it
only partly. The make's factor is how well its vehicles hold their value compared with others.
"""

import math
from collections.abc import Mapping
from datetime import date
from typing import Final

from attrs import frozen

from repaircore.kernel.money import Cents, round_half_up
from repaircore.kernel.spelling import key, make_key
from repaircore.vehicle_facts.model import Segment, Tier

_QUARTER: Final = 3
_QUARTERS: Final = 4


@frozen(kw_only=True)
class ModelPrices:
    """The new prices of a make's models in cents, by model key; among prefixes, the longest match counts."""

    exact: Mapping[str, Cents]
    prefixes: Mapping[str, Cents]

    def find(self, model: str) -> Cents | None:
        """Return the new price of a model by its key, or None if it is not listed."""
        if model in self.exact:
            return self.exact[model]
        found = [prefix for prefix in self.prefixes if model.startswith(prefix)]
        return self.prefixes[max(found, key=len)] if found else None


@frozen(kw_only=True)
class ModelLevel:
    """The level of a vehicle, and how it is reached: by segment, then tier, then make, then model."""

    segment: Cents
    tier: Cents
    brand: Cents
    level: Cents
    tier_factor: float
    brand_factor: float
    is_listed: bool


@frozen(kw_only=True)
class Levels:
    """Values at age 0: by segment for a mainstream make, times factors for the tier and the make.

    ``new_prices`` are by make key; a listed model moves by ``weight`` toward ``used`` times its new price.
    """

    by_segment: Mapping[Segment, Cents]
    by_tier: Mapping[Tier, float]
    by_brand: Mapping[str, float]
    unlisted_brand: float
    new_prices: Mapping[str, ModelPrices]
    used: float
    weight: float

    def of(self, make: str, model: str, segment: Segment, tier: Tier) -> ModelLevel:
        """Return the level of a model."""
        plain = self.by_segment[segment]
        factor = self.by_brand.get(make_key(make), self.unlisted_brand)
        tiered = plain * self.by_tier[tier]
        prices = self.new_prices.get(make_key(make))
        new = prices.find(key(model)) if prices else None
        shift = 0.0 if new is None else self.weight * math.log(new * self.used / tiered)
        return ModelLevel(
            segment=plain,
            tier=round_half_up(tiered),
            brand=round_half_up(tiered * factor),
            level=round_half_up(tiered * factor * math.exp(shift)),
            tier_factor=self.by_tier[tier],
            brand_factor=factor,
            is_listed=new is not None,
        )


@frozen(kw_only=True)
class UsedCarIndex:
    """Used-car prices by quarter from ``first`` (year, and quarter from 0) on; ``base`` is the index of 2025."""

    first: tuple[int, int]
    values: tuple[float, ...]
    base: float

    def at(self, day: date) -> float:
        """Return the price of used cars on a day relative to 2025; outside the known range, use the nearest quarter."""
        year, quarter = self.first
        number = (day.year - year) * _QUARTERS + (day.month - 1) // _QUARTER - quarter
        return self.values[min(len(self.values) - 1, max(0, number))] / self.base
