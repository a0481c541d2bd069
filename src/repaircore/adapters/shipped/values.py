"""Vehicle values and the used-car price index, from the shipped files."""

import csv
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from statistics import fmean
from typing import Any, Final

from repaircore.kernel.money import Cents, cents
from repaircore.kernel.spelling import key, make_key
from repaircore.valuation.value_levels import Levels, ModelPrices, UsedCarIndex
from repaircore.vehicle_facts.model import Segment, Tier

_BASE_YEAR: Final = 2025
_THOUSAND: Final = 1_000


def shipped_levels() -> Levels:
    """Read ``data/values.toml``."""
    return levels((files("repaircore") / "data" / "values.toml").read_text("utf-8"))


def levels(text: str) -> Levels:
    """Read a table of price levels.

    Raises:
        ValueError: a segment or tier is unknown or missing, or a level, factor or price is not positive.
    """
    data = tomllib.loads(text)
    brands = {make_key(make): float(factor) for make, factor in data.get("brands", {}).items()}
    prices = data.get("new_prices", {})
    found = Levels(
        by_segment={Segment(name): cents(float(level)) for name, level in data["levels"].items()},
        by_tier={Tier(name): float(factor) for name, factor in data["tiers"].items()},
        by_brand=brands,
        unlisted_brand=brands.get("unlisted", 1.0),
        new_prices={make_key(make): _models(models) for make, models in prices.get("models", {}).items()},
        used=float(prices.get("used", 1.0)),
        weight=float(prices.get("weight", 0.0)),
    )
    missing = [*(set(Segment) - found.by_segment.keys()), *(set(Tier) - found.by_tier.keys())]
    figures = [*found.by_segment.values(), *found.by_tier.values(), *brands.values()]
    if missing:
        raise ValueError(f"Levels are missing for: {', '.join(sorted(missing))}.")
    if min(*figures, found.used) <= 0:
        raise ValueError("The levels and factors of segments, tiers, brands and used cars must be positive.")
    return found


def _models(models: Mapping[str, Any]) -> ModelPrices:
    prices: dict[str, Cents] = {name: cents(float(price) * _THOUSAND) for name, price in models.items()}
    if min(prices.values()) <= 0:
        raise ValueError("The price of a model must be positive.")
    return ModelPrices(
        exact={key(name): price for name, price in prices.items() if not name.endswith("*")},
        prefixes={key(name): price for name, price in prices.items() if name.endswith("*")},
    )


def shipped_used_car_index() -> UsedCarIndex:
    """Read ``data/used_car_index.csv``."""
    return used_car_index((files("repaircore") / "data" / "used_car_index.csv").read_text("utf-8"))


def used_car_index(text: str) -> UsedCarIndex:
    """Read an index with the columns ``quarter`` (2025-Q1) and ``index``.

    Raises:
        ValueError: the text is in a different format, a value is not positive, or the quarters are not consecutive or
            do not include 2025.
    """
    rows = list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
    try:
        quarters = [(int(row["quarter"][:4]), int(row["quarter"][6:]) - 1) for row in rows]
        values = tuple(float(row["index"]) for row in rows)
    except (KeyError, TypeError) as error:
        raise ValueError("A used-car index needs the columns quarter and index.") from error
    base = [value for (year, _), value in zip(quarters, values, strict=True) if year == _BASE_YEAR]
    numbers = [4 * year + quarter for year, quarter in quarters]
    if not base or min(values) <= 0 or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        raise ValueError(
            "A used-car index must be positive and have every quarter exactly once, in order, including 2025."
        )
    return UsedCarIndex(first=quarters[0], values=values, base=fmean(base))
