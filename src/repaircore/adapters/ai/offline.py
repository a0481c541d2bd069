"""Two fixed models that need no server: instant, free of charge and deterministic.

Unlike the local figure, neither adds up the prices of the hours and parts in the repair book, and neither uses
invoices. So it means something if they agree with the local figure or with each other:

    A, the component table:
        table price · engine · make · body · age · (state level / 100)^(1.25 · labor share) · price level
    B, the hours regression:
        (category's dollars · hours^exponent · engine · vehicle's factors + dollars · kWh) · age · place

The figures and their sources are in ``data/component_prices.toml`` and ``data/hours_regression.toml``. Both use the
vehicle's facts as the local figure does: its engine bay, its capacities and the repairs that cost more or less on it
(``book_price.relative``). B also shares the repair's hours, the vehicle's factors and the region's labor rate; A shares
nothing else.
"""

import math
from abc import abstractmethod

from attrs import frozen
from typing_extensions import override

from repaircore.adapters.ai.answer import ModelFailed, plausible_price
from repaircore.adapters.ai.offline_tables import component_table, hours_regression
from repaircore.book.model import Per
from repaircore.kernel.money import Cents
from repaircore.predictions.ports import PriceModel
from repaircore.pricing.book_price import Relative, relative
from repaircore.pricing.model import PriceQuestion

OFFLINE = "offline"
"""The source of both models; a model with this source responds without waiting."""

TYPICAL_LABOR_SHARE = 0.45
"""The share of labor in the bill for an unknown repair (our judgment)."""

STATE_EXPONENT = 1.25
"""How strongly a state's price level affects the price of labor, as in the table of labor rates."""

MIDDLE_AGE = 8
"""The age in years for which the table's prices hold: about the median age of vehicles in shops."""

YEARLY_DISCOUNT = 0.008
"""The discount per year of age (our judgment): aftermarket and used parts appear, and owners leave dealers."""

OLDEST = 20
"""The age in years from which the price no longer falls."""


def component_price(question: PriceQuestion) -> float:
    """Return the table price of a repair in cents, adjusted for the vehicle, its age, the state and the price level.

    A repair that is not in the table (an operator's own) is priced by its hours, as in the hours regression.
    """
    table, problem, specs = component_table(), question.problem, question.vehicle.specs
    listed = table.find(problem.slug)
    price = _by_hours(question) if listed is None else listed
    share = table.labor_share(problem.parent.slug, TYPICAL_LABOR_SHARE)
    place = math.pow(table.state_level(question.state), STATE_EXPONENT * share)
    vehicle = table.make(specs.make) * table.body(specs.body)
    return price * _relative(question).price * vehicle * age_factor(question) * place * question.price_level


def regression_price(question: PriceQuestion) -> float:
    """Return the price of a repair by its hours in cents, adjusted for the vehicle, its age and the place."""
    own, share = _relative(question), TYPICAL_LABOR_SHARE
    pack = _pack(question, own)
    engine = own.hours if pack else share * own.hours + (1 - share) * own.parts
    job = _by_hours(question) * engine * _vehicle_factor(question)
    return (job + pack) * age_factor(question) * _place_factor(question)


def _relative(question: PriceQuestion) -> Relative:
    return relative(
        question.problem, question.factors, national_rate=question.national_rate, year=question.year
    )


def _pack(question: PriceQuestion, own: Relative) -> float:
    """Return the price of a traction battery's cells in cents, whatever the vehicle's factors; 0 for other repairs."""
    packs = [part for part in question.problem.parts if part.per is Per.BATTERY_KWH]
    return sum(hours_regression().cents_for_kwh * (own.battery or part.reference or 0) for part in packs)


def age_factor(question: PriceQuestion) -> float:
    """Return the price factor for a vehicle's age: 1.0 at ``MIDDLE_AGE``, and more for newer vehicles."""
    age = min(max(question.year - question.vehicle.specs.year, 0), OLDEST)
    return math.pow(1 - YEARLY_DISCOUNT, age - MIDDLE_AGE)


def _by_hours(question: PriceQuestion) -> float:
    problem = question.problem
    return hours_regression().price(problem.parent.slug, problem.labor_hours)


def _vehicle_factor(question: PriceQuestion) -> float:
    share = TYPICAL_LABOR_SHARE
    return math.pow(question.factors.labor, share) * math.pow(question.factors.parts, 1 - share)


def _place_factor(question: PriceQuestion) -> float:
    share = TYPICAL_LABOR_SHARE
    return share * question.labor_rate / question.national_rate + (1 - share) * question.price_level


class _OfflineModel(PriceModel):
    """A price model that evaluates a formula."""

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
        return plausible_price(figure, question.problem)

    @abstractmethod
    def _formula(self, question: PriceQuestion) -> float:
        """Return the average total in cents."""


@frozen
class ComponentTableModel(_OfflineModel):
    """Model A: the national price of the component, adjusted for the vehicle, its age and the place."""

    @override
    def _formula(self, question: PriceQuestion) -> float:
        return component_price(question)


@frozen
class HoursRegressionModel(_OfflineModel):
    """Model B: the category's price for the hours, adjusted for the vehicle, its age and the place."""

    @override
    def _formula(self, question: PriceQuestion) -> float:
        return regression_price(question)
