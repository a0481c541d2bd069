"""The book's price of a repair, brought onto a vehicle."""

import math

from repaircore.estimates.model import BookPart, BookPrice
from repaircore.kernel.money import Cents
from repaircore.problems.model import Problem
from repaircore.vehicles.model import Factors

__all__ = ["book_price", "book_spread"]

_Z80 = 1.2815515655446004
"""Eight of ten values of a normal distribution lie within so many standard deviations."""

_NARROWEST = 0.05
_WIDEST = 1.0


def book_price(problem: Problem, factors: Factors, *, national_rate: Cents) -> BookPrice:
    """Multiply the book's hours and prices by the vehicle's factors.

    A repair for which the book knows neither hours nor parts is taken as labor alone, at the
    geometric middle of its low and high.
    """
    hours = problem.labor_hours * factors.labor
    parts = tuple(
        BookPart(name=part.name, quantity=part.quantity, price=part.price * factors.parts)
        for part in problem.parts
    )
    if hours <= 0 and not any(part.price > 0 for part in parts):
        hours = math.sqrt(max(1, problem.low) * max(1, problem.high)) * factors.labor / national_rate
    return BookPrice(hours=hours, parts=parts, rate=national_rate, spread=book_spread(problem))


def book_spread(problem: Problem) -> float:
    """Give the standard deviation of ln price that the book's low and high speak of."""
    ratio = max(1, problem.high) / max(1, problem.low)
    return min(_WIDEST, max(_NARROWEST, math.log(max(1.0, ratio)) / (2 * _Z80)))
