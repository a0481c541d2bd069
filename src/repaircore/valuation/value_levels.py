"""What vehicles are worth at age 0 in 2025, and how the price of used cars moved since.

A model's own level is made from its price when new; it leans on the level of its segment and tier, so that one odd price moves
it by a part only. The make's factor says how well it holds its value beside others.
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
    """What the models of a make cost new, in cents, by their keys; of several beginnings the longest counts."""

    exact: Mapping[str, Cents]
    beginnings: Mapping[str, Cents]

    def find(self, model: str) -> Cents | None:
        """Return the price of a model by its key, None when it is not listed."""
        if model in self.exact:
            return self.exact[model]
        begun = [start for start in self.beginnings if model.startswith(start)]
        return self.beginnings[max(begun, key=len)] if begun else None


@frozen(kw_only=True)
class ModelLevel:
    """A vehicle's level, and the steps to it: its segment's, with its tier, with its make, and with its own model's."""

    segment: Cents
    tier: Cents
    brand: Cents
    level: Cents
    tier_factor: float
    brand_factor: float
    is_listed: bool


@frozen(kw_only=True)
class Levels:
    """What vehicles are worth at age 0: by segment for a mainstream make, times its tier's and its make's factor.

    ``new_prices`` are by the make's key; a listed model leans towards ``used`` times its price when new by ``weight``.
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
        leaning = 0.0 if new is None else self.weight * math.log(new * self.used / tiered)
        return ModelLevel(
            segment=plain,
            tier=round_half_up(tiered),
            brand=round_half_up(tiered * factor),
            level=round_half_up(tiered * factor * math.exp(leaning)),
            tier_factor=self.by_tier[tier],
            brand_factor=factor,
            is_listed=new is not None,
        )


@frozen(kw_only=True)
class UsedCarIndex:
    """What used cars cost by quarter, from ``first`` (year, quarter from 0) on; ``base`` is the index of 2025."""

    first: tuple[int, int]
    values: tuple[float, ...]
    base: float

    def at(self, day: date) -> float:
        """Return the price of used cars on a day beside 2025; outside of what is known, the nearest quarter's."""
        year, quarter = self.first
        number = (day.year - year) * _QUARTERS + (day.month - 1) // _QUARTER - quarter
        return self.values[min(len(self.values) - 1, max(0, number))] / self.base
