"""The figures that the offline models use, read from the shipped files."""

import math
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from attrs import frozen

from repaircore.kernel.money import Cents, cents
from repaircore.kernel.spelling import make_key
from repaircore.kernel.traits import Body

_LABOR: Final = "labor"
"""The only key in a category that is not a repair: the share of labor in the category's bills."""

_COUNTRY: Final = 100.0


@frozen(kw_only=True)
class ComponentTable:
    """National repair prices in cents by slug, labor shares by category, and factors for makes, bodies and states."""

    prices: Mapping[str, Cents]
    labor_shares: Mapping[str, float]
    makes: Mapping[str, float]
    bodies: Mapping[Body, float]
    states: Mapping[str, float]

    def find(self, slug: str) -> Cents | None:
        """Return the price of a repair, or None if it is not listed."""
        return self.prices.get(slug)

    def labor_share(self, category: str, default: float) -> float:
        """Return the share of labor in a category's bills, or ``default`` if the category is not listed."""
        return self.labor_shares.get(category, default)

    def make(self, make: str) -> float:
        """Return the price factor for a make, relative to a mainstream make; 1.0 if it is not listed."""
        return self.makes.get(make_key(make), 1.0)

    def body(self, body: Body | None) -> float:
        """Return the price factor for a body, relative to a car; an unknown body counts as a car."""
        return 1.0 if body is None else self.bodies.get(body, 1.0)

    def state_level(self, state: str) -> float:
        """Return a state's price level, relative to the country's; 1.0 if it is not listed, as for territories."""
        return self.states.get(state, 1.0)


@frozen(kw_only=True)
class HoursRegression:
    """The formula ``base · hours^exponent``, in cents, with a base for each category.

    An unlisted category has the base ``cents_for_one``; shorter jobs count as ``least_hours``.
    ``cents_for_kwh`` is the price per kWh of a traction battery's cells.
    """

    cents_for_one: Cents
    cents_for_kwh: Cents
    by_category: Mapping[str, Cents]
    exponent: float
    least_hours: float

    def price(self, category: str, hours: float) -> float:
        """Return the price of a repair by its category and hours, in cents."""
        base = self.by_category.get(category, self.cents_for_one)
        return base * math.pow(max(self.least_hours, hours), self.exponent)


@cache
def component_table() -> ComponentTable:
    """Return the table in ``data/component_prices.toml``, which takes a few milliseconds to read."""
    data = _shipped("component_prices.toml")
    categories: Mapping[str, Mapping[str, float]] = data["components"]
    return ComponentTable(
        prices={
            slug: cents(float(price))
            for listed in categories.values()
            for slug, price in listed.items()
            if slug != _LABOR
        },
        labor_shares={name: float(listed[_LABOR]) for name, listed in categories.items()},
        makes={make_key(make): float(factor) for make, factor in data["makes"].items()},
        bodies={Body(name): float(factor) for name, factor in data["bodies"].items()},
        states={state: level / _COUNTRY for state, level in data["states"].items()},
    )


@cache
def hours_regression() -> HoursRegression:
    """Return the regression in ``data/hours_regression.toml``."""
    data = _shipped("hours_regression.toml")
    return HoursRegression(
        cents_for_one=cents(data["dollars"]),
        cents_for_kwh=cents(data["dollars_for_kwh"]),
        by_category={name: cents(dollars) for name, dollars in data["categories"].items()},
        exponent=data["exponent"],
        least_hours=data["least_hours"],
    )


def _shipped(name: str) -> dict[str, Any]:
    return tomllib.loads((files("repaircore") / "data" / name).read_text("utf-8"))
