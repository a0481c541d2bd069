"""The figures of the offline models, out of the files that the package ships."""

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
"""The key of a category that is no repair: the share of labor in its bills."""

_COUNTRY: Final = 100.0


@frozen(kw_only=True)
class ComponentTable:
    """What repairs cost in the country, in cents by slug, and what makes, bodies and states make of it."""

    prices: Mapping[str, Cents]
    labor_shares: Mapping[str, float]
    makes: Mapping[str, float]
    bodies: Mapping[Body, float]
    states: Mapping[str, float]

    def find(self, slug: str) -> Cents | None:
        """Return the price of a repair, None when it is not listed."""
        return self.prices.get(slug)

    def labor_share(self, category: str, otherwise: float) -> float:
        """Return the share of labor in the bills of a category."""
        return self.labor_shares.get(category, otherwise)

    def make(self, make: str) -> float:
        """Return what repairs of a make cost beside those of a mainstream one."""
        return self.makes.get(make_key(make), 1.0)

    def body(self, body: Body | None) -> float:
        """Return what repairs of a body cost beside those of a car; an unknown one is a car."""
        return 1.0 if body is None else self.bodies.get(body, 1.0)

    def state_level(self, state: str) -> float:
        """Return a state's price level beside the country (1.0), which a territory has."""
        return self.states.get(state, 1.0)


@frozen(kw_only=True)
class HoursRegression:
    """``dollars · hours^exponent``, in cents; a category that is not listed has the dollars of all.

    ``cents_for_kwh`` is what the cells of a traction battery cost for each kWh.
    """

    cents_for_one: Cents
    cents_for_kwh: Cents
    by_category: Mapping[str, Cents]
    exponent: float
    least_hours: float

    def price(self, category: str, hours: float) -> float:
        """Return the price of a repair with so many hours."""
        base = self.by_category.get(category, self.cents_for_one)
        return base * math.pow(max(self.least_hours, hours), self.exponent)


@cache
def component_table() -> ComponentTable:
    """Read ``data/component_prices.toml``: some milliseconds, so once for a process."""
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
    """Read ``data/hours_regression.toml``."""
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
