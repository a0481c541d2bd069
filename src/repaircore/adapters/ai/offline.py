"""Two fixed models that need nobody: they answer at once, for nothing, and always the same.

They rest on different pages of the repair book, so that it says something when they agree. Model A
multiplies what a shop multiplies, hours and parts; model B knows neither, only what the country pays for
such a repair. What they share is the vehicle's factors and the region's labor rate.
"""

import math
from abc import abstractmethod

from attrs import frozen
from typing_extensions import override

from repaircore.adapters.ai.answer import accepted
from repaircore.adapters.ai.failures import ModelFailed
from repaircore.estimates.model import PriceQuestion
from repaircore.estimates.ports import PriceModel
from repaircore.kernel.money import Cents

__all__ = [
    "OFFLINE",
    "TYPICAL_LABOR_SHARE",
    "FlatRateModel",
    "PriceIndexModel",
    "age_factor",
    "flat_rate",
    "price_index",
]

OFFLINE = "offline"
"""The source that both models name; a model with it answers without waiting for anybody."""

TYPICAL_LABOR_SHARE = 0.45
"""How much of a repair bill is labor when nothing is known of the repair: our judgement."""

MIDDLE_AGE = 8
"""The age in years at which a vehicle pays the national price; about the middle of those in shops."""

YEARLY_DISCOUNT = 0.008
"""What a year of age takes off: copies and used parts appear, dealers are left for independents. Our judgement."""

OLDEST = 20
"""From this age in years on, older is no cheaper."""


def flat_rate(question: PriceQuestion) -> float:
    """Multiply as a shop does: hours by the region's rate, parts by the day's price level; in cents."""
    problem, factors = question.problem, question.factors
    labor = problem.labor_hours * factors.labor * question.labor_rate
    return labor + problem.parts_total * factors.parts * question.price_level


def price_index(question: PriceQuestion) -> float:
    """Move the middle of the national range to this vehicle, its age and this place; in cents.

    The middle is the geometric one, because prices are skewed to the dear side.
    """
    middle = math.sqrt(question.problem.low * question.problem.high)
    return middle * _vehicle_factor(question) * age_factor(question) * _place_factor(question)


def age_factor(question: PriceQuestion) -> float:
    """Tell what the vehicle's age does to the price: 1.0 in the middle, more when younger."""
    age = min(max(question.year - question.vehicle.about.year, 0), OLDEST)
    return math.pow(1 - YEARLY_DISCOUNT, age - MIDDLE_AGE)


def _vehicle_factor(question: PriceQuestion) -> float:
    share = TYPICAL_LABOR_SHARE
    return math.pow(question.factors.labor, share) * math.pow(question.factors.parts, 1 - share)


def _place_factor(question: PriceQuestion) -> float:
    share = TYPICAL_LABOR_SHARE
    return share * question.labor_rate / question.national_rate + (1 - share) * question.price_level


class _OfflineModel(PriceModel):
    """A formula behind the port."""

    @property
    @override
    def source(self) -> str:
        return OFFLINE

    @override
    def price(self, question: PriceQuestion, *, seconds: float) -> Cents:
        try:
            figure = self._formula(question)
        except (ArithmeticError, ValueError):
            raise ModelFailed("not a number") from None
        return accepted(figure, question.problem)

    @abstractmethod
    def _formula(self, question: PriceQuestion) -> float:
        """Give the average total in cents."""


@frozen
class FlatRateModel(_OfflineModel):
    """Model A, the flat-rate book: hours and parts, each by its factor, at the region's labor rate."""

    @override
    def _formula(self, question: PriceQuestion) -> float:
        return flat_rate(question)


@frozen
class PriceIndexModel(_OfflineModel):
    """Model B, the national price index: the typical range, moved to the vehicle, its age and the place."""

    @override
    def _formula(self, question: PriceQuestion) -> float:
        return price_index(question)
